package analyzers

import (
	"slices"
	"strings"

	"go.mongodb.org/mongo-driver/v2/x/bsonx/bsoncore"

	"mongoadvisor/internal/op"
)

// comparison is a field that a filter compares with one kind of value.
type comparison struct {
	NS   op.Namespace
	Path string // as sent
	Kind typeKind
}

// hash is that of the path as documents have it.
func (c comparison) hash() uint64 {
	if plainPath(c.Path) {
		return op.HashString(c.Path)
	}
	return op.HashString(indexable(op.Path(c.Path)))
}

// comparisons lists the fields that the filters of a statement compare with
// values of one confusable kind alone. A field that is compared with several, or
// asked for its type, is left out: the author knows.
func comparisons(s *op.Statement) []comparison {
	var out []comparison
	for f := range s.Filters() {
		if !f.Stored || f.NS.Coll == "" || strings.Contains(f.Place, "$lookup") || strings.Contains(f.Place, "$facet") || strings.Contains(f.Place, "$graphLookup") {
			continue // an empty answer does not tell that these found nothing
		}
		from := len(out)
		for pred := range f.Predicates() {
			kind, compared := comparedKind(pred)
			if !compared || pred.Path == "" {
				continue
			}
			i := slices.IndexFunc(out[from:], func(c comparison) bool { return c.Path == pred.Path })
			switch {
			case i < 0:
				out = append(out, comparison{f.NS, pred.Path, kind})
			case out[from+i].Kind != kind:
				out[from+i].Kind = kindNone
			}
		}
	}
	return slices.DeleteFunc(out, func(c comparison) bool { return c.Kind.other() == kindNone })
}

// maxListed bounds the values of a list that are looked at.
const maxListed = 64

// comparedKind is the kind of value that a condition needs, kindNone for several.
func comparedKind(pred op.Predicate) (k typeKind, compared bool) {
	if pred.Negated {
		return kindNone, true
	}
	switch pred.Op {
	case "$eq", "$gt", "$gte", "$lt", "$lte":
		return kindOf(pred.Value), true
	case "$in", "$all":
		n := 0
		for item := range op.Items(op.Arr(pred.Value)) {
			kind := kindOf(item)
			if n++; n == 1 {
				k = kind
			}
			if n > maxListed || kind != k {
				return kindNone, true
			}
		}
		return k, true
	}
	return kindNone, true
}

// foundNothing reports whether the reply says that a statement matched nothing.
func foundNothing(o *op.Operation, s *op.Statement) bool {
	r := &o.Reply
	if !r.Seen || !r.OK || r.Errors > 0 || s.Skip > 0 {
		return false
	}
	switch s.Command {
	case "find", "distinct":
		return r.Returned == 0 && r.CursorID == 0
	case "aggregate":
		return r.Returned == 0 && r.CursorID == 0 && !stores(s.Pipeline) && !op.True(op.Get(o.Body, "explain")) &&
			!slices.ContainsFunc(s.Pipeline, func(d bsoncore.Document) bool { return op.FirstKey(d) == "$skip" })
	case "count":
		return r.N == 0
	case "findAndModify":
		return r.Returned == 0 && !s.Upsert
	case "update", "delete":
		n, known := written(o, s)
		return known && n == 0
	}
	return false
}
