package analyzers_test

import (
	"testing"

	"mongoadvisor/analyzers"
	"mongoadvisor/internal/analysis"
	"mongoadvisor/internal/analysis/analysistest"
)

// TestRules runs every rule over its data files. A rule without bad.json and
// good.json fails by existing.
func TestRules(t *testing.T) {
	for _, a := range analyzers.All() {
		t.Run(a.ID, func(t *testing.T) { analysistest.Run(t, "testdata", a) })
	}
}

// TestCatalogue checks the list as a whole.
func TestCatalogue(t *testing.T) {
	if err := analysis.Validate(analyzers.All()); err != nil {
		t.Fatal(err)
	}
}
