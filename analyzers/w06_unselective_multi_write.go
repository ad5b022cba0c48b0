package analyzers

import (
	"slices"
	"strings"

	"go.mongodb.org/mongo-driver/v2/x/bsonx/bsoncore"

	"mongoadvisor/internal/analysis"
	"mongoadvisor/internal/op"
)

func unselectiveMultiWrite() *analysis.Analyzer {
	return &analysis.Analyzer{
		ID: "W06", Name: "unselective-multi-write", Since: "0.1.0", Severity: analysis.High, MinCount: 3,
		Title:    "Update or delete of much of a collection, again and again",
		Commands: []string{"update", "delete", "bulkWrite"}, Run: runUnselectiveMultiWrite, Wants: op.TraitMulti, State: peakState(),
		Reasons: []analysis.Reason{
			{Name: "everything", Doc: "the filter is empty: every document is written"},
			{Name: "no-index", Doc: "no condition of the filter can be served by an index (Q01, Q02, Q05, Q06), and many documents are written"},
			{Name: "expiry", Doc: "documents older than a date are deleted: a TTL index does that"},
		},
		Limits: []analysis.Limit{
			{Name: "documents", Default: 100, Unit: "documents", Doc: "documents of one call (n in the reply) from which it counts, as medium; expiry counts from 0"},
			{Name: "many-documents", Default: 1000, Unit: "documents", Doc: "documents of one call from which it is high"},
		},
		Doc: analysis.Doc{
			What: "`updateMany` and `deleteMany` (also in `bulkWrite`) with an empty filter, or with a filter none of whose conditions an index can serve, when the reply says that they wrote many documents; and `deleteMany` with an upper bound on a date.",
			Why: "Each document is read, changed in every index that holds the field, and written to the oplog, which every secondary applies one by one. Measured on MongoDB 6.0.5: an update that changed one indexed field took 7 ms for 100 documents, 40 ms for 1,000 and 360 to 450 ms for 10,000. " +
				"`deleteMany({})` of 20,000 documents with 11 indexes took 1,046 ms, `drop()` of as many 1 ms.",
			Fix: "Select by an indexed equality or range, in chunks. For documents that expire, a TTL index deletes them in the background, a few at a time. Instead of emptying a collection, drop it and create its indexes again. " +
				"A value that changes for all documents at once belongs into one document of its own.",
			Guards: "Not before the third call, whatever the profile: a migration runs once. Silent when the reply is not seen or says that less than the limit was written; when an equality, a list, a range or another selective condition is in the filter; in a batch of several statements whose reply gives only their sum, and in a bulkWrite that asks for errors only. " +
				"`expiry` is one step lower, and silent when the date has a lower bound, too. Runs of at most one an hour count as rare and are not shown. Wrong here for fixtures of a test suite.",
			Lesson: "The manual's pages on write performance and on TTL indexes.",
		},
	}
}

func runUnselectiveMultiWrite(p *analysis.Pass) {
	if p.Op.Cut {
		return
	}
	statements := p.Op.Statements()
	for i := range statements {
		s := &statements[i]
		if !s.Multi {
			continue
		}
		if path, beside, ok := expiry(s); ok {
			reportExpiry(p, i, path, beside)
			continue
		}
		n, known := written(p.Op, s)
		if severity, limit, much := step(p, n, rung{"documents", analysis.Medium}, rung{"many-documents", analysis.High}); known && much {
			judgeWrite(p, s, i, severity, limit, n)
		}
	}
}

// written is the number of documents one statement wrote.
func written(o *op.Operation, s *op.Statement) (int64, bool) {
	r := o.Reply
	if !r.Seen {
		return 0, false
	}
	if o.Command != "bulkWrite" {
		return r.N, len(o.Statements()) == 1
	}
	for _, d := range r.Docs { // one result for each op, when they were asked for
		if idx, ok := op.Int(op.Get(d, "idx")); ok && idx == int64(s.Index) {
			return op.Int(op.Get(d, "n"))
		}
	}
	return 0, false
}

func judgeWrite(p *analysis.Pass, s *op.Statement, statement int, severity analysis.Severity, limit, n int64) {
	f := analysis.Finding{
		Reason: "everything", Statement: statement, NS: s.NS, Fields: []string{},
		Severity: severity, Override: true, Confidence: analysis.Observed,
		Message: verbs[s.Command] + " every document of the collection at each call",
		Caveat:  "a migration, or the fixtures of a test suite",
	}
	if !everything(s.Filter) {
		fields, ok := unserved(s)
		if !ok {
			return
		}
		f.Reason, f.Fields = "no-index", fields
		f.Message = verbs[s.Command] + " many documents by a filter that no index can serve"
		if len(fields) > 0 {
			f.Message += ", on " + strings.Join(fields, ", ")
		}
	}
	f.Advice = "Every call reads the collection, writes each of these documents with its indexes and fills the oplog, which the secondaries must apply one by one."
	f.Fix = writeFix(s, f.Reason, f.Fields)
	f.Evidence = []analysis.Evidence{
		{Name: "written", Value: n, Limit: limit, Unit: "documents"},
		{Name: "most_written", Value: p.State().(*peaks).raise(s.Shape(), n), Unit: "documents"},
	}
	p.Report(f)
}

