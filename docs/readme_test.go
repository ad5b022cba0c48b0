package docs_test

import (
	"fmt"
	"strings"
	"testing"

	"mongoadvisor/analyzers"
)

// TestRulesOfReadme compares the table of the README with the rules: each once,
// in their order, with title and severity; and the changelog names every rule.
func TestRulesOfReadme(t *testing.T) {
	readme, changes := read(t, "../README.md"), read(t, "../CHANGELOG.md")
	var want strings.Builder
	for _, a := range analyzers.All() {
		off := ""
		if a.Off {
			off = ", off by default"
		}
		fmt.Fprintf(&want, "| [%s](docs/rules/%s.md) | %s (%s%s) |\n", a.ID, a.ID, a.Title, a.Severity, off)
		if !strings.Contains(changes, "] "+a.ID+" "+a.Name) {
			t.Errorf("CHANGELOG.md does not name %s %s", a.ID, a.Name)
		}
	}
	if !strings.Contains(readme, "| --- | --- |\n"+want.String()+"\n") {
		t.Errorf("the table of rules in README.md should be\n%s", want.String())
	}
}
