package analyzers

import (
	"go.mongodb.org/mongo-driver/v2/x/bsonx/bsoncore"

	"mongoadvisor/internal/op"
)

// unindexable is a condition that no index serves, however it is indexed.
type unindexable struct {
	Reason string // of Q06
	Expr   expression
	Path   string // cleaned; of $mod and $size
}

// The reasons of Q06.
const (
	exprFunction  = "expr-function"
	exprFields    = "expr-field-to-field"
	exprWhere     = "where"
	exprJS        = "function"
	mapReduceJS   = "map-reduce"
	remainderOnly = "mod-only"
	sizeOnly      = "size-only"
)

// javascript reports whether a condition runs code in the server.
func (u unindexable) javascript() bool { return u.Reason == exprWhere || u.Reason == exprJS }

// findUnindexable finds the worst condition of a filter that no index serves:
// code, then expressions, then $mod and $size. ok is false when there is none.
func findUnindexable(f op.Filter) (worst unindexable, ok bool) {
	for pred := range f.Predicates() {
		if u := judgePredicate(pred); u.Reason != "" && (worst.Reason == "" || rankOf(u.Reason) > rankOf(worst.Reason)) {
			worst = u
		}
	}
	return worst, worst.Reason != ""
}

func hasUnindexable(f op.Filter) bool {
	_, ok := findUnindexable(f)
	return ok
}

func rankOf(reason string) int {
	switch reason {
	case exprWhere, exprJS:
		return 2
	case exprFunction, exprFields:
		return 1
	}
	return 0
}

func judgePredicate(pred op.Predicate) unindexable {
	switch pred.Op {
	case "$where":
		return unindexable{Reason: exprWhere}
	case "$expr":
		if runsCode(pred.Value) {
			return unindexable{Reason: exprJS}
		}
		e := judgeExpr(pred.Value)
		switch {
		case e.Indexable || e.Operator == "":
		case e.Fields:
			return unindexable{Reason: exprFields, Expr: e}
		default:
			return unindexable{Reason: exprFunction, Expr: e}
		}
	case "$mod":
		if !pred.Negated && !pred.Or {
			return unindexable{Reason: remainderOnly, Path: op.Path(pred.Path)}
		}
	case "$size":
		if !pred.Negated && !pred.Or {
			return unindexable{Reason: sizeOnly, Path: op.Path(pred.Path)}
		}
	}
	return unindexable{}
}

// runsCode reports whether an expression runs JavaScript.
func runsCode(v bsoncore.Value) bool { return usesOperator(v, "$function", "$accumulator") }
