package analyzers_test

import (
	"maps"
	"testing"

	"mongoadvisor/analyzers"
	"mongoadvisor/internal/analysis"
	"mongoadvisor/internal/analysis/analysistest"
	"mongoadvisor/internal/analysis/cases"
)

// TestWants: the traits a rule asks for spare it calls and no finding. Every data
// file of every rule is played with and without them.
func TestWants(t *testing.T) {
	files, err := analysistest.Files("testdata")
	if err != nil {
		t.Fatal(err)
	}
	some, all := []*analysis.Analyzer{}, []*analysis.Analyzer{}
	for _, a := range analyzers.All() {
		if a.Wants != 0 {
			every := *a
			every.Wants = 0
			some, all = append(some, a), append(all, &every)
		}
	}
	spoke := map[string]int{}
	for _, path := range files {
		f, err := cases.Load(path)
		if err != nil {
			t.Fatal(err)
		}
		f.Limits, f.Findings = nil, nil
		with, without := spoken(t, f, some), spoken(t, f, all)
		if !maps.Equal(with, without) {
			t.Errorf("%s: with Wants %v, without %v", path, with, without)
		}
		for id, n := range without {
			spoke[id] += n
		}
	}
	for _, a := range some {
		if spoke[a.ID] == 0 {
			t.Errorf("no file makes %s speak", a.ID)
		}
	}
}

// spoken counts the reports of each rule.
func spoken(t *testing.T, f *cases.File, rules []*analysis.Analyzer) map[string]int {
	t.Helper()
	steps, _, err := analysistest.Replay(f, rules)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]int{}
	for _, s := range steps {
		for _, r := range s {
			out[r.Rule.ID]++
		}
	}
	return out
}
