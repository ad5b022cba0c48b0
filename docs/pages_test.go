// Package docs_test holds the pages of this folder against the code.
package docs_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

func read(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// pages are the pages of this folder that are written by hand.
func pages(t *testing.T) []string {
	t.Helper()
	var out []string
	for _, pattern := range []string{"*.md", "adr/*.md"} {
		files, err := filepath.Glob(pattern)
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: no pages, %v", pattern, err)
		}
		out = append(out, files...)
	}
	return out
}

// rows are the cells of the table rows of a page whose first cell is code.
func rows(page string) [][]string {
	var out [][]string
	for line := range strings.Lines(page) {
		if cells := strings.Split(strings.TrimSpace(line), " | "); strings.HasPrefix(line, "| `") {
			cells[0] = strings.TrimPrefix(cells[0], "| ")
			cells[len(cells)-1] = strings.TrimSuffix(cells[len(cells)-1], " |")
			out = append(out, cells)
		}
	}
	return out
}

var code = regexp.MustCompile("`([^`]+)`")
