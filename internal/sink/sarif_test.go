package sink

import (
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"testing"

	"github.com/owenrumney/go-sarif/v3/pkg/report/v210/sarif"

	"mongoadvisor/internal/analysis"
	"mongoadvisor/internal/store"
)

// validated reads SARIF back and holds it against the schema.
func validated(t *testing.T, text string) *sarif.Run {
	t.Helper()
	var known sarif.Report
	d := json.NewDecoder(strings.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(&known); err != nil {
		t.Fatal(err)
	}
	got, err := sarif.FromString(text)
	if err != nil {
		t.Fatal(err)
	}
	if err := got.Validate(); err != nil {
		t.Fatal(err)
	}
	return got.Runs[0]
}

func TestSARIF(t *testing.T) {
	r := sample()
	r.Version = "1.2.3"
	r.Rules = []*analysis.Analyzer{{
		ID: "Q02", Name: "regex-case-insensitive", Title: "Case-insensitive regular expression", Severity: analysis.High,
		Doc: analysis.Doc{What: "A `find` with option i.", Why: "It scans.", Fix: "A collation.", Guards: "Small ones."},
	}, {ID: "Q03", Name: "x", Title: "X", Doc: analysis.Doc{What: "w"}, Correctness: true}}
	fixed := r.Findings[0]
	fixed.Status, fixed.Fingerprint = store.Fixed, "0000000000000009"
	r.Findings[1].Comment = "at=orders/cart.go:42"
	r.Findings = append(r.Findings, fixed)
	run := validated(t, written(t, r, "sarif"))
	if len(run.Results) != 3 || len(run.Tool.Driver.Rules) != 3 {
		t.Fatalf("%d results, %d rules", len(run.Results), len(run.Tool.Driver.Rules))
	}
	for i, x := range run.Results {
		e := r.Findings[i]
		if x.PartialFingerprints["mongoadvisor/v1"] != e.Fingerprint || *run.Tool.Driver.Rules[x.RuleIndex].ID != e.Rule || *x.RuleID != e.Rule {
			t.Errorf("result %d: %v, rule %d", i, x.PartialFingerprints, x.RuleIndex)
		}
		if muted := e.Status == store.Muted; muted != (len(x.Suppressions) == 1) || muted && *x.Suppressions[0].Justification != "an old report" {
			t.Errorf("result %d: suppressions %v", i, x.Suppressions)
		}
	}
	first := run.Results[0]
	l := first.Locations[0]
	if first.Level != "warning" || *l.LogicalLocations[0].FullyQualifiedName != "shop.customers" || *l.LogicalLocations[0].Name != "customers" || *l.PhysicalLocation.ArtifactLocation.URI != "mongodb/shop.customers" {
		t.Errorf("%s at %+v", first.Level, l)
	}
	if p := run.Results[1].Locations[0].PhysicalLocation; *p.ArtifactLocation.URI != "orders/cart.go" || *p.Region.StartLine != 42 {
		t.Errorf("%+v", p)
	}
	if first.Properties.Properties["count"] != 1412.0 || first.Properties.Properties["impact"] != 0.12 {
		t.Errorf("%v", first.Properties)
	}
	rule := run.Tool.Driver.Rules[0]
	if !strings.Contains(*rule.Help.Markdown, "## What to do\n\nA collation.") || strings.Contains(*rule.Help.Text, "##") || rule.DefaultConfiguration.Level != "error" {
		t.Errorf("%+v", rule)
	}
	notes := run.Invocations[0]
	if !strings.HasPrefix(*notes.ToolExecutionNotifications[0].Message.Text, "Incomplete. 99.9 %") || *notes.ToolConfigurationNotifications[0].AssociatedRule.ID != "Q10" {
		t.Errorf("%+v", notes)
	}
}

// TestSARIFPlaces: the call site, else the line of the baseline, else its first one, else
// a path that stands for the collection; the collection in any case.
func TestSARIFPlaces(t *testing.T) {
	r := sample()
	r.Findings[1].Comment = "at=orders/cart.go:42"
	for _, c := range []struct {
		baseline *BaselineFile
		want     []string
	}{
		{nil, []string{"mongodb/shop.customers:1 shop.customers", "orders/cart.go:42 (connection)", "mongodb/shop.customers:1 shop.customers"}},
		{&BaselineFile{Path: "ci/base line.json", Lines: map[string]int{"27d13b9845c79ce7": 7}}, []string{"ci/base%20line.json:7 shop.customers", "orders/cart.go:42 (connection)", "ci/base%20line.json:1 shop.customers"}},
	} {
		r.Baseline = c.baseline
		for i, x := range validated(t, written(t, r, "sarif")).Results {
			l := x.Locations[0]
			if got := fmt.Sprintf("%s:%d %s", *l.PhysicalLocation.ArtifactLocation.URI, *l.PhysicalLocation.Region.StartLine, *l.LogicalLocations[0].FullyQualifiedName); got != c.want[i] {
				t.Errorf("result %d is at %s, want %s", i, got, c.want[i])
			}
		}
	}
}

func TestSARIFOfNothing(t *testing.T) {
	run := validated(t, written(t, &Report{}, "sarif"))
	if len(run.Results) != 0 || run.Invocations[0].ToolExecutionNotifications[0].Level != "warning" {
		t.Errorf("%+v", run.Invocations[0])
	}
}

func TestSARIFOfHostileNames(t *testing.T) {
	r := hostile()
	run := validated(t, written(t, r, "sarif"))
	for i, x := range run.Results {
		u, err := url.Parse(*x.Locations[0].PhysicalLocation.ArtifactLocation.URI)
		if err != nil || u.IsAbs() || u.Host != "" || !strings.HasPrefix(u.Path, "mongodb/") {
			t.Errorf("result %d is at %v, %v", i, u, err)
		}
	}
}
