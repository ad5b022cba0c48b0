package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/owenrumney/go-sarif/v3/pkg/report/v210/sarif"

	"mongoadvisor/internal/demo/mongod"
	"mongoadvisor/internal/demo/mongod/mongodtest"
)

// sarifPlaces runs a suite in a folder and gives what the SARIF file has, which is held
// against the schema: rule, place, collection and whether it is suppressed.
func sarifPlaces(t *testing.T, folder string, exit int, suite []string, flags ...string) (out []string, said string) {
	t.Helper()
	cmd := exec.Command(program, slices.Concat([]string{"run", "--mongod", "--output", "findings.sarif"}, flags, []string{"--"}, suite)...)
	cmd.Dir = folder
	cmd.Env = append(os.Environ(), mongod.EnvPath+"="+mongodtest.Path(t), "MONGODB_URI=", "GITHUB_ACTIONS=")
	text, _ := cmd.CombinedOutput()
	if cmd.ProcessState.ExitCode() != exit {
		t.Fatalf("%v, want exit code %d\n%s", cmd.ProcessState, exit, text)
	}
	log, err := sarif.Open(filepath.Join(folder, "findings.sarif"))
	if err != nil {
		t.Fatal(err)
	}
	if err := log.Validate(); err != nil {
		t.Fatal(err)
	}
	for _, r := range log.Runs[0].Results {
		p, quiet := r.Locations[0].PhysicalLocation, ""
		if len(r.Suppressions) > 0 {
			quiet = " suppressed: " + *r.Suppressions[0].Justification
		}
		if r.PartialFingerprints["mongoadvisor/v1"] == "" || r.Properties.Properties["tests"] == nil {
			t.Errorf("%s: fingerprints %v, properties %v", *r.RuleID, r.PartialFingerprints, r.Properties.Properties)
		}
		out = append(out, fmt.Sprintf("%s %s:%d %s%s", *r.RuleID, *p.ArtifactLocation.URI, *p.Region.StartLine, *r.Locations[0].LogicalLocations[0].FullyQualifiedName, quiet))
	}
	return out, string(text)
}

// TestSARIFOfARun: a run with markers, a call site, marks and a baseline. Its SARIF is
// valid, and each result has the place where it can be looked at.
func TestSARIFOfARun(t *testing.T) {
	suite, folder := goSuite(t), t.TempDir()
	has := func(what string, got []string, want ...string) {
		t.Helper()
		for _, w := range want {
			if !slices.Contains(got, w) {
				t.Errorf("%s: %q is not in\n%s", what, w, strings.Join(got, "\n"))
			}
		}
	}
	got, said := sarifPlaces(t, folder, 1, suite)
	has("without a baseline", got,
		"Q06 mongodb/shop.orders:1 shop.orders", "Q06 shop/report.go:17 shop.reports",
		"Q06 mongodb/shop.exports:1 shop.exports suppressed: once a night", "Q06 mongodb/shop.copies:1 shop.copies suppressed: comment in the query",
	)
	said = strings.Join(strings.Fields(said), " ")
	for _, want := range []string{
		"comment mongoadvisor:ignore Q06 on shop.copies: silences without a reason",
		`comment mongoadvisor:ignore q06 on shop.lists: "q06" is no rule`,
	} {
		if !strings.Contains(said, want) {
			t.Errorf("%q is not in %s", want, said)
		}
	}
	if strings.Contains(said, "on shop.exports:") {
		t.Errorf("a mark with a reason is remarked on: %s", said)
	}
	got, _ = sarifPlaces(t, folder, 1, suite, "--write-baseline", "known.json")
	text, err := os.ReadFile(filepath.Join(folder, "known.json"))
	if err != nil {
		t.Fatal(err)
	}
	line := 0
	for i, l := range strings.Split(string(text), "\n") {
		if strings.Contains(l, `"shop.orders"`) {
			line = i + 1
		}
	}
	if line < 2 {
		t.Fatalf("%s", text)
	}
	has("with what was written", got, fmt.Sprintf("Q06 known.json:%d shop.orders", line), "Q06 shop/report.go:17 shop.reports", "Q06 known.json:1 shop.exports suppressed: once a night")
	got, _ = sarifPlaces(t, folder, 0, suite, "--baseline", "known.json")
	has("with the baseline", got, fmt.Sprintf("Q06 known.json:%d shop.orders suppressed: baseline", line), "Q06 shop/report.go:17 shop.reports suppressed: baseline")
}
