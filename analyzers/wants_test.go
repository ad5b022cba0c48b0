package analyzers_test

import (
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
	spared := 0
	for _, a := range analyzers.All() {
		if a.Wants == 0 {
			continue
		}
		all := *a
		all.Wants = 0
		for _, path := range files {
			f, err := cases.Load(path)
			if err != nil {
				t.Fatal(err)
			}
			f.Limits, f.Findings = nil, nil
			some, every := reports(t, f, a), reports(t, f, &all)
			if some != every {
				t.Errorf("%s: %s reports %d times with Wants and %d times without", path, a.ID, some, every)
			}
			if every == 0 {
				spared++
			}
		}
	}
	if spared < 100 {
		t.Errorf("only %d silent replays were compared", spared)
	}
}

func reports(t *testing.T, f *cases.File, a *analysis.Analyzer) (n int) {
	t.Helper()
	steps, _, err := analysistest.Replay(f, []*analysis.Analyzer{a})
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range steps {
		n += len(s)
	}
	return n
}
