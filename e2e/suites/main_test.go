package main

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const root = "../.."

func TestPageIsOfTheResults(t *testing.T) {
	want, err := renderPage(root)
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(filepath.Join(root, page))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s is not what the results give: go run ./e2e/suites -table\n%s", page, diff)
	}
}

// The page names tests, as "`folder` TestName", that are there.
func TestPageNamesTests(t *testing.T) {
	named := regexp.MustCompile("`([a-z0-9/]+)` (Test\\w+)").FindAllStringSubmatch(tail, -1)
	if len(named) == 0 {
		t.Fatal("it names none")
	}
	for _, m := range named {
		files, _ := filepath.Glob(filepath.Join(root, m[1], "*_test.go"))
		if !slices.ContainsFunc(files, func(file string) bool {
			b, err := os.ReadFile(file)
			return err == nil && strings.Contains(string(b), "func "+m[2]+"(")
		}) {
			t.Errorf("no %s in %s", m[2], m[1])
		}
	}
}

// What is committed is what the page may promise.
func TestResultsHaveNoFaults(t *testing.T) {
	suites, err := loadSuites(".")
	if err != nil {
		t.Fatal(err)
	}
	of := map[string]suite{}
	for _, s := range suites {
		of[s.Name] = s
	}
	results, err := readResults("results")
	if err != nil {
		t.Fatal(err)
	}
	if len(results) == 0 {
		t.Fatal("no results")
	}
	for _, r := range results {
		if faults := r.faults(of[r.Suite]); len(faults) > 0 {
			t.Errorf("%s: %s", r.cell(), strings.Join(faults, "; "))
		}
		if r.equal() == 0 {
			t.Errorf("%s: no test", r.cell())
		}
	}
}

func TestCompare(t *testing.T) {
	c := compare(outcomes{"a": pass, "b": pass, "c": fail, "d": skip, "gone": pass, "torn": pass},
		outcomes{"a": pass, "b": fail, "c": fail, "d": skip, "new": pass, "torn": fail})
	if diff := cmp.Diff(map[string]int{pass: 1, fail: 1, skip: 1}, c.Same); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"b", "gone", "new", "torn"}, c.ids()); diff != "" {
		t.Fatal(diff)
	}
	// b passes now, torn passes where it failed and the other way round, the rest stays
	c.again(outcomes{"b": pass, "gone": pass, "torn": fail}, outcomes{"b": pass, "new": pass, "torn": fail})
	want := []seen{{"gone", []string{pass, pass}, []string{absent, absent}}, {"new", []string{absent, absent}, []string{pass, pass}}}
	if diff := cmp.Diff(want, c.Differ); diff != "" {
		t.Error(diff)
	}
	if len(c.Unsteady) != 2 {
		t.Errorf("unsteady: %v", c.Unsteady)
	}
}

func TestReadOutcomes(t *testing.T) {
	got, err := readOutcomes(strings.NewReader("pass\ta b\nskip\tc\n"))
	if diff := cmp.Diff(outcomes{"a b": pass, "c": skip}, got); diff != "" || err != nil {
		t.Errorf("%v %s", err, diff)
	}
	for _, bad := range []string{"pass a\n", "ok\ta\n", "pass\ta\nfail\ta\n"} {
		if _, err := readOutcomes(strings.NewReader(bad)); err == nil {
			t.Errorf("%q was read", bad)
		}
	}
}

func TestSuites(t *testing.T) {
	suites, err := loadSuites(".")
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range suites {
		for _, name := range []string{"setup", "run"} {
			info, err := os.Stat(filepath.Join(s.Name, name))
			if err != nil {
				t.Error(err)
			} else if info.Mode()&0o111 == 0 {
				t.Errorf("%s/%s cannot be executed", s.Name, name)
			}
		}
		files := map[string]bool{}
		for _, c := range s.cells() {
			if files[c.file()] {
				t.Errorf("%s: %s twice", s.Name, c)
			}
			files[c.file()] = true
		}
	}
}
