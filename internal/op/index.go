package op

import (
	"strconv"
	"strings"

	"go.mongodb.org/mongo-driver/v2/x/bsonx/bsoncore"
)

// Index is one index of a collection, as createIndexes or listIndexes state it.
type Index struct {
	Name      string
	Keys      []IndexKey
	Collation string // canonical text of the collation; "" for simple binary comparison
	Sparse    bool
	Partial   bool
	Hidden    bool
	Unique    bool
	// Listed says that the server stated it: an index without a collation has none
	// then. One that was only seen being made has the collection's own.
	Listed bool
}

// IndexKey is one field of an index with its direction or kind ("1", "-1",
// "text", "2dsphere", "hashed").
type IndexKey struct {
	Path, Kind string
}

// maxIndexKeys is the server's own limit for the fields of an index.
const maxIndexKeys = 32

// ParseIndex reads one index specification. The result keeps nothing of doc.
func ParseIndex(doc bsoncore.Document) (Index, bool) {
	ix := Index{
		Name:      strings.Clone(Str(Get(doc, "name"))),
		Sparse:    True(Get(doc, "sparse")),
		Hidden:    True(Get(doc, "hidden")),
		Unique:    True(Get(doc, "unique")),
		Partial:   Doc(Get(doc, "partialFilterExpression")) != nil,
		Collation: CollationText(Doc(Get(doc, "collation"))),
	}
	if len(ix.Name) > maxNamespace {
		return Index{}, false
	}
	for path, v := range Fields(Doc(Get(doc, "key"))) {
		if len(path) > maxPath || len(Str(v)) > maxName || len(ix.Keys) == maxIndexKeys {
			return Index{}, false
		}
		kind := strings.Clone(Str(v))
		if n, ok := v.AsFloat64OK(); ok {
			kind = "1"
			if n < 0 {
				kind = "-1"
			}
		}
		ix.Keys = append(ix.Keys, IndexKey{Path: strings.Clone(path), Kind: kind})
	}
	return ix, len(ix.Keys) > 0
}

// Leads reports whether the index starts with path as an ordered key, so that a
// predicate on path alone can use it.
func (ix Index) Leads(path string) bool {
	k := ix.Keys[0]
	return k.Path == path && (k.Kind == "1" || k.Kind == "-1" || k.Kind == "hashed")
}

// collationFields are the parts of a collation that decide whether an index can
// serve a query; version is the server's own.
var collationFields = map[string]bool{
	"locale": true, "strength": true, "caseLevel": true, "caseFirst": true, "numericOrdering": true,
	"alternate": true, "maxVariable": true, "backwards": true, "normalization": true,
}

// CollationText renders a collation canonically: "" for none or the simple
// one, else "locale=en,strength=2,…" in the order in which it was stated.
func CollationText(doc bsoncore.Document) string {
	if locale := Str(Get(doc, "locale")); locale == "" || locale == "simple" {
		return ""
	}
	var b strings.Builder
	for k, v := range Fields(doc) {
		text := collationValue(v)
		if !collationFields[k] || text == "" {
			continue
		}
		if b.Len() > 0 {
			b.WriteByte(',')
		}
		b.WriteString(k + "=" + text)
	}
	return b.String()
}

// collationValue renders one part; what no collation can hold becomes "?", so
// that a value sent in its place does not leave with the shape.
func collationValue(v bsoncore.Value) string {
	if n, ok := v.AsInt64OK(); ok {
		if n >= 0 && n <= 5 {
			return strconv.FormatInt(n, 10)
		}
		return "?"
	}
	if flag, ok := v.BooleanOK(); ok {
		return strconv.FormatBool(flag)
	}
	if s := Str(v); collationWord(s) {
		return s
	}
	return "?"
}

// collationWord reports whether s can be a locale ("en_US", "de@collation=phonebook",
// "zh_Hant") or one of the few named settings.
func collationWord(s string) bool {
	switch s {
	case "upper", "lower", "off", "punct", "space", "shifted", "non-ignorable":
		return true
	}
	language, variant, _ := strings.Cut(s, "@")
	switch variant {
	case "", "collation=phonebook", "collation=traditional", "collation=search", "collation=pinyin",
		"collation=stroke", "collation=unihan", "collation=zhuyin", "collation=compat", "collation=searchjl":
	default:
		return false
	}
	for i, part := range strings.Split(language, "_") {
		if len(part) < 2 || len(part) > 4 || i > 2 || hasDigit(part) || LooksLikeData(part) {
			return false
		}
	}
	return true
}
