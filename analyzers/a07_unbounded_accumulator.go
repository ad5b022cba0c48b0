package analyzers

import (
	"slices"

	"go.mongodb.org/mongo-driver/v2/x/bsonx/bsoncore"

	"mongoadvisor/internal/analysis"
	"mongoadvisor/internal/op"
)

func unboundedAccumulator() *analysis.Analyzer {
	return &analysis.Analyzer{
		ID: "A07", Name: "unbounded-accumulator", Since: "0.2.0", Severity: analysis.Medium,
		Title:    "Everything is gathered into one document",
		Commands: []string{"aggregate", "find", "count", "distinct"}, Run: runUnboundedAccumulator, State: gatherState(),
		Reasons: []analysis.Reason{
			{Name: "push-root", Doc: "`$push` or `$addToSet` of whole documents (`$$ROOT`), and nothing takes a part of them later"},
			{Name: "push-all", Doc: "`$push` or `$addToSet` of fields, whose arrays in the reply are large"},
			{Name: "push-then-slice", Doc: "all are gathered, and then a few are taken: `$topN` and `$firstN` keep only these"},
			{Name: "facet-list", Doc: "a branch of `$facet` returns all its documents, as one large array in one document"},
			{Name: "distinct", Doc: "`distinct` with a large reply: all values have to fit into one document"},
			{Name: "memory-error", Doc: "the server refused: a document or an array became too large, or memory ran out"},
		},
		Limits: []analysis.Limit{
			{Name: "repeats", Default: 3, Unit: "operations", Doc: "calls of one form from which it is reported; an error at once"},
			{Name: "medium-bytes", Default: 16 << 10, Unit: "bytes", Doc: "size of an array in the reply from which it counts, as medium; whole documents count before, as info"},
			{Name: "high-bytes", Default: 1 << 20, Unit: "bytes", Doc: "size of an array or of the reply to a distinct from which it is high"},
			{Name: "distinct-values", Default: 10_000, Unit: "values", Doc: "values of a distinct from which it is medium"},
		},
		Doc: analysis.Doc{
			What: "`$push` and `$addToSet` in `$group`, `$bucket` and `$bucketAuto` without a bound, branches of `$facet` that return lists without `$limit`, and `distinct` with a large reply.",
			Why: "The array has to fit into memory and then into one document of 16 MB, and it grows with the data. Measured on MongoDB 6.0.5: 100 MB in one `$push` end in error 146, 100 MB in `$facet` in 4031700, a document over 16 MB out of `$facet` or `$bucket` in 10334, a distinct over 16 MB in 17217, `$group` without allowDiskUse in 292; " +
				"a `$group` whose document had 25 MB ended the connection without a reply.",
			Fix: "Keep only what is needed: `$topN` and `$firstN` (MongoDB 5.2 and later) instead of gathering all and cutting. A list is a query of its own, with `$limit`; distinct values come without a bound from `$group` by the field, as a cursor.",
			Guards: "Not before the third call. Silent for arrays below 16 KiB in the replies, but for `$$ROOT`, which is info there, and for `push-then-slice`; when the groups are by `_id`; for pipelines that store their result, but for `push-then-slice`. `$push` in an update is W01's. " +
				"Wrong here when the groups are bounded by the business, such as the lines of an order.",
			Lesson: "Computed and subset patterns: the summary that gathers all reviews and keeps three.",
		},
	}
}

// sizeCodes are the codes of what did not fit: memory of a stage, an array, a
// document, a distinct.
var sizeCodes = []int32{146, 292, 10334, 16945, 17217, 17419, 17420, 4031700}

func runUnboundedAccumulator(p *analysis.Pass) {
	if p.Op.Cut {
		return
	}
	statements := p.Op.Statements()
	for i := range statements {
		s := &statements[i]
		if s.Command == "distinct" && s.View == "" {
			judgeDistinct(p, s, i)
		}
		if len(s.Pipeline) > 0 {
			judgeGathers(p, s, i)
			judgeFacet(p, s, i)
			if ranOut(p) && len(gathers(s.Pipeline)) == 0 {
				reportOutOfMemory(p, s, i)
			}
		}
	}
}

