package sink

import (
	"regexp"
	"strings"
	"testing"

	"mongoadvisor/internal/analysis"
	"mongoadvisor/internal/store"
)

var command = regexp.MustCompile(`^::(error|warning|notice) (?:file=([^:,]+),line=(\d+),)?title=([^:,]*)::(.*)$`)

func commands(t *testing.T, text string) [][]string {
	t.Helper()
	var out [][]string
	for _, l := range strings.Split(strings.TrimSuffix(text, "\n"), "\n") {
		m := command.FindStringSubmatch(l)
		if m == nil {
			t.Fatalf("no workflow command: %s", l)
		}
		out = append(out, m)
	}
	return out
}

func TestGitHub(t *testing.T) {
	r := sample()
	r.Findings[0].Comment = "at=orders/cart.go:42 Add"
	got := commands(t, written(t, r, "github"))
	if len(got) != 3 {
		t.Fatalf("%d commands: %q", len(got), got)
	}
	first, last := got[0], got[2]
	if first[1] != "warning" || first[2] != "orders/cart.go" || first[3] != "42" || first[4] != "Q02 regex-case-insensitive%3A shop.customers" {
		t.Errorf("%q", first)
	}
	if !strings.Contains(first[5], "%0Adb.customers.createIndex({ \"address.city\": 1 }") || !strings.Contains(first[5], "1,412 times") {
		t.Errorf("%s", first[5])
	}
	if got[1][1] != "notice" || last[1] != "notice" || !strings.HasPrefix(last[5], "Findings: 1 medium, 1 info, 1 muted, 4 more below their floor%0AIncomplete. 99.9 %25 of the traffic was understood") {
		t.Errorf("%q", last)
	}
}

// TestGitHubShowsNoMoreThanGitHubDoes: the worst of each level, and how many more.
func TestGitHubShowsNoMoreThanGitHubDoes(t *testing.T) {
	r := sample()
	r.Findings = nil
	for severity := analysis.Critical; ; severity-- {
		for range 15 {
			e := sample().Findings[0]
			e.Severity = severity
			r.Findings = append(r.Findings, e)
		}
		if severity == analysis.Info {
			break
		}
	}
	n := map[string]int{}
	got := commands(t, written(t, r, "github"))
	for _, c := range got {
		n[c[1]]++
	}
	if n["error"] != 10 || n["warning"] != 10 || n["notice"] != 10 || got[0][1] != "error" {
		t.Errorf("%v", n)
	}
	if words := got[len(got)-1][5]; !strings.Contains(words, "46 of them are not shown above") {
		t.Error(words)
	}
}

func TestGitHubOfMutedFindings(t *testing.T) {
	r := sample()
	for i := range r.Findings {
		r.Findings[i].Status = []store.Status{store.Muted, store.Fixed}[i%2]
	}
	if got := commands(t, written(t, r, "github")); len(got) != 1 || !strings.Contains(got[0][5], "none open, 2 muted, 1 fixed") {
		t.Errorf("%q", got)
	}
}

func TestGitHubOfHostileNames(t *testing.T) {
	for _, c := range commands(t, written(t, hostile(), "github")) {
		if len(c[0]) > 40_000 || strings.Contains(regexp.MustCompile(`%(25|0D|0A|3A|2C)`).ReplaceAllString(c[0], ""), "%") {
			t.Errorf("%.200q", c[0])
		}
	}
}

func TestCallSites(t *testing.T) {
	for comment, want := range map[string]site{
		"": {}, "route=/orders": {}, "cart.go:42": {"cart.go", 42}, "at internal/cart.go:42 in Add": {"internal/cart.go", 42}, "app=x,at=src/a.py:7": {"src/a.py", 7},
		"at=./src/a.py:7;": {"src/a.py", 7}, "../../etc/passwd.d:1": {}, "a/../../x.go:3": {}, "/usr/x.go:1": {}, "x.go:0": {}, "db.example:27017": {"db.example", 27017}, "cart.go:<id>": {},
	} {
		if got := callSite(comment); got != want {
			t.Errorf("%q: %+v, want %+v", comment, got, want)
		}
	}
}
