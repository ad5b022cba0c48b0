package e2e

import (
	"encoding/json"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"mongoadvisor/internal/demo/mongod"
	"mongoadvisor/internal/demo/mongod/mongodtest"
)

// command matches lines that are there to be copied, and so are not broken.
var command = regexp.MustCompile(`db\.|find\(|createIndex\(|\$lookup|mongosh "`)

// TestDemo runs the first command of the README, once.
func TestDemo(t *testing.T) {
	t.Setenv(mongod.EnvPath, mongodtest.Path(t))
	text, err := exec.Command(program, "demo", "--once").Output()
	if err != nil {
		t.Fatalf("demo --once: %v", err)
	}
	for _, want := range []string{
		"Coverage", "shop.customers address.city", "Q02 regex-case-insensitive", "strength: 2",
		"shop.posts comments", "$each", "$slice", "A01 repeated-lookup", "Q01 regex-no-index-prefix (unanchored)", "keys examined 20000",
		"The preferred half (shop-after) caused 0 findings.", "What to try next",
	} {
		if !strings.Contains(string(text), want) {
			t.Errorf("the report lacks %q", want)
		}
	}
	for line := range strings.Lines(string(text)) {
		if n := utf8.RuneCountInString(strings.TrimRight(line, "\n")); n > 80 && !command.MatchString(line) {
			t.Errorf("%d columns: %s", n, line)
		}
	}
	raw, err := exec.Command(program, "demo", "--once", "--rounds", "3", "--format", "json").Output()
	if err != nil {
		t.Fatalf("demo --once --format json: %v", err)
	}
	var report struct{ Findings []finding }
	if err := json.Unmarshal(raw, &report); err != nil {
		t.Fatal(err)
	}
	if !slices.ContainsFunc(report.Findings, func(f finding) bool { return f.Rule == "Q03" }) {
		t.Error("the JSON report lacks Q03")
	}
	for _, group := range "QWASO" {
		if !slices.ContainsFunc(report.Findings, func(f finding) bool { return rune(f.Rule[0]) == group && f.Fix.Text != "" }) {
			t.Errorf("the demo shows no finding of the group %c with a fix", group)
		}
	}
}
