package analyzers

import (
	"mongoadvisor/internal/analysis"
	"mongoadvisor/internal/op"
)

func regexOptionalQuantifier() *analysis.Analyzer {
	return &analysis.Analyzer{
		ID: "Q03", Name: "regex-optional-quantifier", Since: "0.1.0", Severity: analysis.Critical, Correctness: true,
		Title:    "Regular expression that loses documents when an index serves it",
		Commands: filterCommands, Run: runRegexOptionalQuantifier, Wants: op.TraitRegex,
		Reasons: []analysis.Reason{
			{Name: "optional-quantifier", Doc: "the last literal of an anchored prefix may be absent, and the server does not notice"},
		},
		Doc: analysis.Doc{
			What: "An anchored regular expression whose last prefix character may be absent in a way that the server overlooks: a quantifier with braces (`/^ab{0,1}c/`, `{0}`, `{0,}`), " +
				"or `?` and `*` after a character outside ASCII (`/^aé?b/`), after a comment (`/^ab(?#note)?c/`) or after `\\E`.",
			Why: "The server takes the optional character into the index bounds. Measured on MongoDB 6.0.5: `/^ab{0,1}c/` returned 1 document with an index on the field and 16 without; " +
				"`/^ab{0}c/` returned 0 and 15; `/^aé?b/` 1 and 8, since half of the character is taken for the prefix. The same query written `/^ab?c/` is right. The result depends on whether an index exists.",
			Fix:    "Write `?` for `{0,1}` and `*` for `{0,}`, or put the quantified part in a group: `/^a(?:b{0,1})c/`.",
			Guards: "None by count: one occurrence is enough. High instead of critical when indexes of the collection were seen being made or listed and none of them starts with the field: results are right today and wrong after somebody adds one.",
			Lesson: "Found by comparing index bounds with results on a real server.",
		},
	}
}

func runRegexOptionalQuantifier(p *analysis.Pass) {
	reason := func(*pattern) string { return "optional-quantifier" }
	grouped(patterns(p), "Q03", reason, func(f *pattern, reason string, fields []string) {
		severity, caveat := analysis.Critical, "without an index that starts with the field the result is right today, and wrong after somebody adds one"
		if indexes, known := p.Env.Indexes(f.Filter.NS); known && len(indexes) > 0 && !indexLeads(p, f.Filter.NS, f.Pred.Path) {
			severity = analysis.High
		}
		key := field(indexable(f.Path))
		fix := analysis.Fix{
			Text:    "Put the quantified part in a group, which ends the prefix before it. For ASCII letters, ? for {0,1} and * for {0,} do, too.",
			Mongosh: query(f.Call, f.Filter.NS, "{ "+key+": /^<literal>(?:<optional>)?<rest>/ }", ""),
		}
		if indexable(f.Path) == "" {
			fix.Mongosh = ""
		}
		p.Report(analysis.Finding{
			Reason: reason, Statement: f.Statement, NS: f.Filter.NS, Fields: fields,
			Severity: severity, Override: true, Caveat: caveat,
			Message: "regular expression on " + named(fields) + " has an optional last character in its prefix: with an index on the field, documents are missing from the result",
			Advice:  "The server counts the optional character into the index bounds and never looks at the documents that lack it.",
			Fix:     fix,
		})
	})
}
