package analyzers

import (
	"regexp"
	"strconv"
	"strings"

	"mongoadvisor/internal/op"
)

// collation is what the fixes use: strength 2 compares without case and keeps
// accents apart.
const collation = `{ locale: "en", strength: 2 }`

var identifier = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// coll writes a collection as mongosh takes it.
func coll(ns op.Namespace) string {
	return collName(ns.Coll)
}

func collName(name string) string {
	if identifier.MatchString(name) {
		return "db." + name
	}
	return "db.getCollection(" + quote(name) + ")"
}

// quote writes a string literal.
func quote(s string) string { return strconv.Quote(s) }

// field writes a field name as the key of a document.
func field(path string) string {
	if identifier.MatchString(path) {
		return path
	}
	return quote(path)
}

// indexable is the path an index on a field names: positions in an array are
// left out. It is "" when a part of the path is data and cannot be named.
func indexable(path string) string {
	var kept []string
	for _, s := range strings.Split(path, ".") {
		switch {
		case s == "<n>", strings.HasPrefix(s, "$["), s == "$":
		case strings.HasPrefix(s, "<"):
			return ""
		default:
			kept = append(kept, s)
		}
	}
	return strings.Join(kept, ".")
}

// last is the last named part of a path: "comments" of "posts.$[].comments".
func last(path string) string {
	name := indexable(path)
	return name[strings.LastIndexByte(name, '.')+1:]
}

// suffixed appends to the last part of a path: "address.city" + "Lower".
func suffixed(path, suffix string) string { return path + suffix }

// query writes a call that runs a command's kind of work with a filter, and
// with a collation unless that is "".
func query(command string, ns op.Namespace, filter, collation string) string {
	c := coll(ns)
	option := func(before string) string {
		if collation == "" {
			return before
		}
		if before != "" {
			before += ", "
		}
		return before + "{ collation: " + collation + " }"
	}
	switch command {
	case "aggregate":
		return c + ".aggregate([{ $match: " + filter + " }" + "]" + comma(option("")) + ")"
	case "count":
		return c + ".countDocuments(" + option(filter) + ")"
	case "distinct":
		return c + ".distinct(\"<field>\", " + option(filter) + ")"
	case "delete":
		return c + ".deleteMany(" + option(filter) + ")"
	case "update", "bulkWrite":
		return c + ".updateMany(" + option(filter+", <update>") + ")"
	case "findAndModify":
		return c + ".findOneAndUpdate(" + option(filter+", <update>") + ")"
	}
	call := c + ".find(" + filter + ")"
	if collation != "" {
		call += ".collation(" + collation + ")"
	}
	return call
}

func comma(s string) string {
	if s == "" {
		return ""
	}
	return ", " + s
}

// singular guesses the word for one of them, for the name of a reference.
func singular(name string) string {
	switch {
	case strings.HasSuffix(name, "ies") && len(name) > 4:
		return name[:len(name)-3] + "y"
	case strings.HasSuffix(name, "sses"), strings.HasSuffix(name, "xes"), strings.HasSuffix(name, "ches"):
		return name[:len(name)-2]
	case strings.HasSuffix(name, "s") && !strings.HasSuffix(name, "ss") && len(name) > 2:
		return name[:len(name)-1]
	}
	return name
}

// title puts the first letter in upper case.
func title(s string) string {
	if s == "" {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}
