package analyzers

import (
	"unicode/utf8"

	"mongoadvisor/internal/analysis"
	"mongoadvisor/internal/op"
	"mongoadvisor/internal/regex"
)

func regexNoIndexPrefix() *analysis.Analyzer {
	return &analysis.Analyzer{
		ID: "Q01", Name: "regex-no-index-prefix", Since: "0.1.0", Severity: analysis.Medium,
		Title:    "Regular expression that reads every index key",
		Commands: filterCommands, Run: runRegexNoIndexPrefix, Wants: op.TraitRegex,
		Reasons: []analysis.Reason{
			{Name: string(regex.Unanchored), Doc: "it does not start with ^ or \\A"},
			{Name: string(regex.EmptyPrefix), Doc: "it is anchored, but no literal is certain to follow the anchor"},
			{Name: string(regex.GroupBeforeLiteral), Doc: "a group stands between the anchor and the first literal"},
			{Name: string(regex.ClassBeforeLiteral), Doc: "a character class stands between the anchor and the first literal"},
			{Name: string(regex.Alternation), Doc: "a | anywhere, even inside [...], makes the server give up"},
			{Name: string(regex.Multiline), Doc: "with option m the anchor ^ also matches after each line break"},
			{Name: string(regex.FlagBlocksPrefix), Doc: "option u or a verb such as (*UCP) blocks the prefix"},
			{Name: string(regex.ShortPrefix), Doc: "only the first character bounds the index (off by default, see the limit)"},
		},
		Limits: []analysis.Limit{{
			Name: "short-prefix", Default: 0, Unit: "characters",
			Doc: "a bounded prefix of at most this length is still reported, as low; 0 reports none",
		}},
		Doc: analysis.Doc{
			What: "A regular expression from which the server derives no index range: it is not anchored, or something stands between the anchor and the first literal. " +
				"\"Starts with `^`\" is not the test: `/^(abc)/`, `/^[a]b/`, `/^a?bc/`, `/^ab|^cd/` and `/^abc/m` all read every string key, `/^abc.*$/`, `/\\Aabc/m` and `/^\\Qa.b\\E/` do not.",
			Why: "Measured on MongoDB 6.0.5 over 10,143 keys: `/^abc/` read 2 of them, `/abc/`, `/^(abc)/` and `/^abc|abd/` read 10,141. The index is used, so nothing says COLLSCAN, " +
				"and the cost grows with the collection, not with the result.",
			Fix: "A beginning: anchor it (`/^abc/`). A leading `.*` can be deleted. A group: take it away. Several beginnings: `$in` of anchored expressions. " +
				"Option `m`: write `\\A` for `^`. An end: store the value reversed, index that, and search its beginning. " +
				"\"Contains\": no B-tree index can serve it; use a text or search index, or put an equality on an indexed field beside it.",
			Guards: "Silent when an equality or range on the same field, an equality or range on `_id` or on a field whose index was seen, `$text` or a geo condition stands beside it, in the filter or in another `$match` of the pipeline; behind a `$limit` or a search stage; inside of a `$lookup` that joins by such a field; where the reply shows paths of a tree (`,a,b,`) and the expression looks for one (S07 speaks then); for expressions under `$not`, `$nin` and `$nor`; " +
				"for what the server rejects. One step lower when an equality or range on another field stands beside it whose index is not known, and where earlier stages computed the documents. " +
				"Wrong here if the collection is and stays small, or if that other equality leaves few documents.",
			Lesson: "Schema anti-patterns and tree structures: materialized paths; the manual's page on `$regex` and indexes.",
		},
	}
}

func runRegexNoIndexPrefix(p *analysis.Pass) {
	reason := func(f *pattern) string {
		if f.Class.Reason == regex.ShortPrefix && int64(utf8.RuneCountInString(f.Class.Prefix)) > p.Limit("short-prefix") {
			return ""
		}
		return string(f.Class.Reason)
	}
	grouped(patterns(p), "Q01", reason, func(f *pattern, reason string, fields []string) {
		severity := analysis.Medium
		if f.Class.Reason == regex.ShortPrefix {
			severity = analysis.Low
		}
		severity, caveat := f.softened(severity)
		if caveat == "" {
			caveat = "a collection that is and stays small, or an index that narrows the search by another field"
		}
		p.Report(analysis.Finding{
			Reason: reason, Statement: f.Statement, NS: f.Filter.NS, Fields: fields,
			Severity: severity, Override: true, Caveat: caveat,
			Message: "regular expression on " + named(fields) + " " + noPrefixWords[f.Class.Reason] + ": an index can only be read from end to end" + f.place(),
			Advice:  "MongoDB takes an index range from a regular expression only when it starts with an anchor and literals. This one examines every key of the index, or every document without one, whatever it returns.",
			Fix:     noPrefixFix(f),
			Evidence: []analysis.Evidence{
				{Name: "prefix_length", Value: int64(utf8.RuneCountInString(f.Class.Prefix)), Unit: "characters"},
			},
		})
	})
}

