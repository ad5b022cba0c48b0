package store

import (
	"fmt"
	"slices"
	"testing"

	"mongoadvisor/internal/analysis"
	"mongoadvisor/internal/op"
)

// TestTestsOfAFinding: they are counted by name, the most occurrences first, and bounded.
func TestTestsOfAFinding(t *testing.T) {
	s := New(Config{Profile: CI})
	o := &op.Operation{Time: start, Command: "find", NS: op.ParseNamespace("shop.orders")}
	r := analysis.Report{Rule: usual, Op: o, Time: start, NS: o.NS, Shape: op.TextShape("{}"), Severity: usual.Severity}
	s.Record(r)
	if got := s.Findings()[0].Tests; got != nil {
		t.Errorf("%+v", got)
	}
	r.Tests = []string{"A", "B"}
	s.Record(r)
	r.Tests, r.Count = []string{"B"}, 3
	s.Record(r)
	if got := s.Findings()[0].Tests; !slices.Equal(got, []Test{{"B", 4}, {"A", 1}}) {
		t.Errorf("%+v", got)
	}
	for i := range 2 * maxTests {
		r.Count, r.Tests = 1, []string{fmt.Sprint("X", i), fmt.Sprint("Y", i)}
		s.Record(r)
	}
	got, total := s.Findings()[0].Tests, int64(0)
	for _, x := range got {
		total += x.Count
	}
	// A and B, seven occurrences with two names each, and one entry for the 25 others
	if len(got) != maxTests+1 || got[0] != (Test{otherTests, 25}) || total != 5+14+25 {
		t.Errorf("%d of %d: %+v", len(got), total, got)
	}
	if kept := reopened(t, Config{Profile: CI}, s.Save()).Findings()[0].Tests; !slices.Equal(kept, got) {
		t.Errorf("the next process has %+v", kept)
	}
}
