package docs_test

import (
	"strings"
	"testing"
)

// TestHooks: the hooks that ci.md shows are those of the suites that are run.
func TestHooks(t *testing.T) {
	page := read(t, "ci.md")
	for language, path := range map[string]string{"go": "gotests/marked_test.go", "python": "pytest/conftest.py", "js": "mocha/marked.js"} {
		found := false
		for _, block := range blocks(page, language) {
			found = found || strings.Contains(read(t, "../e2e/apps/"+path), block)
		}
		if !found {
			t.Errorf("ci.md shows none of its %s as it is in e2e/apps/%s", language, path)
		}
	}
}
