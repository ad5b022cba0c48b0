package analyzers

import (
	"strconv"
	"strings"

	"mongoadvisor/internal/op"
)

// collation is what the fixes use: strength 2 compares without case and keeps
// accents apart.
const collation = `{ locale: "en", strength: 2 }`

// identifier reports whether a name stands in JavaScript as it is.
func identifier(name string) bool {
	for i := range len(name) {
		c := name[i]
		letter := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_'
		if !letter && (i == 0 || c < '0' || c > '9') {
			return false
		}
	}
	return name != ""
}

// coll writes a collection as mongosh takes it.
func coll(ns op.Namespace) string {
	return collName(ns.Coll)
}

func collName(name string) string {
	if identifier(name) {
		return "db." + name
	}
	return "db.getCollection(" + quote(name) + ")"
}

// quote writes a string literal.
func quote(s string) string { return strconv.Quote(s) }

// field writes a field name as the key of a document.
func field(path string) string {
	if identifier(path) {
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

// method is a method of a collection in mongosh. It is a type of its own so that
// the name of a command is not taken for one: "delete" says nothing of how many.
type method string

// call is the method that does what a statement does, and no more: a fix for an
// updateOne must not update many.
func call(s *op.Statement) method {
	replaces := s.Update.Replacement != nil
	switch s.Command {
	case "count":
		return "countDocuments"
	case "update":
		switch {
		case replaces:
			return "replaceOne"
		case s.Multi:
			return "updateMany"
		}
		return "updateOne"
	case "delete":
		if s.Multi {
			return "deleteMany"
		}
		return "deleteOne"
	case "findAndModify":
		switch {
		case s.Update.IsZero():
			return "findOneAndDelete"
		case replaces:
			return "findOneAndReplace"
		}
		return "findOneAndUpdate"
	}
	return method(s.Command)
}

// query writes a call with a filter, and with a collation unless that is "".
func query(with method, ns op.Namespace, filter, collation string) string {
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
	switch with {
	case "aggregate":
		return c + ".aggregate([{ $match: " + filter + " }]" + comma(option("")) + ")"
	case "distinct":
		return c + ".distinct(\"<field>\", " + option(filter) + ")"
	case "countDocuments", "deleteOne", "deleteMany", "findOneAndDelete":
		return c + "." + string(with) + "(" + option(filter) + ")"
	case "updateOne", "updateMany", "findOneAndUpdate":
		return c + "." + string(with) + "(" + option(filter+", <update>") + ")"
	case "replaceOne", "findOneAndReplace":
		return c + "." + string(with) + "(" + option(filter+", <document>") + ")"
	}
	find := c + ".find(" + filter + ")"
	if collation != "" {
		find += ".collation(" + collation + ")"
	}
	return find
}

func comma(s string) string {
	if s == "" {
		return ""
	}
	return ", " + s
}

// irregular are names of collections whose singular no ending tells.
var irregular = map[string]string{
	"people": "person", "children": "child", "movies": "movie", "cookies": "cookie", "caches": "cache",
	"series": "series", "news": "news", "statuses": "status", "aliases": "alias", "indices": "index",
}

// singular guesses the word for one of them, for the name of a reference.
func singular(name string) string {
	if one, ok := irregular[strings.ToLower(name)]; ok {
		return one
	}
	switch {
	case strings.HasSuffix(name, "us"), strings.HasSuffix(name, "is"):
		return name
	case strings.HasSuffix(name, "ies") && len(name) > 4:
		return name[:len(name)-3] + "y"
	case strings.HasSuffix(name, "sses"), strings.HasSuffix(name, "xes"), strings.HasSuffix(name, "ches"):
		return name[:len(name)-2]
	case strings.HasSuffix(name, "s") && !strings.HasSuffix(name, "ss") && len(name) > 2:
		return name[:len(name)-1]
	}
	return name
}

// named lists the first few fields for a sentence.
func named(fields []string) string {
	if len(fields) > maxUsed {
		return strings.Join(fields[:maxUsed], ", ") + " and others"
	}
	return strings.Join(fields, ", ")
}

// title puts the first letter in upper case.
func title(s string) string {
	if s == "" {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}
