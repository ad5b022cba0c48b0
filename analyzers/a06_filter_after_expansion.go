package analyzers

import (
	"slices"
	"strings"

	"go.mongodb.org/mongo-driver/v2/x/bsonx/bsoncore"

	"mongoadvisor/internal/analysis"
	"mongoadvisor/internal/op"
)

func filterAfterExpansion() *analysis.Analyzer {
	return &analysis.Analyzer{
		ID: "A06", Name: "filter-after-expansion", Since: "0.2.0", Severity: analysis.Medium, MinCount: 3,
		Title:    "Documents are expanded first and thrown away afterwards",
		Commands: []string{"aggregate", "find", "count", "distinct"}, Run: runFilterAfterExpansion,
		Reasons: []analysis.Reason{
			{Name: "match-after-facet", Doc: "each branch of a `$facet` begins with the same `$match`"},
			{Name: "match-after-unwind", Doc: "a `$match` on the elements of an array comes after its `$unwind`, and none on the array before"},
			{Name: "match-after-window", Doc: "a `$match` on the field of partitionBy comes after `$setWindowFields`"},
			{Name: "match-after-replace", Doc: "a `$match` on the document's own fields comes after it was merged into a new one"},
			{Name: "limit-after-lookup", Doc: "`$sort` by stored fields and `$limit` come after a join of all documents"},
			{Name: "project-first", Doc: "`$sort` by stored fields and `$limit` come after `$project` or `$set`, which keeps the `$sort` from an index"},
			{Name: "unwind-then-group", Doc: "an array is taken apart and put together again by `_id`, where an expression over the array would do"},
		},
		Doc: analysis.Doc{
			What: "Stages that come later in a pipeline than they could, as far as the server does not move them by itself; in aggregations, in `$unionWith` and in views.",
			Why: "Every document goes through the expensive stage, and most are thrown away behind it. " + figuresOrder +
				" Not reported, because MongoDB 6.0.5 moves it by itself (measured): `$match` behind `$project`, `$set`, `$unset`, `$unwind`, `$lookup`, `$graphLookup`, `$unionWith`, `$sort` or, on the group's key, `$group`; `$sort` and `$limit` behind `$lookup`; `$limit` behind `$project` or `$set`.",
			Fix: "Filter first, then sort and limit, then join and compute. What is said about an element after `$unwind` can be asked of the array before it, too.",
			Guards: "Not before the third call, whatever the profile; silent when a selective `$match` stands in front already, for conditions on computed or joined fields, behind `$limit` or `$sample`, inside of a `$lookup`, for pipelines that store their result, and for applications that say they report. " +
				"Wrong here when the collection is small. Beside `unwind-then-group`, documents without elements appear, which `$unwind` leaves out.",
			Lesson: "Read patterns: match, then look up; the manual's page on pipeline optimization.",
		},
	}
}

// figuresOrder was measured by TestServerOrder's pipelines.
const figuresOrder = "Measured on MongoDB 6.0.5 with 5,000 documents: `$lookup`, `$unwind`, `$sort`, `$limit` 5 joined 5,000 times, and 5 times with the `$sort` in front; `$set`, `$sort`, `$limit` 5 read 5,000 documents, and 5 in the other order."

func runFilterAfterExpansion(p *analysis.Pass) {
	if reporting(p.Op.Conn) {
		return
	}
	statements := p.Op.Statements()
	for i := range statements {
		s := &statements[i]
		if len(s.Pipeline) == 0 || stores(s.Pipeline) {
			continue
		}
		judgePipeline(p, i, s.NS, s.Pipeline, op.Shape{})
		for _, d := range s.Pipeline {
			spec := op.Doc(op.Get(d, "$unionWith"))
			if inner := op.Docs(op.Get(spec, "pipeline")); len(inner) > 0 {
				judgePipeline(p, i, op.Namespace{DB: s.NS.DB, Coll: op.Str(op.Get(spec, "coll"))}, inner, op.ShapeOf("$unionWith", op.Get(d, "$unionWith")))
			}
		}
	}
}