// noPrefixWords end the sentence "regular expression on x …".
var noPrefixWords = map[regex.Reason]string{
	regex.Unanchored:         "is not anchored",
	regex.EmptyPrefix:        "has no literal after its anchor",
	regex.GroupBeforeLiteral: "has a group right after its anchor",
	regex.ClassBeforeLiteral: "has a character class right after its anchor",
	regex.Alternation:        "has an alternation (|)",
	regex.Multiline:          "has option m, so ^ matches at every line",
	regex.FlagBlocksPrefix:   "has a flag that blocks the index range",
	regex.ShortPrefix:        "has only one certain character after its anchor",
}

// noPrefixFix writes the rewrite that fits the reason.
func noPrefixFix(f *pattern) analysis.Fix {
	if fix, computed := f.computedFix(); computed {
		return fix
	}
	path := indexable(f.Path)
	key := field(path)
	one := func(value string) string { return query(f.Call, f.Filter.NS, "{ "+key+": "+value+" }", "") }
	fix := analysis.Fix{}
	switch f.Class.Reason {
	case regex.Alternation:
		fix.Text = "List the alternatives: $in takes anchored regular expressions, and each gets its own index range."
		if f.Class.Form == regex.Exact {
			fix.Text = "List the alternatives as values: $in of strings is served by the index key by key."
			fix.Mongosh = one("{ $in: [\"<first>\", \"<second>\"] }")
		} else {
			fix.Mongosh = one("{ $in: [/^<first>/, /^<second>/] }")
		}
	case regex.GroupBeforeLiteral:
		fix.Text = "Take the group away, or move it behind the first literals."
		fix.Mongosh = one("/^<literal>/")
	case regex.ClassBeforeLiteral:
		fix.Text = "Begin with a literal, or store what the class tells apart in a field of its own and put an equality on it beside the expression."
		fix.Mongosh = one("/^<literal>/")
	case regex.Multiline:
		fix.Text = "Write \\A for ^: it matches only at the start, also with option m, and the index range comes back."
		fix.Mongosh = one("/\\A<literal>/m")
	case regex.FlagBlocksPrefix:
		fix.Text = "Drop the flag: MongoDB matches in UTF-8 anyway. Python's re.compile sets u on every pattern for text: pass {$regex: \"^…\"} instead, or compile with re.ASCII."
		fix.Mongosh = one("/^<literal>/")
	default:
		return anchorFix(f, one)
	}
	if path == "" {
		fix.Mongosh = ""
	}
	return fix
}

// anchorFix is for expressions without a usable anchor: what helps depends on
// what they look for.
func anchorFix(f *pattern, one func(string) string) analysis.Fix {
	path := indexable(f.Path)
	if path == "" {
		return analysis.Fix{Text: "Anchor the expression, and keep what varies in the field's name in a value instead."}
	}
	c := coll(f.Filter.NS)
	if f.Class.Form == regex.Suffix {
		reversed := field(path + "Rev")
		return analysis.Fix{
			Text: "A search for the end of a value is a search for the beginning of the reversed value: store it reversed when writing, index that field, and search it anchored.",
			Mongosh: c + ".createIndex({ " + reversed + ": 1 })\n" +
				query(f.Call, f.Filter.NS, "{ "+reversed+": /^<reversed>/ }", ""),
		}
	}
	text := "If a beginning is meant, anchor it. If \"contains\" is meant, no B-tree index can serve it: use a text or search index, or put an equality on an indexed field beside it."
	if f.Class.LeadingWildcard || f.Class.Form == regex.Prefix {
		text = "Anchor it, and delete a leading .*: it matches anything and costs the index range. If \"contains\" is meant, use a text or search index instead."
	}
	return analysis.Fix{Text: text, Mongosh: c + ".createIndex({ " + field(path) + ": 1 })\n" + one("/^<literal>/")}
}
