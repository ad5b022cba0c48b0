package analyzers

import (
	"iter"
	"strings"

	"go.mongodb.org/mongo-driver/v2/x/bsonx/bsoncore"

	"mongoadvisor/internal/op"
)

// growth is one place of an update that adds elements to an array.
type growth struct {
	Statement int
	NS        op.Namespace
	Path      string // as sent
	Kind      growthKind
	Pushed    bsoncore.Document // the modifiers document of $push, or nil
	Elements  int               // elements added by this call; 0 when unknown
}

type growthKind string

const (
	growPush   growthKind = "push"         // $push, $pushAll
	growSet    growthKind = "add-to-set"   // $addToSet, $setUnion: bounded by the domain of its values
	growConcat growthKind = "concat"       // a pipeline update that appends to the array itself
	growMerge  growthKind = "merge-concat" // the same in the whenMatched of $merge
)

// shape keys a growth by its array alone: however the rest of the update looks,
// the array is the root cause.
func (g growth) shape() op.Shape {
	path := op.Path(g.Path)
	switch g.Kind {
	case growSet:
		return op.TextShape("{update: {$addToSet: {" + path + ": …}}}")
	case growPush:
		return op.TextShape("{update: {$push: {" + path + ": …}}}")
	case growMerge:
		return op.TextShape("{$merge: {whenMatched: [{$set: {" + path + ": {$concatArrays: [$" + path + ", …]}}}]}}")
	}
	return op.TextShape("{update: [{$set: {" + path + ": {$concatArrays: [$" + path + ", …]}}}]}")
}

// growths yields what an operation adds to arrays without cutting them in the
// same update. $push as an accumulator of $group or $setWindowFields stores
// nothing and is not among them.
func growths(o *op.Operation) iter.Seq[growth] {
	return func(yield func(growth) bool) {
		statements := o.Statements()
		for i := range statements {
			s := &statements[i]
			g := growth{Statement: i, NS: s.NS}
			if !operatorGrowth(s.Update.Operators, g, yield) {
				return
			}
			g.Kind = growConcat
			if !pipelineGrowth(s.Update.Pipeline, g, yield) {
				return
			}
			for st := range s.Stages() {
				if st.Name != "$merge" {
					continue
				}
				spec := op.Doc(st.Value)
				m := growth{Statement: i, NS: mergeTarget(spec, s.NS), Kind: growMerge}
				if !pipelineGrowth(op.Docs(op.Get(spec, "whenMatched")), m, yield) {
					return
				}
			}
		}
	}
}

// mergeTarget is the collection a $merge writes to.
func mergeTarget(spec bsoncore.Document, local op.Namespace) op.Namespace {
	into := op.Get(spec, "into")
	if d := op.Doc(into); d != nil {
		return op.Namespace{DB: op.Str(op.Get(d, "db")), Coll: op.Str(op.Get(d, "coll"))}
	}
	return op.Namespace{DB: local.DB, Coll: op.Str(into)}
}

// operatorGrowth reads $push, $pushAll and $addToSet.
func operatorGrowth(update bsoncore.Document, g growth, yield func(growth) bool) bool {
	for name, v := range op.Fields(update) {
		switch name {
		case "$push", "$pushAll", "$addToSet":
		default:
			continue
		}
		for path, operand := range op.Fields(op.Doc(v)) {
			g.Path, g.Kind, g.Pushed, g.Elements = path, growPush, nil, 1
			if name == "$addToSet" {
				g.Kind = growSet
			}
			if d := op.Doc(operand); d != nil {
				if each := op.Get(d, "$each"); each.Type == bsoncore.TypeArray {
					g.Pushed, g.Elements = d, op.Len(each)
				} else if name == "$push" && hasModifier(d) {
					g.Pushed = d
				}
			} else if name == "$pushAll" {
				g.Elements = op.Len(operand)
			}
			if !yield(g) {
				return false
			}
		}
	}
	return true
}

func hasModifier(d bsoncore.Document) bool {
	for name := range op.Fields(d) {
		switch name {
		case "$slice", "$sort", "$position":
			return true
		}
	}
	return false
}

// pipelineGrowth reads {$set: {a: {$concatArrays: ["$a", …]}}}.
func pipelineGrowth(stages []bsoncore.Document, g growth, yield func(growth) bool) bool {
	for i, d := range stages {
		for name, v := range op.Fields(d) {
			if name != "$set" && name != "$addFields" {
				continue
			}
			for path, expr := range op.Fields(op.Doc(v)) {
				if !appends(expr, path) || cutLater(stages[i+1:], path) {
					continue
				}
				g.Path = path
				if !yield(g) {
					return false
				}
			}
		}
	}
	return true
}

// cutLater reports whether a later stage of the same update cuts the array.
func cutLater(stages []bsoncore.Document, path string) bool {
	for cut := range cutPaths(stages) {
		if cut == path {
			return true
		}
	}
	return false
}

// appends reports whether an expression makes a longer array out of the one at
// path: a concatenation or union with it that nothing around or inside cuts.
func appends(expr bsoncore.Value, path string) bool {
	switch expr.Type {
	case bsoncore.TypeEmbeddedDocument:
		for name, operand := range op.Fields(op.Doc(expr)) {
			switch {
			case cuts(name), name == "$literal":
				continue
			case (name == "$cond" || name == "$switch") && sized(operand, path):
				continue // it grows only up to a size
			case name == "$concatArrays", name == "$setUnion":
				if mentions(operand, path) {
					return true
				}
			}
			if appends(operand, path) {
				return true
			}
		}
	case bsoncore.TypeArray:
		for item := range op.Items(op.Arr(expr)) {
			if appends(item, path) {
				return true
			}
		}
	}
	return false
}

// cuts reports whether an operator returns a bounded part of an array.
func cuts(name string) bool {
	switch name {
	case "$slice", "$firstN", "$lastN", "$maxN", "$minN", "$filter", "$first", "$last", "$arrayElemAt", "$size", "$setDifference":
		return true
	}
	return false
}

// mentions reports whether an expression uses the whole array at path.
func mentions(expr bsoncore.Value, path string) bool {
	switch expr.Type {
	case bsoncore.TypeString:
		s := op.Str(expr)
		return strings.HasPrefix(s, "$") && strings.TrimPrefix(strings.TrimPrefix(s, "$$ROOT."), "$") == path ||
			s == "$$ROOT."+path || s == "$$CURRENT."+path
	case bsoncore.TypeEmbeddedDocument:
		for name, operand := range op.Fields(op.Doc(expr)) {
			if !cuts(name) && name != "$literal" && mentions(operand, path) {
				return true
			}
		}
	case bsoncore.TypeArray:
		for item := range op.Items(op.Arr(expr)) {
			if mentions(item, path) {
				return true
			}
		}
	}
	return false
}
