package analyzers

import (
	"strings"
	"time"

	"mongoadvisor/internal/analysis"
	"mongoadvisor/internal/op"
)

func errorStorm() *analysis.Analyzer {
	return &analysis.Analyzer{
		ID: "O04", Name: "error-storm", Since: "0.2.0", Severity: analysis.Medium, Needs: op.HasReply, Failed: true,
		Title:    "The same error again and again",
		Commands: append([]string{"insert", "getMore", "saslStart", "saslContinue", "authenticate", op.OtherCommand}, filterCommands...), Run: runErrorStorm,
		State:   &analysis.StateSpec{Scope: analysis.ScopeGlobal, New: func() any { return newStorms() }},
		Reasons: stormReasons(),
		Limits: []analysis.Limit{
			{Name: "errors", Default: 10, Unit: "errors a minute", Doc: "errors of one code, collection and shape from which they are reported"},
			{Name: "many-errors", Default: 100, Unit: "errors a minute", Doc: "errors from which they are one step more severe"},
			{Name: "duplicates", Default: 60, Unit: "errors a minute", Doc: "the same for duplicate keys and for codes without a reason of their own, which applications use to be told"},
			{Name: "many-duplicates", Default: 600, Unit: "errors a minute", Doc: "those from which they are one step more severe"},
			{Name: "percent", Default: 1, Unit: "%", Doc: "share of errors in the operations on the collection, since they began, below which they are normal use"},
		},
		Doc: analysis.Doc{
			What: "Errors in replies, also those of single statements (`writeErrors`), added up by code, collection and shape. Each beyond the limit counts while the storm lasts; a call with several errors is one.",
			Why: "An error costs its call the same as a result and gives nothing; what retries it at once keeps the storm alive. Many of these codes are the first sign of something larger: a sort that no longer fits into memory, a deadline that a growing collection has reached, a role that was taken away. " +
				"Texts of errors can carry values and are neither kept nor shown.",
			Fix:    "By code, see the finding. In general: retry after a pause that grows, a few times, and only what can succeed the next time.",
			Guards: "Silent below the limits, and while less than one in a hundred operations on the collection fails. Duplicate keys need a storm: they are how uniqueness is checked. Sizes of documents (10334, 17419, 17420) are S03's. Conflicts in transactions are O03's, pipelines and distincts that did not fit A07's. Not looked at: errors of commands that drivers and tools try to learn about the server, and of creating or dropping collections and indexes.",
			Lesson: "Errors are what a watch over traffic is for; the manual's list of error codes.",
		},
	}
}

func runErrorStorm(p *analysis.Pass) {
	o := p.Op
	code := o.Reply.Code
	if code == 0 || owned(o, code) {
		return
	}
	kind := stormOf(code)
	key, shape := stormPlace(o)
	key.code = code
	s := p.State().(*recent[stormKey, *storm]).at(key)
	operations := operationsOn(p, key.ns)
	n := s.rate.Add(p.Now, 1)
	if n == 1 {
		s.errors, s.others, s.began = 0, operations, p.Now
	}
	s.errors++
	low, high := rung{"errors", kind.severity}, rung{"many-errors", kind.severity + 1}
	if kind.usual {
		low.limit, high.limit = "duplicates", "many-duplicates"
	}
	severity, limit, much := step(p, n, low, high)
	percent := s.errors * 100 / max(s.errors, operations-s.others)
	if !much || percent < p.Limit("percent") {
		return
	}
	p.Report(analysis.Finding{
		Reason: kind.reason, NS: key.ns, Shape: shape, Fields: []string{},
		Severity: severity, Override: true, Confidence: analysis.Observed,
		Message: kind.message + " (code " + codeText(o.Reply) + "), again and again",
		Advice:  kind.advice, Caveat: kind.caveat,
		Fix: analysis.Fix{Text: kind.fix, Mongosh: strings.ReplaceAll(kind.mongosh, "<coll>", coll(key.ns))},
		Evidence: []analysis.Evidence{
			{Name: "errors_last_minute", Value: n, Limit: limit, Unit: "errors"},
			{Name: "errors_since_it_began", Value: s.errors, Unit: "errors"},
			{Name: "began_before", Value: int64(p.Now.Sub(s.began) / time.Second), Unit: "seconds"},
			{Name: "share", Value: percent, Limit: p.Limit("percent"), Unit: "%"},
		},
	})
}
