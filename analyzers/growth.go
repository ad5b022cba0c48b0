package analyzers

import (
	"iter"
	"strconv"
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
	Bytes     int               // of their values, as far as they are known
	Values    []bsoncore.Value  // of $addToSet, the first maxEach
	Scalar    bool              // the elements are known to be no documents
	Exact     bool              // Elements is what it adds, when it is done
}

// maxEach bounds the values of one call that are looked at.
const maxEach = 64

type growthKind string

const (
	growPush   growthKind = "push"         // $push, $pushAll
	growSet    growthKind = "add-to-set"   // $addToSet, $setUnion: bounded by the domain of its values
	growConcat growthKind = "concat"       // a pipeline update that appends to the array itself
	growMerge  growthKind = "merge-concat" // the same in the whenMatched of $merge
	// These two take several writes to see.
	growRewrite  growthKind = "rewrite"      // the array is written as a whole, longer each time
	growPosition growthKind = "set-position" // $set of the element after the last, by its position
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
	case growRewrite:
		return op.TextShape("{update: {" + path + ": […]}}")
	case growPosition:
		return op.TextShape("{update: {$set: {" + path + ".<n>: …}}}")
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
			if len(s.Pipeline) == 0 {
				continue
			}
			// $merge can only be the last stage
			if spec := op.Doc(op.Get(s.Pipeline[len(s.Pipeline)-1], "$merge")); spec != nil {
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
			g.Path, g.Kind, g.Pushed = path, growPush, nil
			g.Elements, g.Bytes, g.Values = 1, len(operand.Data), nil
			g.Scalar, g.Exact = operand.Type != bsoncore.TypeEmbeddedDocument, false
			if name == "$addToSet" {
				g.Kind = growSet
				g.Values = append(g.Values, operand)
			}
			g.modifiers(name, operand)
			g.Exact = g.Kind == growPush || g.Elements == 1
			if !yield(g) {
				return false
			}
		}
	}
	return true
}

// modifiers reads $each and its like, and the list of $pushAll.
func (g *growth) modifiers(name string, operand bsoncore.Value) {
	d := op.Doc(operand)
	each := op.Get(d, "$each")
	switch {
	case d != nil && each.Type == bsoncore.TypeArray:
		g.Pushed = d
		g.several(each)
	case d != nil && name == "$push" && hasModifier(d):
		g.Pushed = d
	case name == "$pushAll":
		g.several(operand)
	}
}

// several counts the elements of a list that is added.
func (g *growth) several(list bsoncore.Value) {
	set := g.Values != nil
	g.Elements, g.Bytes, g.Values = 0, 0, nil
	if list.Type != bsoncore.TypeArray {
		return
	}
	for v := range op.Items(op.Arr(list)) {
		g.Elements++
		g.Bytes += len(v.Data)
		g.Scalar = v.Type != bsoncore.TypeEmbeddedDocument
		if set && len(g.Values) < maxEach {
			g.Values = append(g.Values, v)
		}
	}
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

// positioned splits "a.17" into an array and a position in it.
func positioned(path string) (array string, position int64, ok bool) {
	dot := strings.LastIndexByte(path, '.')
	if dot < 0 || dot == len(path)-1 || path[dot+1] < '0' || path[dot+1] > '9' {
		return "", 0, false
	}
	position, err := strconv.ParseInt(path[dot+1:], 10, 31)
	return path[:dot], position, err == nil
}
