package analyzers

import (
	"strings"

	"mongoadvisor/internal/analysis"
	"mongoadvisor/internal/op"
	"mongoadvisor/internal/regex"
)

// functionFix writes the plain condition that does the same, or stores what is
// computed.
func functionFix(with method, filter op.Filter, e expression, path string) analysis.Fix {
	if path == "" {
		return analysis.Fix{Text: "Store what is computed when writing, and index that; or put a condition that an index serves beside it."}
	}
	key, c := field(path), coll(filter.NS)
	index := c + ".createIndex({ " + key + ": 1 })\n"
	switch e.Operator {
	case "$regexMatch", "$regexFind", "$regexFindAll":
		return regexMatchFix(with, filter, e)
	case "$toLower", "$toUpper", "$strcasecmp":
		lower := path + "Lower"
		return analysis.Fix{
			Text:    "Store the value in lower case, too, and compare with that; or use an index with a collation of strength 2 and an equality under the same collation. A regular expression with option i instead would scan just as much.",
			Mongosh: storeLines(with, filter.NS, lower, "{ $toLower: "+quote("$"+path)+" }", "\"<value in lower case>\""),
		}
	case "$year", "$month", "$dayOfMonth", "$week", "$isoWeek", "$isoWeekYear", "$dateToString", "$dateTrunc", "$dateToParts", "$hour":
		return analysis.Fix{
			Text:    "A year, month or day is a range of dates: ask for the range. For parts that come back each year or day, store the part and index it.",
			Mongosh: index + query(with, filter.NS, "{ "+key+": { $gte: ISODate(\"<start>\"), $lt: ISODate(\"<end>\") } }", ""),
		}
	case "$in":
		fix := analysis.Fix{
			Text:    "Outside of $expr, $in is served by the index.",
			Mongosh: index + query(with, filter.NS, "{ "+key+": { $in: [<values>] } }", ""),
		}
		if strings.Contains(filter.Place, "$lookup.pipeline") {
			fix.Text = "Join by localField and foreignField: they match the elements of arrays, too, and use the index on the foreign field."
			fix.Mongosh = index + "{ $lookup: { from: " + quote(filter.NS.Coll) + ", localField: \"<field>\", foreignField: " + quote(path) + ", pipeline: [ <the other stages> ], as: \"<name>\" } }"
		}
		return fix
	case "$size":
		return analysis.Fix{
			Text:    "Keep the number of elements in a field of its own, count it with $inc beside $push and $pull, and index it.",
			Mongosh: storeLines(with, filter.NS, path+"Count", "{ $size: { $ifNull: ["+quote("$"+path)+", []] } }", "<n>"),
		}
	}
	return analysis.Fix{
		Text:    "Write it as a plain condition if one says the same. Else store what is computed when writing, and index that.",
		Mongosh: storeLines(with, filter.NS, path+"Computed", "<expression>", "<value>"),
	}
}

// regexMatchFix turns the expression into a plain condition, and says what else
// that one needs.
func regexMatchFix(with method, filter op.Filter, e expression) analysis.Fix {
	spec := op.Doc(e.Operand)
	expr, options, ok := op.Get(spec, "regex").RegexOK()
	if !ok {
		expr = op.Str(op.Get(spec, "regex"))
	}
	if o := op.Str(op.Get(spec, "options")); o != "" {
		options = o
	}
	plain := pattern{Call: with, Filter: filter, Path: e.Paths[0], Class: regex.Classify(expr, options)}
	const first = "Write it as a plain condition. "
	switch {
	case plain.Class.Reason == regex.CaseInsensitive:
		fix := caseFix(&plain, caseReason(&plain))
		fix.Text = first + fix.Text
		return fix
	case expr != "" && !boundedRegex(expr, options) && plain.Class.Reason != regex.Invalid:
		fix := noPrefixFix(&plain)
		fix.Text = first + fix.Text
		return fix
	}
	key := field(indexable(e.Paths[0]))
	return analysis.Fix{
		Text:    first + "An anchored regular expression with literals after the anchor is a range of the index.",
		Mongosh: coll(filter.NS) + ".createIndex({ " + key + ": 1 })\n" + query(with, filter.NS, "{ "+key+": /^<literal>/ }", ""),
	}
}

// storeLines back-fills a computed field, indexes it and asks for it. The
// application keeps it up in each of its writes.
func storeLines(with method, ns op.Namespace, name, expression, value string) string {
	c := coll(ns)
	return c + ".updateMany({}, [{ $set: { " + field(name) + ": " + expression + " } }])  // once, then in each write\n" +
		c + ".createIndex({ " + field(name) + ": 1 })\n" +
		query(with, ns, "{ "+field(name)+": "+value+" }", "")
}
