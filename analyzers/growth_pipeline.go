package analyzers

import (
	"strings"

	"go.mongodb.org/mongo-driver/v2/x/bsonx/bsoncore"

	"mongoadvisor/internal/op"
)

// pipelineGrowth reads {$set: {a: {$concatArrays: ["$a", …]}}} and the same in
// the other stages that write fields, at any depth of the document.
func pipelineGrowth(stages []bsoncore.Document, g growth, yield func(growth) bool) bool {
	for i, d := range stages {
		name := op.FirstKey(d)
		v := op.Get(d, name)
		switch name {
		case "$set", "$addFields", "$project", "$replaceWith":
		case "$replaceRoot":
			v = op.Get(op.Doc(v), "newRoot")
		default:
			continue
		}
		ok := lengthened(v, "", 0, func(path string, expr bsoncore.Value) bool {
			if cutLater(stages[i+1:], path) {
				return true
			}
			g.Path = path
			g.appended(expr)
			return yield(g)
		})
		if !ok {
			return false
		}
	}
	return true
}

// maxNested is how deep expressions are looked into for arrays.
const maxNested = 16

// lengthened yields the paths at which an expression for the value at prefix
// makes a longer array out of the one that is there.
func lengthened(v bsoncore.Value, prefix string, depth int, yield func(path string, expr bsoncore.Value) bool) bool {
	if depth > maxNested {
		return true
	}
	if prefix != "" && appends(v, prefix) {
		return yield(prefix, v)
	}
	for name, operand := range op.Fields(op.Doc(v)) {
		switch {
		case !strings.HasPrefix(name, "$"):
			path := name
			if prefix != "" {
				path = prefix + "." + name
			}
			if !lengthened(operand, path, depth+1, yield) {
				return false
			}
		case name == "$cond" && mentionsSize(operand): // it grows only up to a size
		case name == "$mergeObjects" || name == "$ifNull" || name == "$cond":
			for item := range operands(operand) {
				if !lengthened(item, prefix, depth+1, yield) {
					return false
				}
			}
		}
	}
	return true
}

// mentionsSize reports whether {$size: …} stands somewhere in an expression.
func mentionsSize(expr bsoncore.Value) bool {
	if expr.Type != bsoncore.TypeEmbeddedDocument && expr.Type != bsoncore.TypeArray {
		return false
	}
	for name, operand := range op.Fields(bsoncore.Document(expr.Data)) {
		if name == "$size" || mentionsSize(operand) {
			return true
		}
	}
	return false
}

// operands are the operands of an operator, whether in a list, by name or alone.
func operands(operand bsoncore.Value) func(func(bsoncore.Value) bool) {
	return func(yield func(bsoncore.Value) bool) {
		if operand.Type == bsoncore.TypeArray {
			for item := range op.Items(op.Arr(operand)) {
				if !yield(item) {
					return
				}
			}
			return
		}
		d := op.Doc(operand)
		branches := 0
		for _, name := range []string{"then", "else"} {
			if v := op.Get(d, name); v.Type != 0 {
				branches++
				if !yield(v) {
					return
				}
			}
		}
		if branches == 0 {
			yield(operand)
		}
	}
}

// appended counts the elements that stand in a concatenation as they are.
func (g *growth) appended(expr bsoncore.Value) {
	g.Elements, g.Bytes, g.Exact = 0, 0, false
	d := op.Doc(expr)
	others := 0
	for item := range op.Items(op.Arr(op.Get(d, "$concatArrays"))) {
		if item.Type != bsoncore.TypeArray {
			others++
			continue
		}
		g.Elements += op.Len(item)
		g.Bytes += len(item.Data)
	}
	g.Exact = others == 1 && op.FirstKey(d) == "$concatArrays" // the other one is the array itself
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
			// inside of a $reduce the path is that of its value already: what it
			// accumulates is found on the way down, and looking twice at each level
			// would double the work with each
			if name == "$reduce" && path != reduced && accumulates(op.Doc(operand), path) || appends(operand, path) {
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

// accumulates reports whether a $reduce begins with the array at path and adds to
// it: {initialValue: "$a", in: {$concatArrays: ["$$value", …]}}.
func accumulates(spec bsoncore.Document, path string) bool {
	return mentions(op.Get(spec, "initialValue"), path) && appends(op.Get(spec, "in"), reduced)
}

// reduced is the path of what a $reduce has made so far, "$$value".
const reduced = "$value"

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
