package analyzers_test

import (
	"os"
	"path/filepath"
	"testing"

	"mongoadvisor/analyzers"
)

// TestPages compares the committed pages with the rules. UPDATE_PAGES=1 writes
// them.
func TestPages(t *testing.T) {
	const dir = "../docs/rules"
	known := map[string]bool{}
	for _, a := range analyzers.All() {
		page, err := analyzers.Page(a)
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(dir, a.ID+".md")
		known[path] = true
		if os.Getenv("UPDATE_PAGES") != "" {
			if err := os.MkdirAll(dir, 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(page), 0o644); err != nil {
				t.Fatal(err)
			}
			continue
		}
		if committed, err := os.ReadFile(path); err != nil || string(committed) != page {
			t.Errorf("%s is not what the rule says; run: UPDATE_PAGES=1 go test ./analyzers -run TestPages", path)
		}
	}
	files, _ := filepath.Glob(dir + "/*.md")
	for _, f := range files {
		if !known[f] {
			t.Errorf("%s is the page of no rule; remove it", f)
		}
	}
}
