package analyzers

import (
	"mongoadvisor/internal/analysis"
	"mongoadvisor/internal/op"
)

func fieldTypeDrift() *analysis.Analyzer {
	return &analysis.Analyzer{
		ID: "S08", Name: "field-type-drift", Since: "0.2.0", Severity: analysis.High, Correctness: true,
		Needs:    op.HasEvery,
		Title:    "Field whose values have two types that never compare equal",
		Commands: append([]string{"insert", "drop", "dropDatabase"}, filterCommands...), Run: runFieldTypeDrift,
		Reasons: []analysis.Reason{
			{Name: "silent-no-match", Doc: "a query compares the field with the type that is not stored, and finds nothing"},
			{Name: "mixed-types", Doc: "documents of one collection hold the field with both types"},
		},
		Limits: []analysis.Limit{
			{Name: "mixed-values", Default: 3, Unit: "values", Doc: "values of each of the two types that must be seen before a field counts as mixed"},
		},
		State: &analysis.StateSpec{Scope: analysis.ScopeGlobal, New: func() any { return newDrifts() }},
		Doc: analysis.Doc{
			What: "One field of one collection with two types that look alike: a string of 24 hexadecimal digits and an ObjectId, a number and a string that holds a number, a date and a string that begins like one. " +
				"Stored types are those of inserted, replaced and `$set` values and of returned documents; a query is judged by the type it compares with (equality, `$in`, ranges).",
			Why: "The server compares within a type. Measured on MongoDB 6.0.5: with an ObjectId stored, the equal hexadecimal string matched 0 documents; with the number 42 stored, `\"42\"` matched 0, and `{$gt: \"5\"}` matched 0; with a date stored, its ISO string matched 0, with `$gte` as well; and the other way round. " +
				"int, long, double and decimal are one type here: 42 of each found the others. There is no error: the answer is empty, or short of the documents of the other type.",
			Fix: "Cast at the caller, where the value comes in from a URL or a form. Convert what is stored with a pipeline update. A `$jsonSchema` validator keeps the other type out.",
			Guards: "`silent-no-match` needs an empty answer, stored values of the other type, and no stored value of the query's type. Silent when the filter names both types of the field (`$in`, `$or`), asks for its `$type` or `$exists`, or negates the condition; inside of `$lookup` and `$facet`, where an empty answer is not seen; behind a `skip`. " +
				"`mixed-types` is silent for numbers and dates where other strings are stored as well (free text), and info when a schema version differs with the type. Both are silent for numbers and dates in fields named `value`, `data`, `payload`, `before` and the like, which hold values of any type by design. Null and missing fields have no type here. What was seen of a collection is forgotten when it is dropped or emptied. Silent for an hour after operations were left out under load: the other type may have been among them. Wrong here for a field that is declared to hold both.",
			Lesson: "Schema versioning and polymorphic patterns; the manual's page on comparison and sort order.",
		},
	}
}

func runFieldTypeDrift(p *analysis.Pass) {
	if p.Op.Reply.Seen && !p.Op.Reply.OK {
		return
	}
	known := p.State().(*drifts)
	known.stretch.broken(p)
	quiet := known.stretch.gaps(p.Now) // a value of the other type, or the end of all, may have been left out
	known.collections.dropped(p.Op)
	statements := p.Op.Statements()
	for i := range statements {
		s := &statements[i]
		if s.Command == "insert" && i >= maxTypedDocs {
			return
		}
		if s.Command == "delete" && s.Multi && everything(s.Filter) {
			known.collections.forget(s.NS)
		}
		known.store(p.Op, s, p.Limit("mixed-values"), func(path string, t *pathTypes) {
			if !quiet {
				reportMixed(p, i, op.Path(path), t)
			}
		})
		if quiet || p.Op.Cut || !foundNothing(p.Op, s) {
			continue
		}
		for _, c := range comparisons(s) {
			if t := known.collections.known(c.NS); t != nil {
				reportNoMatch(p, i, c, t.byPath[c.hash()])
			}
		}
	}
}

// reportNoMatch judges one field of a query that found nothing.
func reportNoMatch(p *analysis.Pass, statement int, c comparison, t *pathTypes) {
	if t == nil || !t.never(c.Kind) {
		return
	}
	t.empty[c.Kind]++
	path, stored := op.Path(c.Path), c.Kind.other()
	if !judged(path, c.Kind) {
		return
	}
	f := analysis.Finding{
		Reason: "silent-no-match", Statement: statement, NS: c.NS, Fields: []string{path}, Confidence: analysis.Observed,
		Shape:   op.TextShape("{" + path + ": " + c.Kind.String() + "}"),
		Message: path + " is compared with " + c.Kind.words() + ", but stored as " + stored.words() + ": nothing matches",
		Advice:  "Values of different types are never equal to the server. There is no error, the answer is only empty.",
		Caveat:  "documents that were not seen may hold the other type",
		Fix:     driftFix(c.NS, path, stored, t.inArray, false),
		Evidence: []analysis.Evidence{
			{Name: "stored_as_" + stored.label(), Value: int64(t.stored[stored]), Unit: "values seen"},
			{Name: "stored_as_" + c.Kind.label(), Value: int64(t.stored[c.Kind]), Unit: "values seen"},
			{Name: "queries_without_a_match", Value: int64(t.empty[c.Kind]), Unit: "queries"},
		},
	}
	p.Report(f)
}

// judged reports whether a path can be named and is not meant for values of any
// type. References are of one type even there.
func judged(path string, k typeKind) bool {
	return indexable(path) != "" && (!anyValue(path) || k == kindID || k == kindIDText)
}

// reportMixed judges a field whose stored values were just added to.
func reportMixed(p *analysis.Pass, statement int, path string, t *pathTypes) {
	a, b, mixed := t.mixed(p.Limit("mixed-values"))
	if !mixed || !judged(path, a) {
		return
	}
	ns := p.Op.Statements()[statement].NS
	keep := a // the typed form, unless nearly all are texts
	if t.stored[a]*10 < t.stored[b] {
		keep = b
	}
	f := analysis.Finding{
		Reason: "mixed-types", Statement: statement, NS: ns, Fields: []string{path}, Confidence: analysis.Observed,
		Severity: analysis.Medium, Override: true,
		Shape:   op.TextShape("{" + path + ": " + a.String() + " | " + b.String() + "}"),
		Message: path + " is stored as " + a.words() + " and as " + b.words(),
		Advice:  "A query or a sort sees one of the two only, or the two apart: no value of one type equals one of the other.",
		Caveat:  "the field may be declared to hold both, with readers who ask for both",
		Fix:     driftFix(ns, path, keep, t.inArray, true),
		Evidence: []analysis.Evidence{
			{Name: "stored_as_" + a.label(), Value: int64(t.stored[a]), Limit: p.Limit("mixed-values"), Unit: "values seen"},
			{Name: "stored_as_" + b.label(), Value: int64(t.stored[b]), Limit: p.Limit("mixed-values"), Unit: "values seen"},
		},
	}
	if t.versioned(a, b) {
		f.Severity = analysis.Info
		f.Advice = "A schema version differs with the type, so readers can tell the two shapes. Until the old documents are converted, queries have to ask for both."
	}
	p.Report(f)
}
