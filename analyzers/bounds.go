package analyzers

import (
	"iter"
	"strconv"
	"strings"

	"go.mongodb.org/mongo-driver/v2/x/bsonx/bsoncore"

	"mongoadvisor/internal/op"
)

// bounded reports whether the statement itself keeps the array at path from
// growing without limit.
func bounded(s *op.Statement, path string) bool {
	for pred := range (op.Filter{NS: s.NS, Doc: s.Filter}).Predicates() {
		switch {
		case pred.Or:
			continue
		case pred.Op == "$exists" && op.True(pred.Value) == pred.Negated && elementOf(pred.Path, path):
			return true // {"a.99": {$exists: false}}, however it is put
		case pred.Op == "$size" && pred.Path == path:
			return true
		case pred.Negated:
			continue
		}
		switch pred.Op {
		case "$eq":
			// {"a.99": null}: only while the array is shorter
			if isNull(pred.Value) && elementOf(pred.Path, path) {
				return true
			}
		case "$expr":
			if comparesSize(pred.Value, path) {
				return true
			}
		case "$lt", "$lte":
			// the bucket pattern: {count: {$lt: 360}} with {$inc: {count: 1}}
			if counts(s.Update, pred.Path) {
				return true
			}
		}
	}
	return false
}

// elementOf reports whether p is path with an index behind it.
func elementOf(p, path string) bool {
	index, ok := strings.CutPrefix(p, path+".")
	if !ok {
		return false
	}
	_, err := strconv.ParseUint(index, 10, 31)
	return err == nil
}

// comparesSize reports whether an expression compares the size of the array.
func comparesSize(expr bsoncore.Value, path string) bool {
	for name, operand := range op.Fields(op.Doc(expr)) {
		switch name {
		case "$lt", "$lte", "$gt", "$gte":
			if sized(operand, path) {
				return true
			}
		case "$and":
			for item := range op.Items(op.Arr(operand)) {
				if comparesSize(item, path) {
					return true
				}
			}
		}
	}
	return false
}

// sized reports whether {$size: "$path"} stands somewhere in an expression.
func sized(expr bsoncore.Value, path string) bool {
	switch expr.Type {
	case bsoncore.TypeEmbeddedDocument:
		for name, operand := range op.Fields(op.Doc(expr)) {
			if name == "$size" && mentions(operand, path) || sized(operand, path) {
				return true
			}
		}
	case bsoncore.TypeArray:
		for item := range op.Items(op.Arr(expr)) {
			if sized(item, path) {
				return true
			}
		}
	}
	return false
}

// counts reports whether an update counts the field up.
func counts(u op.Update, path string) bool {
	if by, ok := op.Get(op.Doc(op.Get(u.Operators, "$inc")), path).AsFloat64OK(); ok && by > 0 {
		return true
	}
	for _, d := range u.Pipeline {
		for name, v := range op.Fields(d) {
			if name != "$set" && name != "$addFields" {
				continue
			}
			if sum := op.Get(op.Doc(op.Get(op.Doc(v), path)), "$add"); sum.Type != 0 && mentions(sum, path) {
				return true
			}
		}
	}
	return false
}

// trim is an array that an update shortens.
type trim struct {
	path string
	by   int64 // elements; 0 when that is not known
	cut  bool  // to a part of it
	once bool  // taken away as a whole, which keeps nothing short
}

// apply takes it into the account of one document.
func (t trim) apply(to *track) {
	switch {
	case t.once:
		to.restart(0)
	case t.cut:
		to.restart(-1)
	default:
		to.take(t.by)
	}
}

// maxSlice is the largest $slice that keeps an array short.
const maxSlice = 10_000

// trims yields the arrays an update shortens: it pulls, pops, cuts or unsets.
func trims(s *op.Statement, yield func(trim)) {
	for path := range cutPaths(s.Update.Pipeline) {
		yield(trim{path: path, cut: true})
	}
	for name, v := range op.Fields(s.Update.Operators) {
		switch name {
		case "$pull", "$pullAll", "$pop", "$push", "$unset":
		default:
			continue
		}
		for path, operand := range op.Fields(op.Doc(v)) {
			switch name {
			case "$pull", "$pullAll":
				yield(trim{path: path})
			case "$pop":
				yield(trim{path: path, by: 1})
			case "$unset":
				yield(trim{path: path, once: true})
			case "$push":
				d := op.Doc(operand)
				keep, ok := op.Int(op.Get(d, "$slice"))
				if op.Get(d, "$each").Type == bsoncore.TypeArray && ok && max(keep, -keep) <= maxSlice {
					yield(trim{path: path, cut: true})
				}
			}
		}
	}
}

// cutPaths yields the paths that stages set to a bounded part of an array.
func cutPaths(stages []bsoncore.Document) iter.Seq[string] {
	return func(yield func(string) bool) {
		for _, d := range stages {
			for name, v := range op.Fields(d) {
				if name != "$set" && name != "$addFields" {
					continue
				}
				for path, expr := range op.Fields(op.Doc(v)) {
					if cuts(op.FirstKey(op.Doc(expr))) && !yield(path) {
						return
					}
				}
			}
		}
	}
}