func ranOut(p *analysis.Pass) bool {
	return p.Op.Reply.Seen && slices.Contains(sizeCodes, p.Op.Reply.Code)
}

func judgeGathers(p *analysis.Pass, s *op.Statement, statement int) {
	for _, g := range gathers(s.Pipeline) {
		f := analysis.Finding{
			Reason: "push-all", Statement: statement, Fields: []string{op.Path(g.Name)},
			Message: g.Operator + " gathers everything of a group into " + op.Path(g.Name),
			Advice:  "The array grows with the data, has to fit into memory, and then into one document of 16 MB.",
			Caveat:  "the groups may be small and stay so",
			Fix:     gatherFix(&g, s.NS),
		}
		switch {
		case g.Cut != "":
			f.Reason, f.Message = "push-then-slice", f.Message+", and "+g.Cut+" takes a part of it"
			f.Caveat = "$topN and $firstN need MongoDB 5.2"
		case stores(s.Pipeline) && !ranOut(p):
			continue
		case g.root():
			f.Reason, f.Message = "push-root", g.Operator+" gathers whole documents of a group into "+op.Path(g.Name)
		}
		size := int64(0)
		if g.Cut == "" && s.Command != "count" {
			size = largestArray(p.Op.Reply, g.Name)
		}
		reportGathered(p, &f, s, size, f.Reason != "push-all")
	}
}

// heavyStage is the first stage that holds much at a time, "" for none.
func heavyStage(pipeline []bsoncore.Document) string {
	for _, d := range pipeline {
		switch name := op.FirstKey(d); name {
		case "$group", "$sort", "$bucket", "$bucketAuto", "$sortByCount", "$setWindowFields":
			return name
		}
	}
	return ""
}

// reportOutOfMemory is for a pipeline that gathers by other means: many groups, or a
// sort of everything.
func reportOutOfMemory(p *analysis.Pass, s *op.Statement, statement int) {
	name := heavyStage(s.Pipeline)
	if name == "" {
		return
	}
	p.Report(analysis.Finding{
		Reason: "memory-error", Statement: statement, Fields: []string{}, Severity: analysis.High, Override: true, Confidence: analysis.Observed,
		Message:  "the server ran out of memory in a pipeline with " + name,
		Advice:   "The call failed, and it will fail again with every document that is added.",
		Caveat:   "the limits may have been set low on purpose",
		Fix:      analysis.Fix{Text: "Let fewer documents flow in: a $match that an index serves, and a $limit right behind the $sort. For a report, allowDiskUse: true. For a screen, keep the sums in a document and change them with each write."},
		Evidence: []analysis.Evidence{{Name: "error_code", Value: int64(p.Op.Reply.Code)}},
	})
}

// reportGathered reports what was seen often enough and is large enough; always says
// that the form alone is worth a word.
func reportGathered(p *analysis.Pass, f *analysis.Finding, s *op.Statement, size int64, always bool) {
	calls, largest := p.State().(*gatherSums).take(op.HashString(f.Reason+f.Fields[0])^s.ShapeID(), size)
	if ranOut(p) {
		f.Reason, f.Severity, f.Override, f.Confidence = "memory-error", analysis.High, true, analysis.Observed
		f.Advice = "The server refused: what is gathered did not fit. " + f.Advice
		f.Evidence = []analysis.Evidence{{Name: "error_code", Value: int64(p.Op.Reply.Code)}}
		p.Report(*f)
		return
	}
	severity, limit, large := step(p, largest, rung{"medium-bytes", analysis.Medium}, rung{"high-bytes", analysis.High})
	if calls < p.Limit("repeats") || !large && !always {
		return
	}
	f.Override, f.Severity = true, severity
	switch {
	case large:
		f.Confidence = analysis.Observed
		f.Evidence = []analysis.Evidence{{Name: "largest_array", Value: largest, Limit: limit, Unit: "bytes"}}
	case f.Reason == "push-then-slice":
		f.Severity = analysis.Medium
	default:
		f.Severity = analysis.Info
		if largest > 0 {
			f.Evidence = []analysis.Evidence{{Name: "largest_array", Value: largest, Limit: p.Limit("medium-bytes"), Unit: "bytes"}}
		}
	}
	p.Report(*f)
}
