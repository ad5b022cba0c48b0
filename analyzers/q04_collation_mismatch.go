package analyzers

import (
	"strings"

	"mongoadvisor/internal/analysis"
	"mongoadvisor/internal/op"
	"mongoadvisor/internal/regex"
)

func collationMismatch() *analysis.Analyzer {
	return &analysis.Analyzer{
		ID: "Q04", Name: "collation-mismatch", Since: "0.1.0", Severity: analysis.High,
		Title:    "Query and index compare strings in different ways",
		Commands: filterCommands, Run: runCollationMismatch,
		Reasons: []analysis.Reason{
			{Name: "regex-ignores-collation", Doc: "the query has a collation, and a regular expression, which ignores it"},
			{Name: "index-collation", Doc: "a string is compared under one collation, and all indexes on the field have another"},
		},
		Doc: analysis.Doc{
			What: "A command with a collation other than the simple one whose filter matches a string field by a regular expression. And a command that compares a field with a string under a collation, or under none, where every index that begins with the field has a different one. The collection's own collation is the one of its index on `_id`.",
			Why: "`$regex` ignores collations: with strength 2, `/^ABA/` still found nothing that was written in lower case. And a collation index cannot serve a regular expression: " +
				"MongoDB 6.0.5 read all 10,141 keys and fetched all 10,141 documents, which is worse than a collection scan; later versions skip such an index. " +
				"An index serves a string only under the very collation it was made with: one for `en` of strength 2 served neither `en_US` of strength 2 nor `en` of strength 2 with `numericOrdering`, and the collection was scanned.",
			Fix:    "Replace the regular expression: an equality for a whole value, a range for a beginning, both under the collation and with an index that has the same one. Where query and index differ, state the index's collation in the query, or make an index with the query's.",
			Guards: "Silent when an equality or range on the same field gives the bounds and the regular expression only filters, and for expressions without a collation. `index-collation` speaks only where the reply to a `listIndexes` was seen, and not of numbers, dates and ids, which no collation concerns, nor where another condition has its index. Medium for an anchored expression under a collation that compares with case: nothing is missed then.",
			Lesson: "Schema anti-patterns and tree structures: the query must use the same collation as the index.",
		},
	}
}

func runCollationMismatch(p *analysis.Pass) {
	judgeIndexCollations(p)
	if p.Op.Traits()&op.TraitRegex == 0 {
		return
	}
	reason := func(*pattern) string { return "regex-ignores-collation" }
	grouped(patterns(p), "Q04", reason, func(f *pattern, reason string, fields []string) {
		severity := analysis.High
		if f.Class.Reason == regex.OK && !caseless(f.Filter.Collation) {
			severity = analysis.Medium // nothing is missed, and an index without a collation gives it bounds
		}
		p.Report(analysis.Finding{
			Severity: severity, Override: true,
			Reason: reason, Statement: f.Statement, NS: f.Filter.NS, Fields: fields,
			Message: "regular expression on " + named(fields) + " under a collation: regular expressions ignore collations",
			Advice:  "The collation changes nothing for this condition, and an index with that collation cannot serve it.",
			Caveat:  "the collation may be there for the sort only; then give the filter an index without a collation",
			Fix:     collationFix(f),
		})
	})
}

func collationFix(f *pattern) analysis.Fix {
	path := indexable(f.Path)
	fix := analysis.Fix{Text: "Replace the regular expression by what the collation does compare: an equality for a whole value, a range for a beginning. Index the field with the whole collation of the query."}
	if path == "" {
		return fix
	}
	key, same := field(path), collationLiteral(f.Filter.Collation)
	filter := "{ " + key + ": \"<value>\" }"
	if f.Class.Form != regex.Exact {
		filter = "{ " + key + ": { $gte: \"<prefix>\", $lt: \"<prefix>\\uffff\" } }"
	}
	fix.Mongosh = coll(f.Filter.NS) + ".createIndex({ " + key + ": 1 }, { collation: " + same + ", name: " + quote(path+"_collated") + " })\n" +
		query(f.Call, f.Filter.NS, filter, same)
	return fix
}

// caseless reports whether a collation compares without case: who sets it
// beside a regular expression expects that of the expression, too.
func caseless(doc []byte) bool {
	text := op.CollationText(doc)
	return strings.Contains(text, "strength=1") || strings.Contains(text, "strength=2")
}

// collationLiteral writes the query's own collation: an index must repeat all of it.
func collationLiteral(doc []byte) string { return textLiteral(op.CollationText(doc)) }
