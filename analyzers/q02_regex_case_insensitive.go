package analyzers

import (
	"mongoadvisor/internal/analysis"
	"mongoadvisor/internal/op"
	"mongoadvisor/internal/regex"
)

func regexCaseInsensitive() *analysis.Analyzer {
	return &analysis.Analyzer{
		ID: "Q02", Name: "regex-case-insensitive", Since: "0.1.0", Severity: analysis.Medium,
		Title:    "Case-insensitive regular expression",
		Commands: filterCommands, Run: runRegexCaseInsensitive, Wants: op.TraitRegex,
		Reasons: []analysis.Reason{
			{Name: "exact", Doc: "it compares a whole value without case: a collation index does that by equality"},
			{Name: "prefix", Doc: "it looks for a beginning without case: a collation index does that by a range"},
			{Name: "contains", Doc: "anything else: no B-tree index can serve it"},
			{Name: "uncased", Doc: "nothing in the pattern has a case: option i only costs the index range"},
		},
		Doc: analysis.Doc{
			What: "A regular expression with option `i`, in the BSON value, in `$options`, or inline as `(?i)` before the first literal. A `.` between two literals that nobody escaped, as in a pattern made of an address, is taken for a dot.",
			Why: "Case-insensitive matching gives the index no bounds: on MongoDB 6.0.5 `/^abc/i` read 10,141 of 10,143 keys where `/^abc/` read 2. " +
				"A login that looks a user up with `/^name$/i` scans the index at every login.",
			Fix: "A whole value: an index with a collation of strength 2, and an equality with the same collation in the query; the regular expression goes. " +
				"A beginning: the same index, and a range under that collation; accent variants of the beginning may come along. Do not leave the regular expression in the filter: " +
				"where a plain index on the field exists, too, MongoDB 6.0.5 then took that one and read it from end to end (20,000 keys for 3,697 documents; 3,697 without it). " +
				"Or keep a lower-cased copy of the field. Adding a collation and keeping the regular expression does not help: `$regex` ignores collations.",
			Guards: "Silent when an equality or range on the same field, an equality or range on `_id` or on a field whose index was seen, `$text` or a geo condition stands beside it, in the filter or in another `$match` of the pipeline; behind a `$limit` or a search stage; inside of a `$lookup` that joins by such a field; where the reply shows paths of a tree (`,a,b,`) and the expression looks for one (S07 speaks then); when the query has a collation (Q04 speaks then). " +
				"One step lower when an equality or range on another field stands beside it whose index is not known, and where earlier stages computed the documents. " +
				"DocumentDB has no case-insensitive indexes: keep a lower-cased field there.",
			Lesson: "Schema anti-patterns and tree structures: case-insensitive queries without a case-insensitive index.",
		},
	}
}

func runRegexCaseInsensitive(p *analysis.Pass) {
	grouped(patterns(p), "Q02", caseReason, func(f *pattern, reason string, fields []string) {
		severity, caveat := f.softened(analysis.Medium)
		if caveat == "" {
			caveat = "a collection that is and stays small, or a server without collation indexes (DocumentDB): keep a lower-cased field there"
		}
		if f.Class.Dotted != "" {
			caveat = "a . that is not escaped matches any character; here it is taken for a dot of the value"
		}
		p.Report(analysis.Finding{
			Reason: reason, Statement: f.Statement, NS: f.Filter.NS, Fields: fields,
			Severity: severity, Override: true, Caveat: caveat,
			Message: "case-insensitive regular expression on " + named(fields) + ": an index can only be read from end to end" + f.place(),
			Advice:  "Option i leaves an index without bounds, so every string key is examined, whatever the query returns. An index with a collation compares without case and is used as a normal index.",
			Fix:     caseFix(f, reason),
		})
	})
}

// caseReason says what the author wants to find.
func caseReason(f *pattern) string {
	switch {
	case f.Class.Uncased && f.Class.Form != regex.Contains && f.Class.Form != regex.Suffix:
		return "uncased"
	case f.Class.Form == regex.Exact && f.Class.Literal, f.Class.Dotted == regex.Exact:
		return "exact"
	case f.Class.Form == regex.Prefix && f.Class.Literal && !f.Class.LeadingWildcard, f.Class.Dotted == regex.Prefix:
		return "prefix"
	}
	return "contains"
}

func caseFix(f *pattern, reason string) analysis.Fix {
	if fix, computed := f.computedFix(); computed {
		return fix
	}
	path := indexable(f.Path)
	key, ns := field(path), f.Filter.NS
	index := coll(ns) + ".createIndex({ " + key + ": 1 }, { collation: " + collation + ", name: " + quote(path+"_caseless") + " })\n"
	fix := analysis.Fix{}
	switch reason {
	case "exact":
		fix.Text = "Replace the regular expression by an equality under a collation of strength 2, with an index that has the same collation. The query must repeat the whole collation, or the index is not used. Strength 1 also ignores accents."
		fix.Mongosh = index + query(f.Call, ns, "{ "+key+": \"<value>\" }", collation)
	case "prefix":
		fix.Text = "Replace the regular expression by a range under a collation of strength 2, with an index that has the same collation. Accent variants of the beginning may come along. A regular expression left in the filter could make the server prefer a plain index and read all of it."
		fix.Mongosh = index + query(f.Call, ns, "{ "+key+": { $gte: \"<prefix>\", $lt: \"<prefix>\\uffff\" } }", collation)
	case "uncased":
		fix.Text = "Drop option i: the pattern has no letters, so it finds the same, and the index range comes back."
		fix.Mongosh = query(f.Call, ns, "{ "+key+": /^<literal>/ }", "")
	default:
		lower := field(path + "Lower")
		fix.Text = "If a whole value or a beginning is meant, anchor it and use a collation index. If \"contains\" is meant, no B-tree index can serve it: use a text or search index, or put an equality on an indexed field beside it. A lower-cased copy of the field at least makes anchored searches possible."
		fix.Mongosh = coll(ns) + ".createIndex({ " + lower + ": 1 })\n" + query(f.Call, ns, "{ "+lower+": /^<lower-cased prefix>/ }", "")
	}
	if path == "" {
		fix.Mongosh = ""
	}
	return fix
}
