package docs_test

import (
	"encoding/json"
	"os/exec"
	"strings"
	"testing"
)

// TestDependencies: each direct dependency has a line that says why it and not
// another, and no line is about something else.
func TestDependencies(t *testing.T) {
	out, err := exec.CommandContext(t.Context(), "go", "mod", "edit", "-json", "../go.mod").Output()
	if err != nil {
		t.Fatal(err)
	}
	var mod struct {
		Require []struct {
			Path     string
			Indirect bool
		}
	}
	if err := json.Unmarshal(out, &mod); err != nil {
		t.Fatal(err)
	}
	documented := map[string]bool{}
	for _, cells := range rows(read(t, "dependencies.md")) {
		documented[strings.Trim(cells[0], "`")] = true
	}
	for _, r := range mod.Require {
		if r.Indirect {
			continue
		}
		if !documented[r.Path] {
			t.Errorf("dependencies.md lacks %s: say why it and not another", r.Path)
		}
		delete(documented, r.Path)
	}
	for path := range documented {
		t.Errorf("dependencies.md has %s, which go.mod does not require directly", path)
	}
}