// verbs begin a message.
var verbs = map[string]string{"update": "updates", "delete": "deletes"}

// unserved reports whether nothing in a statement's filter selects and another
// rule has something to say of it, and names the fields.
func unserved(s *op.Statement) (fields []string, ok bool) {
	if selective(s.Filter) {
		return nil, false
	}
	f := op.Filter{NS: s.NS, Doc: s.Filter, Stored: true, Collation: s.Collation}
	for pred := range f.Predicates() {
		if pred.Op != "$regex" || pred.Negated {
			continue
		}
		ok = true
		if path := op.Path(pred.Path); path != "" && !slices.Contains(fields, path) && len(fields) < maxUsed {
			fields = append(fields, path)
		}
	}
	if ok {
		return fields, true
	}
	if u, found := findUnindexable(f); found {
		if u.Path != "" {
			return []string{u.Path}, true
		}
		return u.Expr.Paths, true
	}
	n, found := findNegation(f)
	return n.Fields, found
}

// expiry reads a delete of what is older than a date: an upper bound on one
// field and nothing beside it but equalities, which it returns.
func expiry(s *op.Statement) (path string, beside []string, ok bool) {
	if s.Command != "delete" {
		return "", nil, false
	}
	for pred := range (op.Filter{Doc: s.Filter}).Predicates() {
		switch {
		case pred.Negated || pred.Or || pred.Path == "":
			return "", nil, false
		case (pred.Op == "$lt" || pred.Op == "$lte") && pred.Value.Type == bsoncore.TypeDateTime && path == "":
			path = op.Path(pred.Path)
		case pred.Op == "$eq" && pred.Path != "_id" && !isNull(pred.Value):
			beside = append(beside, op.Path(pred.Path))
		default:
			return "", nil, false
		}
	}
	return path, beside, path != "" && !slices.Contains(beside, path)
}

func reportExpiry(p *analysis.Pass, statement int, path string, beside []string) {
	s := &p.Op.Statements()[statement]
	f := analysis.Finding{
		Reason: "expiry", Statement: statement, NS: s.NS, Fields: []string{path},
		Severity: analysis.Medium, Override: true,
		Message: "documents whose " + path + " lies before a date are deleted again and again",
		Advice:  "Each call deletes in one go what has expired since the last one. A TTL index does it in the background, once a minute, and nobody has to start it.",
		Caveat:  "the deletes may have to be complete at a certain time, which a TTL index does not promise",
		Fix:     analysis.Fix{Text: "Let a TTL index expire them, and take the delete away. expireAfterSeconds counts from the date in the field: 0 if the field holds the moment of expiry."},
	}
	if n, known := written(p.Op, s); known {
		f.Confidence = analysis.Observed
		f.Evidence = []analysis.Evidence{
			{Name: "written", Value: n, Unit: "documents"},
			{Name: "most_written", Value: p.State().(*peaks).raise(s.Shape(), n), Unit: "documents"},
		}
	}
	key, options := indexable(path), "expireAfterSeconds: <seconds>"
	var only []string
	for _, b := range beside {
		if indexable(b) == "" {
			key = ""
		}
		only = append(only, field(indexable(b))+": <"+indexable(b)+">")
	}
	if len(only) > 0 {
		options += ", partialFilterExpression: { " + strings.Join(only, ", ") + " }"
	}
	if key != "" {
		f.Fix.Mongosh = coll(s.NS) + ".createIndex({ " + field(key) + ": 1 }, { " + options + " })"
	}
	p.Report(f)
}

// writeFix proposes what selects, or what makes the write unnecessary.
func writeFix(s *op.Statement, reason string, fields []string) analysis.Fix {
	c := coll(s.NS)
	chunk := query(call(s), s.NS, "{ _id: { $gte: <from>, $lt: <to> } }", "")
	switch {
	case reason == "everything" && s.Command == "delete":
		return analysis.Fix{
			Text:    "Drop the collection and create its indexes again; or let a TTL index expire what is old. If documents have to go a part at a time, delete by ranges of _id.",
			Mongosh: c + ".drop()",
		}
	case reason == "everything":
		return analysis.Fix{
			Text:    "Keep a value that changes for all documents in one document of its own and join it when reading, or compute it then. If each document has to change, write in ranges of _id, a thousand at a time.",
			Mongosh: chunk,
		}
	case len(fields) == 0 || indexable(fields[0]) == "":
		return analysis.Fix{Text: "Select by a condition that an index serves. If there is none, write in ranges of _id, a thousand at a time.", Mongosh: chunk}
	}
	key := field(indexable(fields[0]))
	return analysis.Fix{
		Text:    "Select by a value that an index serves: keep what the filter looks for in a field of its own when writing. If there is none, write in ranges of _id, a thousand at a time.",
		Mongosh: c + ".createIndex({ " + key + ": 1 })\n" + query(call(s), s.NS, "{ "+key+": <value> }", ""),
	}
}
