package analyzers

import (
	"iter"
	"slices"
	"strings"

	"go.mongodb.org/mongo-driver/v2/x/bsonx/bsoncore"

	"mongoadvisor/internal/op"
)

// skip is one place that throws documents away before it returns some.
type skip struct {
	Statement int
	NS        op.Namespace
	Stage     bool // $skip and not find.skip
	N         int64
	Sort      bsoncore.Document // nil when there is none
	Filters   []bsoncore.Document
}

// maxSkips bounds the $skip stages of one statement that are looked at: for each,
// the stages before it are.
const maxSkips = 64

// skips yields the skips of an operation that skip stored documents: find.skip,
// and $skip before any stage that makes documents out of others. The one inside
// of a $lookup belongs to its join.
func skips(o *op.Operation) iter.Seq[skip] {
	return func(yield func(skip) bool) {
		statements := o.Statements()
		for i := range statements {
			s, seen := &statements[i], 0
			if s.Command == "find" && s.Skip > 0 {
				if !yield(skip{i, s.NS, false, s.Skip, s.Sort, []bsoncore.Document{s.Filter}}) {
					return
				}
			}
			for st := range s.Stages() {
				n, ok := op.Int(st.Value)
				if st.Name != "$skip" || !ok || strings.Contains(st.Path, "$lookup.pipeline") || seen == maxSkips {
					continue
				}
				seen++
				k := skip{Statement: i, NS: st.NS, Stage: true, N: n}
				if !k.read(st.Pipeline[:st.Index]) || st.Depth > 0 && !k.read(leading(s.Pipeline)) {
					continue
				}
				if !yield(k) {
					return
				}
			}
		}
	}
}

// read takes order and conditions from the stages before a skip; it reports
// whether they leave documents what they are.
func (k *skip) read(before []bsoncore.Document) bool {
	for _, d := range before {
		switch name := op.FirstKey(d); name {
		case "$sort":
			k.Sort = op.Doc(op.Get(d, name))
		case "$match":
			k.Filters = append(k.Filters, op.Doc(op.Get(d, name)))
		case "$project", "$addFields", "$set", "$unset", "$skip", "$limit", "$geoNear", "$sample", "$replaceRoot", "$replaceWith":
		default:
			return false
		}
	}
	return true
}

// leading are the stages before the first that has pipelines of its own.
func leading(pipeline []bsoncore.Document) []bsoncore.Document {
	for i, d := range pipeline {
		switch op.FirstKey(d) {
		case "$facet", "$unionWith":
			return pipeline[:i]
		}
	}
	return pipeline
}

// equal lists the fields that the filters compare by equality, and whether _id
// is among them: then there is at most one document.
func (k *skip) equal() (fields []string, one bool) {
	for _, doc := range k.Filters {
		for pred := range (op.Filter{Doc: doc}).Predicates() {
			if pred.Op != "$eq" || pred.Negated || pred.Or || pred.Via != "" {
				continue
			}
			one = one || pred.Path == "_id"
			if path := op.Path(pred.Path); !slices.Contains(fields, path) && len(fields) < maxUsed {
				fields = append(fields, path)
			}
		}
	}
	return fields, one
}

// sortKey is one field of an order.
type sortKey struct {
	Path string // cleaned
	Down bool
}

// order lists the fields of the sort; ok is false when it is not by fields.
func (k *skip) order() (keys []sortKey, ok bool) {
	for path, v := range op.Fields(k.Sort) {
		n, number := v.AsFloat64OK()
		if !number {
			return keys, false // {$meta: "textScore"}
		}
		if path == "$natural" {
			return nil, true
		}
		keys = append(keys, sortKey{op.Path(path), n < 0})
	}
	return keys, true
}