func judgePipeline(p *analysis.Pass, statement int, ns op.Namespace, pipeline []bsoncore.Document, shape op.Shape) {
	for _, m := range misplacements(pipeline) {
		f := analysis.Finding{
			Reason: m.Reason, Statement: statement, NS: ns, Shape: shape, Fields: m.Fields,
			Message: m.Late + " comes after " + m.After + ", and could come before it: " + strings.Join(m.Fields, ", "),
			Advice:  adviceOrder[m.Reason],
			Caveat:  "the collection may be so small that it does not matter",
			Fix:     orderFix(&m, ns, pipeline),
		}
		switch m.Reason {
		case "unwind-then-group":
			f.Severity, f.Override = analysis.Low, true
			f.Message = "the elements of " + strings.Join(m.Fields, ", ") + " are taken apart and grouped by _id again"
			f.Caveat = "$unwind leaves out documents whose array is empty or missing, $project keeps them"
		case "match-after-replace":
			f.Caveat = "a document that lacks the field may have got it from what it was merged with"
		}
		p.Report(f)
	}
}

// adviceOrder says what each reason costs.
var adviceOrder = map[string]string{
	"match-after-facet":   "No stage in a $facet can use an index: the whole collection flows into each branch, and is filtered there.",
	"match-after-unwind":  "All arrays are taken apart, and no index helps to find the elements that are wanted.",
	"match-after-window":  "The windows of all partitions are computed, for one of them.",
	"match-after-replace": "All documents are made new before one condition is looked at, and no index serves it.",
	"limit-after-lookup":  "Every document is joined, and all but a few are thrown away.",
	"project-first":       "The $sort cannot use an index behind this stage: all documents are read, and sorted in memory.",
	"unwind-then-group":   "One document for each element is made, and they are sorted into groups that were there before.",
}

func orderFix(m *misplaced, ns op.Namespace, pipeline []bsoncore.Document) analysis.Fix {
	fix := analysis.Fix{Text: "Move the " + m.Late + " in front of the " + m.After + "."}
	keys := m.Fields
	switch m.Reason {
	case "match-after-unwind":
		fix.Text = "Ask the array for such elements before it is taken apart, and keep the $match behind."
	case "match-after-window", "match-after-facet":
		fix.Text = "Put the condition in front of the " + m.After + "."
	case "unwind-then-group":
		fix.Text = "Compute it from the array, in the document."
		keys = nil
	case "limit-after-lookup", "project-first":
		fix.Text = "Sort and limit first, by an index, and join or compute for what is left."
		switch {
		case m.Limited:
		case m.Reason == "project-first":
			fix.Text = "Sort first, by an index, and compute for what is left."
		default:
			fix.Text = "Sort first, by an index: then only as many are joined as the $limit takes. If each has one match, put the $limit in front, too: then no more are read."
		}
	}
	index := ""
	if m.Order != nil {
		index = sortIndex(pipeline[:leadingMatches(pipeline)], m.Order)
	} else if len(keys) > 0 && indexable(keys[0]) != "" {
		index = field(indexable(keys[0])) + ": 1"
	}
	if index != "" && index != "_id: 1" && index != "_id: -1" {
		fix.Mongosh = coll(ns) + ".createIndex({ " + index + " })\n"
	}
	fix.Mongosh += coll(ns) + ".aggregate(" + m.Better + ")"
	return fix
}

// sortIndex is the index for an order: behind the fields compared by equality.
func sortIndex(lead []bsoncore.Document, order bsoncore.Document) string {
	var keys, seen []string
	for _, d := range lead {
		for pred := range (op.Filter{Doc: op.Doc(op.Get(d, "$match"))}).Predicates() {
			path := indexable(op.Path(pred.Path))
			if pred.Op == "$eq" && !pred.Or && !pred.Negated && path != "" && !slices.Contains(seen, path) && len(keys) < maxSortKeys {
				keys, seen = append(keys, field(path)+": 1"), append(seen, path)
			}
		}
	}
	text := sortText(order)
	if text == "" {
		return ""
	}
	for path := range op.Fields(order) {
		if slices.Contains(seen, indexable(op.Path(path))) {
			return ""
		}
	}
	return strings.Join(append(keys, strings.Trim(text, "{} ")), ", ")
}
