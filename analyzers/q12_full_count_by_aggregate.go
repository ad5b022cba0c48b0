package analyzers

import (
	"go.mongodb.org/mongo-driver/v2/x/bsonx/bsoncore"

	"mongoadvisor/internal/analysis"
	"mongoadvisor/internal/op"
)

func fullCountByAggregate() *analysis.Analyzer {
	return &analysis.Analyzer{
		ID: "Q12", Name: "full-count-by-aggregate", Since: "0.1.0", Severity: analysis.Low,
		Title:    "A whole collection counted document by document",
		Commands: []string{"aggregate"}, Run: runFullCountByAggregate, Wants: op.TraitGroup,
		Reasons: []analysis.Reason{
			{Name: "group", Doc: "`$group` into one group that adds up 1: what drivers send for countDocuments({})"},
			{Name: "count-stage", Doc: "`$count` with nothing before it"},
		},
		Limits: []analysis.Limit{
			{Name: "low-documents", Default: 1000, Unit: "documents", Doc: "counted documents below which it is info, as what a test asserts"},
			{Name: "medium-documents", Default: 100_000, Unit: "documents", Doc: "counted documents from which it is medium"},
		},
		Doc: analysis.Doc{
			What: "An aggregation that does nothing but count all documents: `$group` by a constant with `{$sum: 1}`, or `$count`, with nothing or an empty `$match` before it. `countDocuments({})` of every driver is sent like that.",
			Why: "It reads the whole collection. Measured on MongoDB 6.0.5 with 20,000 documents: the aggregation scanned all of them in 8.4 ms, with the hint `_id_` it read 20,001 keys; the count command answered from metadata in 0.3 ms, whatever the size. " +
				"Screens that show \"page 1 of n\" do it at each view.",
			Fix: "`estimatedDocumentCount()`, which is the count command without a filter: exact on a replica set or standalone but for an unclean shutdown or an open transaction. For the total of a page, show that, or a counter that each insert and delete changes by `$inc`, or \"more than 1,000\" by a limit.",
			Guards: "Silent inside of a transaction, where the count command is not allowed; for counts with a filter, a skip or a limit; for pipelines that do anything else. The count command itself is always answered from metadata without a filter, also with skip or limit (measured), so it is not looked at. " +
				"Wrong here on a sharded cluster that must not count orphaned documents, and on views, which have no metadata.",
			Lesson: "Computed and approximation patterns; the manual's page on `count`.",
		},
	}
}

func runFullCountByAggregate(p *analysis.Pass) {
	if p.Op.Session.InTxn || p.Op.Cut || p.Op.NS.Coll == "" {
		return
	}
	statements := p.Op.Statements()
	for i := range statements {
		reason := countsAll(statements[i].Pipeline)
		if reason == "" {
			continue
		}
		c := coll(p.Op.NS)
		f := analysis.Finding{
			Reason: reason, Statement: i, Fields: []string{},
			Message: "all documents are counted one by one",
			Advice:  "The aggregation reads the whole collection each time; the server knows the number from its metadata.",
			Caveat:  "on a sharded cluster the metadata can count orphaned documents, and a view has none",
			Fix: analysis.Fix{
				Text:    "Take the number from the metadata. If it has to be exact for one screen, keep a counter and change it by $inc with each insert and delete.",
				Mongosh: c + ".estimatedDocumentCount()",
			},
		}
		if n, ok := counted(p.Op.Reply); ok {
			limit := p.Limit("medium-documents")
			f.Confidence = analysis.Observed
			f.Evidence = []analysis.Evidence{{Name: "counted_at_least", Value: magnitude(n), Limit: limit, Unit: "documents"}}
			switch {
			case n >= limit:
				f.Severity, f.Override = analysis.Medium, true
			case n < p.Limit("low-documents"):
				f.Severity, f.Override = analysis.Info, true
			}
		}
		p.Report(f)
	}
}

// countsAll gives the reason when a pipeline counts a whole collection and does
// nothing else, or "".
func countsAll(pipeline []bsoncore.Document) string {
	if len(pipeline) == 2 && op.FirstKey(pipeline[0]) == "$match" && everything(op.Doc(op.Get(pipeline[0], "$match"))) {
		pipeline = pipeline[1:]
	}
	if len(pipeline) != 1 {
		return ""
	}
	switch op.FirstKey(pipeline[0]) {
	case "$count":
		return "count-stage"
	case "$group":
		if countsOneGroup(op.Doc(op.Get(pipeline[0], "$group"))) {
			return "group"
		}
	}
	return ""
}

// countsOneGroup reads {_id: <constant>, n: {$sum: 1}}, or {$count: {}} for the sum.
func countsOneGroup(group bsoncore.Document) bool {
	sums, constant := 0, false
	for name, v := range op.Fields(group) {
		if name == "_id" {
			constant = !readsFields(v) && !usesOperator(v, "$function", "$rand")
			continue
		}
		sums++
		function, operand := operator(v)
		if n, ok := op.Int(operand); function != "$count" && (function != "$sum" || !ok || n != 1) {
			return false
		}
	}
	return constant && sums == 1
}

// counted is the number in the reply of a counting aggregation.
func counted(r op.Reply) (int64, bool) {
	if len(r.Docs) != 1 {
		return 0, false
	}
	for name, v := range op.Fields(r.Docs[0]) {
		if n, ok := op.Int(v); ok && name != "_id" {
			return n, true
		}
	}
	return 0, false
}
