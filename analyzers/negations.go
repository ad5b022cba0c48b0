package analyzers

import (
	"slices"

	"mongoadvisor/internal/op"
)

// negation is what a filter asks for by saying what is not wanted.
type negation struct {
	Reason string // of Q05
	Fields []string
	Pred   op.Predicate // the first of them
}

// The reasons of Q05, the worst first.
const (
	negatedRegex = "negated-regex"
	notEqual     = "not-equal"
	negatedOther = "negation"
	missingField = "missing"
)

// findNegation collects the negative conditions of a filter; the worst decides the
// reason. ok is false when there is none.
func findNegation(f op.Filter) (n negation, ok bool) {
	for pred := range f.Predicates() {
		reason := negative(pred)
		if reason == "" || n.Reason == negatedRegex && reason != negatedRegex {
			continue
		}
		if n.Reason == "" || reason == negatedRegex && n.Reason != negatedRegex {
			n = negation{Reason: reason, Pred: pred}
		}
		if path := op.Path(pred.Path); !slices.Contains(n.Fields, path) && len(n.Fields) < maxUsed {
			n.Fields = append(n.Fields, path)
		}
	}
	return n, n.Reason != ""
}

// negative words why a condition is negative, "" when it is not. A negation of a
// negation is none.
func negative(pred op.Predicate) string {
	if pred.Path == "" {
		return ""
	}
	switch pred.Op {
	case "$regex":
		if pred.Negated {
			return negatedRegex
		}
		return ""
	case "$ne", "$nin":
		if !pred.Negated && !hasRegex(pred) {
			return notEqual
		}
		return ""
	case "$exists":
		if pred.Negated == op.True(pred.Value) {
			return missingField
		}
		return ""
	case "$eq":
		if !pred.Negated && isNull(pred.Value) {
			return missingField
		}
	case "$in":
		if !pred.Negated && onlyNull(pred) {
			return missingField
		}
	}
	if pred.Negated {
		return negatedOther
	}
	return ""
}

func onlyNull(pred op.Predicate) bool {
	n := 0
	for item := range op.Items(op.Arr(pred.Value)) {
		if !isNull(item) {
			return false
		}
		n++
	}
	return n > 0
}
