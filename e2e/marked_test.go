package e2e

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"mongoadvisor/internal/store"
)

// TestMarkedSuites: suites that say which test they are in, as docs/ci.md shows it; each
// finding names the test during which it occurred, those of tests that ran at the same
// time both of them.
func TestMarkedSuites(t *testing.T) {
	for name, suite := range map[string]struct {
		command func(t *testing.T) []string
		want    []string
	}{
		"Go": {goSuite, []string{
			"W02 shop.customers TestVisitIsKept 1", "Q06 shop.orders TestOrderIsFound 1",
			"Q06 shop.invoices TestBeside/invoices 1, TestBeside/returns 1", "Q06 shop.returns TestBeside/invoices 1, TestBeside/returns 1",
		}},
		"pytest": {pytestSuite, []string{
			"W02 shop.customers test_shop.py::test_visit_is_kept 1", "Q06 shop.orders test_shop.py::test_order_is_found 1",
			"Q02 shop.customers test_shop.py::test_customers_of_a_city[<id>] 1, test_shop.py::test_customers_of_a_city[Pune] 1",
		}},
		"Mocha": {mochaSuite, []string{
			"Q06 shop.orders orders are found by their number 1", "W02 shop.customers customers keep their visits 1", "Q02 shop.customers customers of a city are found 1",
		}},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "findings.json")
			exit, out := gated(t, []string{"PYTHONDONTWRITEBYTECODE=1"}, suite.command(t), "--output", path)
			if exit != 1 {
				t.Fatalf("exit code %d\n%s", exit, out)
			}
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			var report struct{ Findings []store.Entry }
			if err := json.Unmarshal(text, &report); err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, e := range report.Findings {
				var tests []string
				for _, x := range e.Tests {
					tests = append(tests, fmt.Sprintf("%s %d", x.Name, x.Count))
				}
				got = append(got, fmt.Sprintf("%s %s %s", e.Rule, e.Namespace, strings.Join(tests, ", ")))
			}
			for _, want := range suite.want {
				if !slices.Contains(got, want) {
					t.Errorf("%q is not in\n%s", want, strings.Join(got, "\n"))
				}
			}
		})
	}
}

// goSuite builds it: `go test` behind the proxy would do, too, and compile on its clock.
func goSuite(t *testing.T) []string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "gotests.test")
	if out, err := exec.Command("go", "test", "-c", "-o", path, "./apps/gotests").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return []string{path, "-test.parallel", "2"}
}

func pytestSuite(t *testing.T) []string {
	t.Helper()
	python := installed(t, envPython)
	if err := exec.Command(python, "-c", "import pytest").Run(); err != nil {
		missing(t, "pytest")
	}
	return []string{python, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--rootdir", filepath.Join("apps", "pytest"), filepath.Join("apps", "pytest")}
}

func mochaSuite(t *testing.T) []string {
	t.Helper()
	root := installed(t, envNode)
	mocha := filepath.Join(root, "node_modules", ".bin", "mocha")
	if _, err := os.Stat(mocha); err != nil {
		missing(t, "mocha")
	}
	hooks, tests := placed(t, root, filepath.Join("apps", "mocha", "marked.js")), placed(t, root, filepath.Join("apps", "mocha", "shop.test.js"))
	return []string{mocha, "--require", hooks, tests}
}

// missing skips a test for want of a framework; CI has all of them.
func missing(t *testing.T, what string) {
	t.Helper()
	if os.Getenv("CI") != "" {
		t.Fatalf("%s is not installed, and CI is set", what)
	}
	t.Skipf("install %s to run it", what)
}
