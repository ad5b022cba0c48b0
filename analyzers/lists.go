package analyzers

import (
	"iter"
	"strings"

	"go.mongodb.org/mongo-driver/v2/x/bsonx/bsoncore"

	"mongoadvisor/internal/op"
)

// list is one list of values that a filter compares a field with.
type list struct {
	Path   string // cleaned
	Kind   string // "in", "nin", "all", or "or" for an $or of equalities on one field
	Length int
}

// lists yields the lists of a filter.
func lists(f op.Filter) iter.Seq[list] {
	return func(yield func(list) bool) {
		for pred := range f.Predicates() {
			kind := ""
			switch pred.Op {
			case "$in", "$nin", "$all":
				kind = pred.Op[1:]
			default:
				continue
			}
			if kind == "in" && pred.Negated {
				kind = "nin"
			}
			if !yield(list{op.Path(pred.Path), kind, op.Len(pred.Value)}) {
				return
			}
		}
		equalities(f.Doc, yield)
	}
}

// equalities counts the branches of an $or that do nothing but compare the same
// field: the server makes an $in of them.
func equalities(doc bsoncore.Document, yield func(list) bool) bool {
	for key, v := range op.Fields(doc) {
		switch key {
		case "$and":
			for _, d := range op.Docs(v) {
				if !equalities(d, yield) {
					return false
				}
			}
		case "$or":
			if path, n := sameField(op.Docs(v)); n > 0 && !yield(list{op.Path(path), "or", n}) {
				return false
			}
		}
	}
	return true
}

// sameField counts the branches that compare the field of the first such branch.
func sameField(branches []bsoncore.Document) (path string, n int) {
	for _, d := range branches {
		if name, ok := onlyEquality(d); ok && (path == "" || name == path) {
			path = name
			n++
		}
	}
	return path, n
}

// onlyEquality reads {field: value} and {field: {$eq: value}}.
func onlyEquality(doc bsoncore.Document) (path string, ok bool) {
	fields := 0
	for name, v := range op.Fields(doc) {
		fields++
		d := op.Doc(v)
		if strings.HasPrefix(name, "$") || v.Type == bsoncore.TypeRegex || d != nil && op.IsOperators(d) && op.FirstKey(d) != "$eq" {
			return "", false
		}
		path = name
	}
	return path, fields == 1
}

// shape keys a finding by the field and the operator: however long the list is
// this time and whatever else the filter holds, the list is the root cause.
func (l list) shape() op.Shape {
	if l.Kind == "or" {
		return op.TextShape("{filter: {$or: [{" + l.Path + ": …}, …]}}")
	}
	return op.TextShape("{filter: {" + l.Path + ": {$" + l.Kind + ": […]}}}")
}
