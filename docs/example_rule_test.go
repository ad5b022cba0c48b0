package docs_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// exampleTest runs the example rule over its data files, which stand for DATA.
const exampleTest = `package analyzers

import (
	"testing"

	"mongoadvisor/internal/analysis"
	"mongoadvisor/internal/analysis/analysistest"
	"mongoadvisor/internal/analysis/cases"
)

func TestExampleRule(t *testing.T) {
	if err := analysis.Validate([]*analysis.Analyzer{deepSkip()}); err != nil {
		t.Error(err)
	}
	for _, raw := range []string{DATA} {
		f, err := cases.Parse([]byte(raw))
		if err != nil {
			t.Fatal(err)
		}
		analysistest.RunFile(t, f, deepSkip())
	}
}
`

// TestExampleRule runs the rule of writing-a-rule.md, laid over the package of
// the rules.
func TestExampleRule(t *testing.T) {
	page := read(t, "writing-a-rule.md")
	rule, data := blocks(page, "go"), blocks(page, "json")
	if len(rule) != 1 || len(data) != 3 {
		t.Fatalf("%d blocks of Go and %d of JSON", len(rule), len(data))
	}
	config, folder := overlay(t, "../analyzers", map[string]string{
		"q90_deep_skip.go":      rule[0],
		"q90_deep_skip_test.go": strings.Replace(exampleTest, "DATA", "`"+strings.Join(data, "`, `")+"`", 1),
	})
	out, err := exec.CommandContext(t.Context(), "go", "test", "-overlay", config, "-run", "^TestExampleRule$", "-v", folder).CombinedOutput()
	if err != nil || !strings.Contains(string(out), "--- PASS: TestExampleRule") {
		t.Errorf("%v\n%s", err, out)
	}
}

// blocks are the fenced blocks of a page in one language.
func blocks(page, language string) []string {
	var out []string
	for _, m := range regexp.MustCompile("(?s)```"+language+"\n(.*?)```").FindAllStringSubmatch(page, -1) {
		out = append(out, m[1])
	}
	return out
}

// overlay writes a file for the go command's -overlay that adds files to a
// folder, and returns it with the folder's path.
func overlay(t *testing.T, folder string, files map[string]string) (config, path string) {
	t.Helper()
	path, err := filepath.Abs(folder)
	if err != nil {
		t.Fatal(err)
	}
	dir, replace := t.TempDir(), map[string]string{}
	for name, text := range files {
		replace[filepath.Join(path, name)] = write(t, filepath.Join(dir, name), []byte(text))
	}
	raw, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		t.Fatal(err)
	}
	return write(t, filepath.Join(dir, "overlay.json"), raw), path
}

func write(t *testing.T, path string, text []byte) string {
	t.Helper()
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}
