package analyzers

import (
	"strings"

	"mongoadvisor/internal/analysis"
	"mongoadvisor/internal/op"
)

func negatedPredicate() *analysis.Analyzer {
	return &analysis.Analyzer{
		ID: "Q05", Name: "negated-predicate", Since: "0.1.0", Severity: analysis.Low,
		Title:    "Filter that only says what is not wanted",
		Commands: filterCommands, Run: runNegatedPredicate, Wants: op.TraitNegation,
		Reasons: []analysis.Reason{
			{Name: negatedRegex, Doc: "a regular expression under `$not`, `$nin` or `$nor`: no index ever serves it"},
			{Name: notEqual, Doc: "`$ne` or `$nin`, and much came back or was read"},
			{Name: negatedOther, Doc: "`$not` or `$nor` around another condition, and much came back or was read"},
			{Name: missingField, Doc: "`$exists: false` or a comparison with null, and much came back or was read"},
		},
		Limits: []analysis.Limit{
			{Name: "returned", Default: 100, Unit: "documents", Doc: "documents in the first batch from which much came back; a cursor that stays open counts as well"},
			{Name: "examined", Default: 1000, Unit: "documents", Doc: "documents examined in vain from which much was read, however little came back (sources with execution statistics)"},
			{Name: "long-list", Default: 200, Unit: "values", Doc: "length of a `$nin` list from which Q07 speaks of it instead"},
		},
		Doc: analysis.Doc{
			What: "A filter without any condition that selects (no equality, list, range, bounded regular expression, text or geo search): all it says is what a document must not be. " +
				"`$ne`, `$nin`, `$not`, `$nor`, `$exists: false` and comparisons with null are reported when the reply shows that much came back, or a log that much was read; a negated regular expression always.",
			Why: "A negation leaves the index two ranges, before the value and behind it, which is most of the index. Measured on MongoDB 6.0.5 over 20,000 documents with an index on each field: " +
				"`{st: {$ne: 1}}` read 15,001 keys and fetched 15,000 documents; `{opt: null}` 18,001 and 18,000. That is what they return, so the cost is in asking for nearly everything. " +
				"`$nor` looked at all 20,000 for 15,000; `{s: {$not: /^User0/}}` at all 20,000, where `/^User0/` has an index range.",
			Fix: "Say what is wanted: an equality or a list of values, no more of them than the caller needs; a list that means the same reads the same. Where documents without a value are meant, write one (`false`, `\"none\"`) and compare with it. " +
				"Where documents with a value are meant (`$ne: null`), a partial index holds just those: for `{$exists: true}` it read 2,000 keys where a plain index read 20,000. " +
				"For a negated regular expression, keep the answer in a field of its own when writing. And read in pages: what comes back is most of the collection whatever the filter says.",
			Guards: "Silent when a selective condition stands beside it, in the same filter, in a `$match` before it or through the key of a `$lookup`; when the query has a limit (a page of what is not deleted costs a page) or a hint; " +
				"when the pipeline groups or unwinds, since its result says nothing of what was read; for `$ne: null` when a sparse or partial index on the field was seen; " +
				"for filters after stages that compute documents; when a regular expression (Q01 to Q04) or an expression (Q06) in the same filter is the larger problem. " +
				"Writes are left to W06. Wrong here when nearly all documents are wanted indeed, as in an export.",
			Lesson: "The manual's pages on query selectivity and on `$ne`, `$nin`, `$not` and indexes.",
		},
	}
}

func runNegatedPredicate(p *analysis.Pass) {
	if p.Op.Cut {
		return // what stands beside it may be in the part that was not kept
	}
	statements := p.Op.Statements()
	for i := range statements {
		s := &statements[i]
		judged := 0
		for f := range s.Filters() {
			if n, ok := findNegation(f); ok && f.Stored && judged < maxPatterns {
				judged++
				judgeNegation(p, s, i, f, n)
			}
		}
	}
}

func judgeNegation(p *analysis.Pass, s *op.Statement, statement int, f op.Filter, n negation) {
	if n.Reason != negatedRegex && !brought(p, s, f, n) {
		return
	}
	if hasPositiveRegex(f) || hasUnindexable(f) || narrowed(s, f) {
		return
	}
	fields := strings.Join(n.Fields, ", ")
	finding := analysis.Finding{
		Reason: n.Reason, Statement: statement, NS: f.NS, Fields: n.Fields, Confidence: analysis.Observed,
		Message: "nothing but negations: " + fields + negationWords[n.Reason],
		Advice:  "A negation leaves nearly the whole index to read, and each document it finds is fetched.",
		Caveat:  "nearly all documents may be wanted indeed, as in an export",
		Fix:     negationFix(call(s), f.NS, n),
	}
	if n.Reason == negatedRegex {
		finding.Severity, finding.Override, finding.Confidence = analysis.Medium, true, analysis.Suspected
		finding.Message = "negated regular expression on " + fields + ": no index serves it, and no other condition selects"
		finding.Advice = "MongoDB gives a negated regular expression no index at all, however it is written: each one reads the whole collection."
		finding.Caveat = "a collection that is and stays small"
	} else {
		finding.Evidence = []analysis.Evidence{{Name: "returned", Value: int64(max(p.Op.Reply.Returned, len(p.Op.Reply.Docs))), Limit: p.Limit("returned"), Unit: "documents"}}
		if p.Op.Has&op.HasExec != 0 {
			finding.Evidence = append(finding.Evidence, analysis.Evidence{Name: "examined", Value: p.Op.Exec.DocsExamined, Limit: p.Limit("examined"), Unit: "documents"})
		}
		if p.Op.Has&op.HasExec != 0 && readInVain(p) {
			finding.Message = strings.Replace(finding.Message, "much comes back", "much is read", 1)
			finding.Caveat = "the documents that are wanted may be rare, and the query as well"
		}
	}
	p.Report(finding)
}

