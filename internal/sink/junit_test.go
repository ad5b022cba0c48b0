package sink

import (
	"encoding/xml"
	"strings"
	"testing"

	"mongoadvisor/internal/analysis"
	"mongoadvisor/internal/store"
)

func readJUnit(t *testing.T, text string) junitReport {
	t.Helper()
	var out junitReport
	if err := xml.Unmarshal([]byte(text), &out); err != nil {
		t.Fatal(err)
	}
	sum := junitCounts{Name: "mongoadvisor", Time: "0"}
	for _, s := range out.Suites {
		n := junitCounts{Name: s.Name, Time: "0"}
		names := map[string]bool{}
		for _, c := range s.Cases {
			n.Tests++
			if c.Failure != nil {
				n.Failures++
			}
			if c.Skipped != nil {
				n.Skipped++
			}
			if c.Name == "" || c.Class == "" || c.Time == "" || names[c.Name] {
				t.Errorf("test %q of class %q, time %q", c.Name, c.Class, c.Time)
			}
			names[c.Name] = true
		}
		if s.junitCounts != n || n.Tests == 0 {
			t.Errorf("suite %+v, counted %+v", s.junitCounts, n)
		}
		sum.Tests, sum.Failures, sum.Skipped = sum.Tests+n.Tests, sum.Failures+n.Failures, sum.Skipped+n.Skipped
	}
	if out.junitCounts != sum {
		t.Errorf("%+v, counted %+v", out.junitCounts, sum)
	}
	return out
}

func TestJUnit(t *testing.T) {
	r := sample()
	r.Rules = []*analysis.Analyzer{{ID: "Q01", Name: "regex-no-index-prefix"}, {ID: "Q02", Name: "regex-case-insensitive"}, {ID: "O05", Name: "untraceable-traffic"}}
	r.FailOn = analysis.Low
	got := readJUnit(t, written(t, r, "junit"))
	outcomes := map[string]string{}
	for _, s := range got.Suites {
		for _, c := range s.Cases {
			outcome := "passed " + c.Output
			if c.Failure != nil {
				outcome = "failed: " + c.Failure.Message + c.Failure.Text
			} else if c.Skipped != nil {
				outcome = "skipped: " + c.Skipped.Message
			}
			outcomes[s.Name+" / "+c.Name] = outcome
		}
	}
	for name, want := range map[string][]string{
		"coverage / traffic was seen":                                                  {"passed", "99.9 %", "1,000 messages shed (queue_full)"},
		"Q01 regex-no-index-prefix / no open findings":                                 {"passed"},
		"Q02 regex-case-insensitive / shop.customers find exact [27d13b9845c79ce7]":    {"failed: medium: case-insensitive", "1,412 times", "db.customers.createIndex"},
		"O05 untraceable-traffic / (connection) notice undecodable [0000000000000002]": {"passed", "a connection cannot be read"},
		"Q10 / not judged": {"skipped: this source carries no execution statistics"},
	} {
		for _, w := range want {
			if !strings.Contains(outcomes[name], w) {
				t.Errorf("%s: %q, want %q", name, outcomes[name], w)
			}
		}
		delete(outcomes, name)
	}
	for name := range outcomes {
		t.Errorf("%s is not expected", name)
	}
	if !strings.Contains(written(t, r, "junit"), `<testsuites name="mongoadvisor" tests="5" failures="1" errors="0" skipped="1" time="0">`) {
		t.Error("the first element is another")
	}
}

// TestJUnitOfMutedFindings: they are no tests, and the rule has not failed.
func TestJUnitOfMutedFindings(t *testing.T) {
	r := sample()
	r.Findings = r.Findings[2:]
	fixed := r.Findings[0]
	fixed.Status, fixed.Rule, fixed.Severity = store.Fixed, "Q03", analysis.Critical
	r.Findings = append(r.Findings, fixed)
	got := readJUnit(t, written(t, r, "junit"))
	if got.Failures != 0 || got.Tests != 4 {
		t.Errorf("%+v", got.junitCounts)
	}
	if text := written(t, r, "junit"); !strings.Contains(text, "muted: medium prefix on shop.customers [0000000000000001]: an old report") || !strings.Contains(text, "fixed: critical") {
		t.Error(text)
	}
}

// TestJUnitOfNoTraffic: with nothing seen nothing has passed.
func TestJUnitOfNoTraffic(t *testing.T) {
	r := &Report{Rules: []*analysis.Analyzer{{ID: "Q01", Name: "x"}}}
	if got := readJUnit(t, written(t, r, "junit")); got.Skipped != 2 || got.Tests != 2 {
		t.Errorf("%+v", got.junitCounts)
	}
}

func TestJUnitOfHostileNames(t *testing.T) {
	text := written(t, hostile(), "junit")
	var got junitReport
	if err := xml.Unmarshal([]byte(text), &got); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(text, "x]]&gt;y") || strings.Contains(text, "<script") {
		t.Error("not escaped")
	}
	failed := 0
	for _, e := range hostile().Findings {
		if open(e) {
			failed++
		}
	}
	if got.Failures != failed {
		t.Errorf("%d failures, want %d", got.Failures, failed)
	}
}
