package engine

import (
	"testing"

	"mongoadvisor/internal/analysis"
	"mongoadvisor/internal/op"
)

// What stands alone is no part of a stretch: rules that keep state do not see it, and
// the traffic's sums leave it out. What it stands for counts.
func TestSamples(t *testing.T) {
	plain, stateful := newRule("Q01", always), newRule("Q02", always)
	stateful.State = &analysis.StateSpec{New: func() any { return new(int) }}
	e, r := newEngine(Config{Rules: []*analysis.Analyzer{plain, stateful}})
	alone, first := find("c"), find("c")
	alone.Sample = op.Sample{Stretch: 1, Alone: true, Weight: 7, Every: 3}
	first.Sample = op.Sample{Stretch: 2, Weight: 40, Every: 3}
	e.Judge(alone)
	e.Judge(first)
	type seen struct {
		rule  string
		count int64
	}
	var got []seen
	for _, x := range r.reports {
		got = append(got, seen{x.Rule.ID, x.Count})
	}
	want := []seen{{"Q01", 7}, {"Q01", 40}, {"Q02", 3}}
	if len(got) != len(want) || got[0] != want[0] || got[1] != want[1] || got[2] != want[2] {
		t.Errorf("reports %v, want %v", got, want)
	}
	if reads := e.Traffic(op.Namespace{DB: "shop", Coll: "c"}).Reads; reads != 1 || r.observed != 2 {
		t.Errorf("%d reads, %d observed", reads, r.observed)
	}
}
