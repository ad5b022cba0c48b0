package docs_test

import (
	"go/ast"
	"go/parser"
	"go/printer"
	"go/token"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var stated = regexp.MustCompile("`([a-z]+)\\.(\\w+) = ([^`]+)`")

// TestConstants: a constant that a page gives as `package.name = value` has
// that value in the code.
func TestConstants(t *testing.T) {
	seen := map[string]map[string]string{}
	for _, path := range pages(t) {
		for _, m := range stated.FindAllStringSubmatch(read(t, path), -1) {
			dir := folder(m[1])
			if seen[dir] == nil {
				seen[dir] = constants(t, dir)
			}
			if got := seen[dir][m[2]]; got != m[3] {
				t.Errorf("%s says %s.%s = %s, the code says %q", path, m[1], m[2], m[3], got)
			}
		}
	}
	if len(seen) == 0 {
		t.Error("no page gives a constant: the form of the pages has changed")
	}
}

// folder is where a package lies.
func folder(name string) string {
	switch name {
	case "wire", "proxy", "analyzers":
		return "../" + name
	case "extjson", "logged", "mongolog", "profiler":
		return "../internal/source/" + name
	case "cmd":
		return "../cmd/mongoadvisor"
	case "pcap":
		return "../internal/source/" + name
	}
	return "../internal/" + name
}

// constants are the constants and variables of a package with the text of
// their values.
func constants(t *testing.T, dir string) map[string]string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%s: no Go files, %v", dir, err)
	}
	out, set := map[string]string{}, token.NewFileSet()
	for _, path := range files {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(set, path, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range f.Decls {
			g, ok := d.(*ast.GenDecl)
			if !ok {
				continue
			}
			for _, spec := range g.Specs {
				if v, ok := spec.(*ast.ValueSpec); ok && len(v.Values) == len(v.Names) {
					note(t, out, set, v)
				}
			}
		}
	}
	return out
}

func note(t *testing.T, out map[string]string, set *token.FileSet, v *ast.ValueSpec) {
	t.Helper()
	for i, name := range v.Names {
		var text strings.Builder
		if err := printer.Fprint(&text, set, v.Values[i]); err != nil {
			t.Fatal(err)
		}
		out[name.Name] = text.String()
	}
}
