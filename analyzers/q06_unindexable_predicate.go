package analyzers

import (
	"strings"

	"mongoadvisor/internal/analysis"
	"mongoadvisor/internal/op"
)

func unindexablePredicate() *analysis.Analyzer {
	return &analysis.Analyzer{
		ID: "Q06", Name: "unindexable-predicate", Since: "0.1.0", Severity: analysis.Medium,
		Title:    "Condition that no index can serve",
		Commands: filterCommands, Run: runUnindexablePredicate, Wants: op.TraitComputed | op.TraitRegex,
		Reasons: []analysis.Reason{
			{Name: exprFunction, Doc: "`$expr` computes something out of a field (`$toLower`, `$regexMatch`, `$year`, `$size`, `$in` …)"},
			{Name: exprFields, Doc: "`$expr` compares two fields of a document"},
			{Name: exprWhere, Doc: "`$where` runs JavaScript for each document"},
			{Name: exprJS, Doc: "`$function` or `$accumulator` runs JavaScript for each document"},
			{Name: mapReduceJS, Doc: "`mapReduce` runs JavaScript for each document"},
			{Name: remainderOnly, Doc: "`$mod` alone reads every key of the index"},
			{Name: sizeOnly, Doc: "`$size` alone reads the whole collection"},
		},
		Doc: analysis.Doc{
			What: "A filter whose conditions are all of a kind that has no index range: `$expr` around a function of a field or between two fields, `$where`, `$function`, `$mod`, `$size`; and JavaScript in any stage, also beside other conditions.",
			Why: "An index is sorted by what is stored, not by what is computed from it. Measured on MongoDB 6.0.5 over 20,000 documents with an index on each field: " +
				"`$toLower`, `$year`, `$in` and `$regexMatch` in `$expr`, and the comparison of two fields, looked at all 20,000; so did `$size`; `$mod` read 20,000 keys for 20 documents. " +
				"`$regexMatch` scans even with an anchored expression, and fails on the first value that is no string. " +
				"A plain scan took 9 ms, one with `$toLower` 14 ms, with `$function` 60 to 95 ms, with `$where` 1.4 to 1.8 s. Server-side JavaScript is deprecated since 8.0.",
			Fix: "Write a plain condition where one exists: a range for `$year`, an anchored regular expression for `$regexMatch`, `$in` for `$in`. Else store what is computed when writing, and index that. " +
				"For a comparison without case use a collation of strength 2 or a lower-cased copy of the field; a regular expression with option i instead of `$toLower` scans just as much (Q02).",
			Guards: "Silent for `$expr` that compares a field with a constant or a variable (`$eq`, `$gt`, …): it uses an index, unless that is multikey. Silent for `$jsonSchema`; when a selective condition stands beside it, before it in the pipeline, or through the key of a `$lookup`; " +
				"for filters after stages that compute documents; when a regular expression in the same filter is reported. JavaScript is reported beside selective conditions as well, one step lower. " +
				"Wrong here for a question that is asked seldom, or a collection that is and stays small.",
			Lesson: "The manual's pages on `$expr`, `$where` and indexes; computed pattern.",
		},
	}
}

func runUnindexablePredicate(p *analysis.Pass) {
	if p.Op.Command == "mapReduce" {
		reportMapReduce(p)
		return
	}
	statements := p.Op.Statements()
	for i := range statements {
		s := &statements[i]
		judged := 0
		for f := range s.Filters() {
			if u, ok := findUnindexable(f); ok && judged < maxPatterns {
				judged++
				judgeUnindexable(p, s, i, f, u)
			}
		}
		for st := range s.Stages() {
			if codeStage(st) {
				p.Report(codeFinding(i, st.NS, "$function or $accumulator in "+st.Name))
			}
		}
	}
}

// codeStage reports whether a stage runs JavaScript. Filters and the stages of
// nested pipelines are judged on their own.
func codeStage(st op.Stage) bool {
	switch st.Name {
	case "$match", "$facet", "$lookup", "$unionWith", "$rankFusion", "$scoreFusion":
		return false
	}
	return runsCode(st.Value)
}

func judgeUnindexable(p *analysis.Pass, s *op.Statement, statement int, f op.Filter, u unindexable) {
	few := p.Op.Cut || !f.Stored || narrowed(s, f)
	if u.javascript() {
		finding := codeFinding(statement, f.NS, "$function in a condition")
		if u.Reason == exprWhere {
			finding = whereFinding(call(s), statement, f.NS)
		}
		if !few {
			finding.Severity, finding.Override = analysis.High, true
			finding.Caveat = "a question that is asked seldom"
		}
		p.Report(finding)
		return
	}
	if few || hasPositiveRegex(f) {
		return
	}
	switch u.Reason {
	case exprFields:
		p.Report(fieldsFinding(call(s), statement, f.NS, u.Expr))
	case remainderOnly, sizeOnly:
		p.Report(plainFinding(call(s), statement, f.NS, u))
	default:
		p.Report(functionFinding(call(s), statement, f, u.Expr))
	}
}

func codeFinding(statement int, ns op.Namespace, what string) analysis.Finding {
	return analysis.Finding{
		Reason: exprJS, Statement: statement, NS: ns, Fields: []string{},
		Message: what + " runs JavaScript for each document",
		Advice:  "Each document is handed over to the JavaScript engine and back, no index helps, and server-side JavaScript is deprecated since 8.0.",
		Caveat:  "an index on another condition leaves few documents to run it for",
		Fix:     analysis.Fix{Text: "Say it with the built-in operators ($map, $reduce, $switch, $regexFind, $dateTrunc, …), or compute it in the application when writing and store the result."},
	}
}

