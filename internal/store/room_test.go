package store

import (
	"fmt"
	"testing"
	"time"

	"mongoadvisor/internal/analysis"
	"mongoadvisor/internal/op"
)

// TestFullStoreTakesWhatIsNew: one-off findings below their floor give way, the
// oldest first; what is shown stays, and what went is counted.
func TestFullStoreTakesWhatIsNew(t *testing.T) {
	s := New(Config{Profile: Staging, MaxFindings: 32})
	rule := &analysis.Analyzer{ID: "Q01", Severity: analysis.Medium}
	start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	record := func(coll string, at int) {
		now := start.Add(time.Duration(at) * time.Second)
		s.Record(analysis.Report{Rule: rule, Op: &op.Operation{Time: now}, Time: now, Severity: analysis.Medium, NS: op.Namespace{DB: "d", Coll: coll}})
	}
	for i := range 20 {
		record("kept", i)
	}
	for i := range 100 {
		record(fmt.Sprintf("once%c%c", 'a'+i/26, 'a'+i%26), 100+i)
	}
	for i := range 20 {
		record("late", 300+i)
	}
	shown := map[string]bool{}
	for _, e := range s.Findings() {
		shown[e.Namespace] = true
	}
	if len(shown) != 2 || !shown["d.kept"] || !shown["d.late"] {
		t.Errorf("shown: %v", shown)
	}
	if n := s.Totals().Untracked; n < 60 || n > 75 {
		t.Errorf("%d occurrences untracked", n)
	}
}

// A store that is full of findings everybody is shown looks for room once in a
// while, not at each new finding: that would be quadratic in what a client sends.
func TestAFullStoreDoesNotSearchEachTime(t *testing.T) {
	s := New(Config{Profile: CI, MaxFindings: 100})
	for i := range 101 {
		see(s, start, sight{shape: fmt.Sprintf("{field%d}", i)})
	}
	if s.crowded != 100 {
		t.Fatalf("the next %d findings are turned away without a search", s.crowded)
	}
	for i := range 50 {
		see(s, start, sight{shape: fmt.Sprintf("{more%d}", i)})
	}
	if s.crowded != 50 || s.Totals().Untracked != 51 {
		t.Errorf("%d to turn away, %d untracked", s.crowded, s.Totals().Untracked)
	}
}
