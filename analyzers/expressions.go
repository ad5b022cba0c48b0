package analyzers

import (
	"slices"
	"strings"

	"go.mongodb.org/mongo-driver/v2/x/bsonx/bsoncore"

	"mongoadvisor/internal/op"
)

// expression is what the operand of $expr means to an index.
type expression struct {
	// Indexable: a comparison of a field with a constant, which takes an index
	// range as a plain condition does (unless the index is multikey).
	Indexable bool
	// Operator is the one around a field that no index can serve, "" when there
	// is none: "$toLower", or the comparison itself when it compares two fields.
	Operator string
	Operand  bsoncore.Value
	Fields   bool     // it compares fields with each other
	Paths    []string // cleaned
}

// judgeExpr reads the operand of $expr. A variable is a constant here: one that
// let binds is the same for every document looked at.
func judgeExpr(v bsoncore.Value) expression {
	name, operand := operator(v)
	switch name {
	case "":
		return expression{}
	case "$and":
		return judgeAnd(operand)
	case "$or":
		return judgeOr(operand)
	case "$not":
		e := judgeExpr(unwrap(operand))
		if e.Operator != "" { // the opposite is another function of the same fields
			e.Operator, e.Operand, e.Fields = name, operand, false
		}
		e.Indexable = false
		return e
	case "$eq", "$gt", "$gte", "$lt", "$lte", "$ne", "$cmp":
		return judgeComparison(name, operand)
	}
	return judgeFunction(v)
}

// judgeAnd: one part with an index range is enough, the others only filter.
func judgeAnd(parts bsoncore.Value) expression {
	var worst expression
	for item := range op.Items(op.Arr(parts)) {
		e := judgeExpr(item)
		if e.Indexable {
			return e
		}
		if worst.Operator == "" {
			worst = e
		}
	}
	return worst
}

// judgeOr: one part without a range makes the others useless.
func judgeOr(parts bsoncore.Value) expression {
	out := expression{}
	for item := range op.Items(op.Arr(parts)) {
		if out = judgeExpr(item); !out.Indexable {
			return out
		}
	}
	return out
}

func judgeComparison(name string, operand bsoncore.Value) expression {
	var sides []bsoncore.Value
	for item := range op.Items(op.Arr(operand)) {
		sides = append(sides, item)
	}
	if len(sides) != 2 {
		return expression{}
	}
	left, right := fieldPath(sides[0]), fieldPath(sides[1])
	switch {
	case left != "" && right != "":
		return expression{Operator: name, Operand: operand, Fields: true, Paths: []string{op.Path(left), op.Path(right)}}
	case left != "" && !readsFields(sides[1]), right != "" && !readsFields(sides[0]):
		return expression{Indexable: name != "$ne" && name != "$cmp"}
	}
	for _, side := range sides {
		if e := judgeFunction(side); e.Operator != "" {
			return e
		}
	}
	return expression{}
}

// judgeFunction is for an operator that computes something out of fields.
func judgeFunction(v bsoncore.Value) expression {
	name, operand := operator(v)
	if name == "" || !readsFields(v) {
		return expression{}
	}
	e := expression{Operator: name, Operand: operand}
	readPaths(operand, &e.Paths)
	return e
}

// operator splits {$name: operand}.
func operator(v bsoncore.Value) (name string, operand bsoncore.Value) {
	for k, o := range op.Fields(op.Doc(v)) {
		if strings.HasPrefix(k, "$") && k != "$literal" {
			return k, o
		}
		break
	}
	return "", bsoncore.Value{}
}

// unwrap takes the one element out of an array: operators take both forms.
func unwrap(v bsoncore.Value) bsoncore.Value {
	if op.Len(v) == 1 {
		for item := range op.Items(op.Arr(v)) {
			return item
		}
	}
	return v
}

// fieldPath is the path of "$a.b" or "$$ROOT.a.b", "" for anything else.
func fieldPath(v bsoncore.Value) string {
	s := op.Str(v)
	for _, root := range []string{"$$ROOT.", "$$CURRENT."} {
		if path, ok := strings.CutPrefix(s, root); ok {
			return path
		}
	}
	if strings.HasPrefix(s, "$") && !strings.HasPrefix(s, "$$") {
		return s[1:]
	}
	return ""
}

// readsFields reports whether an expression depends on the document.
func readsFields(v bsoncore.Value) bool {
	var paths []string
	return readPaths(v, &paths)
}

// readPaths gathers the cleaned paths of the fields an expression reads, and
// reports whether it reads the document at all: $$ROOT alone names no field.
func readPaths(v bsoncore.Value, out *[]string) (reads bool) {
	switch v.Type {
	case bsoncore.TypeString:
		if s := op.Str(v); s == "$$ROOT" || s == "$$CURRENT" {
			return true
		}
		path := fieldPath(v)
		if path == "" {
			return false
		}
		if path = op.Path(path); !slices.Contains(*out, path) && len(*out) < maxUsed {
			*out = append(*out, path)
		}
		return true
	case bsoncore.TypeEmbeddedDocument, bsoncore.TypeArray:
		for k, item := range op.Fields(bsoncore.Document(v.Data)) {
			if k != "$literal" && readPaths(item, out) {
				reads = true
			}
		}
	}
	return reads
}

// usesOperator reports whether one of the operators stands in an expression.
func usesOperator(v bsoncore.Value, names ...string) bool {
	if v.Type != bsoncore.TypeEmbeddedDocument && v.Type != bsoncore.TypeArray {
		return false
	}
	for k, item := range op.Fields(bsoncore.Document(v.Data)) {
		if slices.Contains(names, k) || k != "$literal" && usesOperator(item, names...) {
			return true
		}
	}
	return false
}
