package analyzers

import (
	"mongoadvisor/internal/analysis"
	"mongoadvisor/internal/op"
)

func oversizedInList() *analysis.Analyzer {
	return &analysis.Analyzer{
		ID: "Q07", Name: "oversized-in-list", Since: "0.1.0", Severity: analysis.Medium,
		Title:    "Long list of values in a filter",
		Commands: filterCommands, Run: runOversizedInList, Wants: op.TraitList, State: peakState(),
		Reasons: []analysis.Reason{
			{Name: "in", Doc: "a long `$in`"},
			{Name: "nin", Doc: "a long `$nin`, or `$in` under `$not` or `$nor`"},
			{Name: "all", Doc: "a long `$all`"},
			{Name: "or", Doc: "an `$or` of many equalities on one field, which the server turns into `$in`"},
		},
		Limits: []analysis.Limit{
			{Name: "info-values", Default: 200, Unit: "values", Doc: "length from which a list is reported, as info"},
			{Name: "medium-values", Default: 1000, Unit: "values", Doc: "length from which it is medium"},
			{Name: "high-values", Default: 10_000, Unit: "values", Doc: "length from which it is high"},
			{Name: "id-values", Default: 1000, Unit: "values", Doc: "length up to which a list of `_id` is not reported: loading a batch by key is the cure for one query per row"},
		},
		Doc: analysis.Doc{
			What: "The length of `$in`, `$nin` and `$all` lists, and of `$or` with equalities on the same field, wherever a filter can stand. One field and operator of a collection is one finding, however the length varies.",
			Why: "Each value is a seek of its own, and the list is sent, parsed, sorted and kept with the plan at each call. Measured on MongoDB 6.0.5: with an index on `{grp: 1, at: 1}`, `{grp: {$in: [200 values]}}` sorted by `at` " +
				"merged 200 ranges in order and read 219 keys for the first 20 documents; with 201 values the order of the index is given up, and the same query read 2,011 keys and sorted them, with 1,000 values 10,001.",
			Fix: "Ask where the list comes from. From a query before: join there, by `$lookup` with `localField` (an array will do), and send no list. From a growing set such as \"seen\" or \"allowed\": store the membership on the documents or as edges, and query by it. " +
				"Else send it in chunks of a hundred: the sum is not faster (5,000 values took 4 ms at once, 21 ms in 50 chunks), but each part keeps its order, its size and its time bounded.",
			Guards: "Silent below 200 values. Silent for a list of `_id` up to 1,000 values, which is how a batch is loaded by key. Silent for filters after stages that compute documents, where no index is sought. Wrong here for a batch job that runs seldom.",
			Lesson: "Data that is accessed together; the manual's page on `$in` (tens of values, not hundreds).",
		},
	}
}

func runOversizedInList(p *analysis.Pass) {
	statements := p.Op.Statements()
	for i := range statements {
		s := &statements[i]
		for f := range s.Filters() {
			if !f.Stored {
				continue
			}
			for l := range lists(f) {
				reportList(p, s, i, f, l)
			}
		}
	}
}

func reportList(p *analysis.Pass, s *op.Statement, statement int, f op.Filter, l list) {
	n := int64(l.Length)
	severity, limit, long := step(p, n, rung{"info-values", analysis.Info}, rung{"medium-values", analysis.Medium}, rung{"high-values", analysis.High})
	if !long {
		return
	}
	if l.Path == "_id" && n <= p.Limit("id-values") {
		return
	}
	shape := l.shape()
	p.Report(analysis.Finding{
		Reason: l.Kind, Statement: statement, NS: f.NS, Shape: shape, Fields: []string{l.Path},
		Severity: severity, Override: true,
		Message: listWords[l.Kind] + l.Path,
		Advice:  "Each value is a seek of its own, the whole list is parsed and planned at each call, and beyond 200 values an index no longer gives the order.",
		Caveat:  "a batch job that runs seldom may send long lists",
		Fix:     listFix(call(s), f.NS, l),
		Evidence: []analysis.Evidence{
			{Name: "values", Value: n, Limit: limit, Unit: "values"},
			{Name: "longest_list", Value: p.State().(*peaks).raise(shape, n), Unit: "values"},
			{Name: "request", Value: int64(p.Op.Bytes), Unit: "bytes"},
		},
	})
}

// listWords begin the sentence that the field ends.
var listWords = map[string]string{
	"in":  "long $in list on ",
	"nin": "long list of excluded values on ",
	"all": "long $all list on ",
	"or":  "$or of many equalities on ",
}

func listFix(with method, ns op.Namespace, l list) analysis.Fix {
	path := indexable(l.Path)
	one := func(operator, values string) string {
		return query(with, ns, "{ "+field(path)+": { "+operator+": ["+values+"] } }", "")
	}
	fix := analysis.Fix{
		Text:    "If the list comes from a query before, join there by $lookup with localField and send no list. If it is a set that grows, store the membership on the documents and query by it. Else send it in chunks.",
		Mongosh: one("$in", "<at most 100 of the values>"),
	}
	switch l.Kind {
	case "nin":
		fix.Text = "Store on each document, or as edges in a collection of their own, what the list is kept for (seen, hidden, done), and query by that; or list the values that are wanted, in chunks."
		fix.Mongosh = one("$in", "<at most 100 of the values that are wanted>")
	case "all":
		fix.Text = "A document that has to have hundreds of values at once is better found by one value that stands for the set: store that value. Or ask for the rarest few and compare the rest in the application."
		fix.Mongosh = one("$all", "<the rarest few of the values>")
	}
	if path == "" {
		fix.Mongosh = ""
	}
	return fix
}