func whereFinding(with method, statement int, ns op.Namespace) analysis.Finding {
	return analysis.Finding{
		Reason: exprWhere, Statement: statement, NS: ns, Fields: []string{},
		Message: "$where runs JavaScript for each document",
		Advice:  "Each document is turned into a JavaScript object first: a hundred times the cost of a scan when it was measured. No index helps, and server-side JavaScript is deprecated since 8.0.",
		Caveat:  "an index on another condition leaves few documents to run it for",
		Fix: analysis.Fix{
			Text:    "Say it with query operators; with $expr what they cannot say, beside a condition that an index serves; or store what the code computes when writing, and index that.",
			Mongosh: coll(ns) + ".createIndex({ <field>: 1 })\n" + query(with, ns, "{ <field>: <value> }", ""),
		},
	}
}

func reportMapReduce(p *analysis.Pass) {
	p.Report(analysis.Finding{
		Reason: mapReduceJS, Fields: []string{}, NS: p.Op.NS,
		Message: "mapReduce runs JavaScript for each document",
		Advice:  "An aggregation does the same with built-in operators and without the JavaScript engine; mapReduce is deprecated since 5.0.",
		Caveat:  "a report that runs seldom",
		Fix: analysis.Fix{
			Text:    "Write it as an aggregation: $match for the query, $group for what map emits and reduce adds up, $merge for out.",
			Mongosh: coll(p.Op.NS) + ".aggregate([{ $match: <query> }, { $group: { _id: \"$<key>\", value: { $sum: \"$<value>\" } } }])",
		},
	})
}

func fieldsFinding(with method, statement int, ns op.Namespace, e expression) analysis.Finding {
	f := analysis.Finding{
		Reason: exprFields, Statement: statement, NS: ns, Fields: e.Paths,
		Message: "$expr compares " + strings.Join(e.Paths, " with ") + ": every document is looked at",
		Advice:  "An index orders documents by one field and knows nothing of how it relates to another one.",
		Caveat:  "a question that is asked seldom, or a collection that is and stays small",
		Fix:     analysis.Fix{Text: "Store the outcome of the comparison when one of the fields is written, and index that; or put a condition that an index serves beside it."},
	}
	left, right := indexable(e.Paths[0]), indexable(e.Paths[1])
	if left == "" || right == "" {
		return f
	}
	flag := left + title(strings.TrimPrefix(e.Operator, "$")) + title(last(right))
	f.Fix.Mongosh = storeLines(with, ns, flag, "{ "+e.Operator+": ["+quote("$"+left)+", "+quote("$"+right)+"] }", "true")
	return f
}

func plainFinding(with method, statement int, ns op.Namespace, u unindexable) analysis.Finding {
	path := indexable(u.Path)
	f := analysis.Finding{
		Reason: u.Reason, Statement: statement, NS: ns, Fields: []string{u.Path}, Severity: analysis.Low, Override: true,
		Message: "$size on " + u.Path + " is the only condition: every document is looked at",
		Advice:  "No index knows how long an array is.",
		Caveat:  "a question that is asked seldom, or a collection that is and stays small",
		Fix:     analysis.Fix{Text: "Keep the number of elements in a field of its own, count it with $inc beside $push and $pull, and index it."},
	}
	name, expression, value := path+"Count", "{ $size: { $ifNull: ["+quote("$"+path)+", []] } }", "<n>"
	if u.Reason == remainderOnly {
		f.Message = "$mod on " + u.Path + " is the only condition: every key of the index is read"
		f.Advice = "Equal remainders are spread over the whole index."
		f.Fix.Text = "Store the remainder when writing, and index that; or put a condition that an index serves beside it."
		name, expression, value = path+"Mod", "{ $mod: ["+quote("$"+path)+", <divisor>] }", "<remainder>"
	}
	if path != "" {
		f.Fix.Mongosh = storeLines(with, ns, name, expression, value)
	}
	return f
}

// functionFinding speaks of an operator around a field.
func functionFinding(with method, statement int, filter op.Filter, e expression) analysis.Finding {
	on := "a field"
	if len(e.Paths) > 0 {
		on = strings.Join(e.Paths, ", ")
	}
	name := op.Path(e.Operator)
	f := analysis.Finding{
		Reason: exprFunction, Statement: statement, NS: filter.NS, Fields: e.Paths,
		Message: "$expr computes " + name + " of " + on + ": every document is looked at",
		Advice:  "An index is sorted by what is stored, not by what an expression makes of it.",
		Caveat:  "a question that is asked seldom, or a collection that is and stays small",
	}
	path := ""
	if len(e.Paths) > 0 {
		path = indexable(e.Paths[0])
	}
	f.Fix = functionFix(with, filter, e, path)
	if regexOperators[e.Operator] {
		f.Message = name + " on " + on + " in $expr: every document is looked at, even if the expression is anchored"
		f.Advice = "As an expression it never uses an index, and the whole query fails on the first document whose value is no string. As a plain condition it skips such documents, and an anchored one is a range of the index."
	}
	return f
}

var regexOperators = map[string]bool{"$regexMatch": true, "$regexFind": true, "$regexFindAll": true}
