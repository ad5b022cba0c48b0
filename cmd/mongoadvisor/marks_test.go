package main

import (
	"slices"
	"testing"

	"mongoadvisor/internal/engine"
	"mongoadvisor/internal/op"
	"mongoadvisor/internal/sink"
)

// TestMarks: a mark is told of when it names no rule, silences nothing, or gives no
// reason. One of a rule that needs an inspection names a rule.
func TestMarks(t *testing.T) {
	ns := op.Namespace{DB: "shop", Coll: "orders"}
	got := marks([]engine.MarkUse{
		{Namespace: ns, Rule: "Q01", Silenced: 3},
		{Namespace: ns, Rule: "Q02", Silenced: 3, Reasonless: true},
		{Namespace: ns, Rule: "q03", Reasonless: true},
		{Namespace: ns, Rule: ""},
		{Namespace: ns, Rule: "I01"},
	})
	want := []sink.IdleIgnore{
		{Mark: true, Rule: "Q02", Namespace: "shop.orders", Why: sink.IgnoreNoReason},
		{Mark: true, Rule: "q03", Namespace: "shop.orders", Why: sink.IgnoreNoRule},
		{Mark: true, Rule: "", Namespace: "shop.orders", Why: sink.IgnoreNoRule},
		{Mark: true, Rule: "I01", Namespace: "shop.orders", Why: sink.IgnoreUnused},
	}
	if !slices.Equal(got, want) {
		t.Errorf("%+v", got)
	}
}