// negationWords end the sentence "nothing but negations: x …".
var negationWords = map[string]string{
	notEqual:     " is compared by $ne or $nin, and much comes back",
	negatedOther: " is under $not or $nor, and much comes back",
	missingField: " is looked for where it is missing or null, and much comes back",
}

// brought reports whether a reply shows that a negation selected little. A
// limited query reads what it returns, and a hint says that somebody has looked
// at the plan.
func brought(p *analysis.Pass, s *op.Statement, f op.Filter, n negation) bool {
	switch {
	case !p.Op.Reply.Seen || !p.Op.Reply.OK || s.Hint.Type != 0:
		return false
	case s.Limit != 0 && !readInVain(p):
		return false
	case s.Command == "aggregate":
		if !passesOn(s) || strings.Count(f.Place, "[") > 1 {
			return false
		}
	case s.Command != "find":
		return false
	}
	if n.Pred.Op == "$nin" && int64(op.Len(n.Pred.Value)) >= p.Limit("long-list") {
		return false
	}
	if n.Pred.Op == "$ne" && isNull(n.Pred.Value) && holdsValues(p, f.NS, n.Pred.Path) {
		return false
	}
	r := p.Op.Reply
	return r.Returned < 0 || r.CursorID != 0 || int64(r.Returned) >= p.Limit("returned") || readInVain(p)
}

// readInVain reports whether the source says that many documents were examined
// which did not come back.
func readInVain(p *analysis.Pass) bool {
	return p.Op.Has&op.HasExec != 0 && p.Op.Exec.DocsExamined-int64(max(p.Op.Reply.Returned, 0)) >= p.Limit("examined")
}

// passesOn reports whether a pipeline returns a document for each one it read.
func passesOn(s *op.Statement) bool {
	for _, d := range s.Pipeline {
		switch op.FirstKey(d) {
		case "$match", "$sort", "$project", "$addFields", "$set", "$unset", "$replaceRoot", "$replaceWith", "$lookup", "$skip":
		default:
			return false
		}
	}
	return true
}

// holdsValues reports whether an index that was seen holds just the documents
// that have the field.
func holdsValues(p *analysis.Pass, ns op.Namespace, path string) bool {
	indexes, _ := p.Env.Indexes(ns)
	for _, ix := range indexes {
		if !ix.Hidden && (ix.Sparse || ix.Partial) && ix.Leads(path) {
			return true
		}
	}
	return false
}

// opposite is the range on the other side of a bound.
var opposite = map[string]string{"$gt": "$lte", "$gte": "$lt", "$lt": "$gte", "$lte": "$gt"}

func negationFix(with method, ns op.Namespace, n negation) analysis.Fix {
	path := indexable(n.Fields[0])
	key, c := field(path), coll(ns)
	index := c + ".createIndex({ " + key + ": 1 })\n"
	fix := analysis.Fix{
		Text:    "Name the values that are wanted, no more than the caller needs, with an index on the field; and read in pages if that is still most of the collection.",
		Mongosh: index + query(with, ns, "{ "+key+": { $in: [<values that are wanted>] } }", ""),
	}
	switch {
	case n.Reason == negatedRegex:
		flag := field(path + "Matches")
		fix.Text = "Decide when writing: keep in a field of its own whether the expression matches, index that field and compare with it."
		fix.Mongosh = c + ".createIndex({ " + flag + ": 1 })\n" + query(with, ns, "{ "+flag+": false }", "")
	case n.Reason == missingField:
		fix.Text = "Write a value where there is none (false, \"none\"), and compare with it; read in pages if that is still most of the collection."
		fix.Mongosh = c + ".updateMany({ " + key + ": null }, { $set: { " + key + ": <default> } })  // once\n" +
			index + query(with, ns, "{ "+key+": <default> }", "")
	case n.Pred.Op == "$ne" && isNull(n.Pred.Value):
		fix.Text = "Leave the field out where there is no value, and index just the documents that have it: a partial index answers $exists: true by itself."
		fix.Mongosh = c + ".createIndex({ " + key + ": 1 }, { partialFilterExpression: { " + key + ": { $exists: true } } })\n" +
			query(with, ns, "{ "+key+": { $exists: true } }", "")
	case opposite[n.Pred.Op] != "":
		fix.Text = "State the range that is wanted: $not also finds documents without the field, and values of other types."
		fix.Mongosh = index + query(with, ns, "{ "+key+": { "+opposite[n.Pred.Op]+": <value> } }", "")
	}
	if path == "" {
		fix.Mongosh = ""
	}
	return fix
}
