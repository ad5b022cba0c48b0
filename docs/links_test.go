package docs_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var link = regexp.MustCompile(`\]\(([^)#\s]+)(#[^)]*)?\)`)

// TestLinks: a link to a file leads to one.
func TestLinks(t *testing.T) {
	for _, path := range append(pages(t), "../CONTRIBUTING.md", "../CHANGELOG.md", "../README.md", "../SECURITY.md") {
		for _, m := range link.FindAllStringSubmatch(read(t, path), -1) {
			if strings.Contains(m[1], "://") {
				continue
			}
			if _, err := os.Stat(filepath.Join(filepath.Dir(path), m[1])); err != nil {
				t.Errorf("%s: %v", path, err)
			}
		}
	}
}

var (
	named    = regexp.MustCompile(`\bTest[A-Z]\w+`)
	declared = regexp.MustCompile(`(?m)^func (Test\w+)\(`)
)

// TestNamedTests: a test that a page names exists.
func TestNamedTests(t *testing.T) {
	all := map[string]bool{}
	err := filepath.WalkDir("..", func(path string, _ os.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(path, "_test.go") {
			for _, m := range declared.FindAllStringSubmatch(read(t, path), -1) {
				all[m[1]] = true
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range pages(t) {
		for _, name := range named.FindAllString(read(t, path), -1) {
			if !all[name] {
				t.Errorf("%s names %s, which does not exist", path, name)
			}
		}
	}
}
