package analyzers

import (
	"slices"
	"strconv"
	"strings"
	"unicode"

	"go.mongodb.org/mongo-driver/v2/x/bsonx/bsoncore"

	"mongoadvisor/internal/analysis"
	"mongoadvisor/internal/op"
)

func repeatedLookup() *analysis.Analyzer {
	return &analysis.Analyzer{
		ID: "A01", Name: "repeated-lookup", Since: "0.1.0", Severity: analysis.Medium, MinCount: 3,
		Title:    "The same $lookup again and again",
		Commands: []string{"aggregate", "find", "count", "distinct"}, Run: runRepeatedLookup, Wants: op.TraitJoin, State: joinState(),
		Reasons: []analysis.Reason{
			{Name: "repeated", Doc: "a collection is joined at each call"},
			{Name: "one-to-one", Doc: "the joined array is unwound at once, or its first element taken: one match is expected"},
			{Name: "chain", Doc: "three or more lookups in one pipeline"},
		},
		Limits: []analysis.Limit{
			{Name: "chain", Default: 3, Unit: "stages", Doc: "lookups in one pipeline from which they are one chain"},
			{Name: "min-reads", Default: 20, Unit: "operations", Doc: "reads of the collection from which shares of them are judged"},
			{Name: "medium-share", Default: 10, Unit: "%", Doc: "share of the collection's reads from which it is medium, and low below"},
			{Name: "high-share", Default: 50, Unit: "%", Doc: "share of the collection's reads from which it is high"},
			{Name: "high-rate", Default: 100, Unit: "operations", Doc: "joins of one pair within a minute from which it is high"},
			{Name: "stale-writes", Default: 10, Unit: "operations", Doc: "changes of documents in the joined collection for 100 reads of the other one, beyond which copies would go stale"},
		},
		Doc: analysis.Doc{
			What: "A `$lookup` that runs again and again, at any depth: in `$facet`, in `$unionWith`, in the pipeline of another `$lookup`, and in a view whose definition was seen (`create`, `collMod`, the reply to `listCollections`), whatever reads it. Calls are added up by the joined pair (collection, from, fields), whatever else the pipeline holds.",
			Why: "Data that is read together and stored apart is joined on every request. " +
				"Atlas advises beyond 100 queries with a lookup or half of all queries; Compass for any lookup. Here it is low below 10 % of the collection's reads, medium from there on and while there are too few reads to tell, and high from 50 % of them or 100 a minute. " +
				"A join costs at least one index access per document on the foreign side, and a scan without an index there.",
			Fix:    "One match that changes seldom: embed it. A few stable fields: copy them beside the reference (extended reference) and update the copies when they change. The newest few of many: embed them with `$slice` (subset). Until then, index the foreign field. If documents of the joined collection are changed more than once for ten reads, keep volatile fields where they are and copy only what is stable; that is said then, one step lower.",
			Guards: "Not before the third call, whatever the profile; not for pipelines that end in `$merge` or `$out`, which store their result; not for applications that say they report or analyse. Runs of at most one an hour count as rare and are not shown. Wrong here when the joined data changes often and every read must be exact.",
			Lesson: "All three lessons: separating data that is accessed together; extended reference, subset and computed patterns.",
		},
	}
}

func runRepeatedLookup(p *analysis.Pass) {
	if reporting(p.Op.Conn) {
		return
	}
	var found []lookup
	for l := range lookups(p.Op) {
		if !stores(p.Op.Statements()[l.Statement].Pipeline) {
			found = append(found, l)
		}
	}
	if len(found) == 0 {
		return
	}
	if int64(len(found)) >= p.Limit("chain") {
		reportChain(p, found)
		return
	}
	for i := range found {
		l := &found[i]
		again := func(other lookup) bool { return other.Stage.NS == l.Stage.NS && other.key() == l.key() }
		if !slices.ContainsFunc(found[:i], again) { // a call that joins the same twice is one call
			reportLookup(p, l)
		}
	}
}

