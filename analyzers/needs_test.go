package analyzers_test

import (
	"path/filepath"
	"testing"
	"time"

	"mongoadvisor/analyzers"
	"mongoadvisor/internal/analysis"
	"mongoadvisor/internal/analysis/cases"
	"mongoadvisor/internal/op"
)

// TestNeeds: a rule that says nothing of its own data files without replies, or
// without latencies, says that it needs them, and no other rule does. A report
// must not count the silence of a rule that cannot speak as an all-clear.
func TestNeeds(t *testing.T) {
	for _, a := range analyzers.All() {
		paths, err := filepath.Glob(filepath.Join("testdata", a.ID, "*.json"))
		if err != nil {
			t.Fatal(err)
		}
		with, without := 0, map[op.Has]int{}
		for _, path := range paths {
			load := func(change func(*cases.Step)) int {
				f, err := cases.Load(path)
				if err != nil {
					t.Fatal(err)
				}
				for i := range f.Operations {
					change(&f.Operations[i])
				}
				return spoken(t, f, []*analysis.Analyzer{a})[a.ID]
			}
			with += load(func(*cases.Step) {})
			without[op.HasReply] += load(func(s *cases.Step) { s.NoReply = s.Command != nil })
			without[op.HasLatency] += load(func(s *cases.Step) { s.Latency = -time.Hour })
		}
		if with == 0 {
			t.Errorf("%s: its files cause no report", a.ID)
		}
		for has, n := range without {
			if says := a.Needs&has != 0; says != (n == 0) {
				t.Errorf("%s: %d reports without %s, and it says that it needs them: %v", a.ID, n, has, says)
			}
		}
	}
}