// reporting reports whether an application's name says that its joins are not
// on anybody's request path.
func reporting(c *op.Conn) bool {
	if c == nil {
		return false
	}
	for word := range strings.FieldsFuncSeq(c.App, noLetter) {
		for _, w := range reportingWords {
			if strings.EqualFold(word, w) {
				return true
			}
		}
	}
	return false
}

func noLetter(r rune) bool { return !unicode.IsLetter(r) }

var reportingWords = []string{"report", "reports", "reporting", "reporter", "analytics", "etl", "warehouse", "export", "exporter"}

// stores reports whether a pipeline writes its result to a collection.
func stores(pipeline []bsoncore.Document) bool {
	if len(pipeline) == 0 {
		return false
	}
	switch op.FirstKey(pipeline[len(pipeline)-1]) {
	case "$merge", "$out":
		return true
	}
	return false
}

func reportLookup(p *analysis.Pass, l *lookup) {
	reason := "repeated"
	if l.oneToOne() {
		reason = "one-to-one"
	}
	from := op.Path(l.From.Coll)
	f := analysis.Finding{
		Reason: reason, Statement: l.Statement, NS: l.Stage.NS, Shape: op.TextShape(l.key()),
		Message: l.Stage.NS.Coll + " is joined with " + from + " by $lookup again and again",
		Advice:  "What is read together is stored apart, and every call pays for the join.",
		Caveat:  "the joined data may change so often that copies of it would always be stale; a report that runs seldom may join",
	}
	w, known := weighJoin(p, f.Shape.ID, l.Stage.NS, l.From)
	f.Severity, f.Override, f.Evidence = w.severity, true, w.evidence
	known.longest = max(known.longest, longestArray(p.Op.Reply, l.As))
	f.Fix = lookupFix(l, reason, known.longest)
	if w.stale {
		f.Advice += " But " + from + " is changed so often that copies of it would go stale: copy only fields that are stable."
		f.Caveat = "copies go stale with each change in " + from + ", unless they hold only what does not change"
		f.Fix.Text = "Keep in " + from + " what changes often, and read it when it is needed. " + f.Fix.Text
	}
	if l.Stage.Depth == 0 && known.longest > 0 {
		f.Evidence = append(f.Evidence, analysis.Evidence{Name: "longest_joined", Value: int64(known.longest), Unit: "documents"})
		f.Confidence = analysis.Observed
	}
	if l.Local != "" {
		f.Fields = []string{op.Path(l.Local)}
		f.Message += " (" + op.Path(l.Local) + " = " + from + "." + op.Path(l.Foreign) + ")"
	}
	if l.Stage.Depth > 0 {
		f.Message += ", in " + l.Stage.Path
	}
	p.Report(f)
}

func reportChain(p *analysis.Pass, found []lookup) {
	var names []string
	for i := range found {
		if name := op.Path(found[i].From.Coll); !slices.Contains(names, name) && len(names) < maxUsed {
			names = append(names, name)
		}
	}
	s := &p.Op.Statements()[found[0].Statement]
	w, _ := weighJoin(p, s.ShapeID(), s.NS, op.Namespace{})
	p.Report(analysis.Finding{
		Reason: "chain", Statement: found[0].Statement, Fields: []string{}, Severity: w.severity, Override: true,
		Message:  strconv.Itoa(len(found)) + " lookups in one pipeline, from " + strings.Join(names, ", "),
		Advice:   "The data of one screen is spread over several collections, as in a relational schema, and every call puts it together.",
		Caveat:   "a report that runs seldom may join",
		Fix:      analysis.Fix{Text: "Decide which collection is read, and keep in its documents what that reading needs: embed single matches, copy stable fields beside references, embed the newest few of many with $slice."},
		Evidence: append([]analysis.Evidence{{Name: "lookups", Value: int64(len(found)), Limit: p.Limit("chain"), Unit: "stages"}}, w.evidence...),
	})
}
