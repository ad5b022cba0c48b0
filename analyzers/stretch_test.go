package analyzers_test

import (
	"path/filepath"
	"strings"
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"

	"mongoadvisor/analyzers"
	"mongoadvisor/internal/analysis"
	"mongoadvisor/internal/analysis/analysistest"
	"mongoadvisor/internal/analysis/cases"
)

// TestGaps: what a rule concludes from what did not come, or from what came next,
// it does not say of traffic of which operations were left out. The files are as
// they were recorded, and then with a gap before each operation.
func TestGaps(t *testing.T) {
	for _, c := range []struct{ rule, file, reason string }{
		{"A05", "bad", "same-inputs"},
		{"O01", "bad", "short-lived"},
		{"O02", "abandoned", "abandoned-cursor"},
		{"O03", "bad", "idle-gap"},
		{"O03", "single", "single-statement"},
		{"O03", "limits_long", "long"},
		{"O03", "conflicts", "conflicts"},
		{"O03", "aborts", "aborts"},
		{"Q11", "bad", "fan-out"},
		{"Q11", "cursor", "fan-out"},
		{"Q11", "numbers", "fan-out"},
		{"Q11", "duplicates", "duplicate"},
		{"Q11", "transaction_duplicate", "duplicate"},
		{"S03", "growing", "growing"},
		{"S04", "growth_by_insert", "growth"},
		{"S05", "bad", "read-together"},
		{"S06", "bad", "event-per-document"},
		{"S07", "bad", "recursive-reads"},
		{"S07", "descend", "recursive-reads"},
		{"S08", "bad", "silent-no-match"},
		{"S08", "bad", "mixed-types"},
		{"S09", "bad", "field-per-attribute"},
		{"W01", "bad", "push"},
		{"W01", "guard_left_out", "push"},
		{"W01", "rewrite", "rewrite"},
		{"W01", "positions", "set-position"},
		{"W04", "noop", "noop"},
		{"W04", "large", "replace-large"},
		{"W04", "save", "save-after-read"},
		{"W05", "bad", "inserts"},
	} {
		t.Run(c.rule+"/"+c.file+"/"+c.reason, func(t *testing.T) {
			if n := reported(t, c.rule, c.file, c.reason, whole); n == 0 {
				t.Error("one stretch: nothing is reported")
			}
			if n := reported(t, c.rule, c.file, c.reason, inParts); n > 0 {
				t.Errorf("with gaps: reported %d times", n)
			}
		})
	}
}

// TestGapAfterScan: what is replaced after a gap need not be what was scanned
// before it.
func TestGapAfterScan(t *testing.T) {
	for _, c := range []struct {
		name  string
		steps func([]cases.Step) []cases.Step
		said  bool
	}{{"one stretch", whole, true}, {"with gaps", inParts, false}} {
		said := false
		for _, r := range reports(t, "Q09", "scan_and_replace", c.steps) {
			said = said || strings.Contains(r.Finding.Message, "replaced one by one")
		}
		if said != c.said {
			t.Errorf("%s: said %v", c.name, said)
		}
	}
}

// whole is one stretch of traffic.
func whole(steps []cases.Step) []cases.Step {
	for i := range steps {
		steps[i].Gap = false
	}
	return steps
}

// inParts has a gap before each operation, and something before the first.
func inParts(steps []cases.Step) []cases.Step {
	for i := range steps {
		steps[i].Gap = true
	}
	find, err := bson.Marshal(bson.D{{Key: "find", Value: "others"}, {Key: "$db", Value: "shop"}})
	if err != nil {
		panic(err)
	}
	return append([]cases.Step{{Conn: "before", Repeat: 1, Command: find}}, steps...)
}

// reported is how often a rule reports a reason in one of its files.
func reported(t *testing.T, rule, file, reason string, change func([]cases.Step) []cases.Step) (n int) {
	t.Helper()
	for _, r := range reports(t, rule, file, change) {
		if r.Finding.Reason == reason {
			n++
		}
	}
	return n
}

func reports(t *testing.T, rule, file string, change func([]cases.Step) []cases.Step) (out []analysis.Report) {
	t.Helper()
	f, err := cases.Load(filepath.Join("testdata", rule, file+".json"))
	if err != nil {
		t.Fatal(err)
	}
	f.Operations = change(f.Operations)
	for _, a := range analyzers.All() {
		if a.ID != rule {
			continue
		}
		steps, _, err := analysistest.Replay(f, []*analysis.Analyzer{a})
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range steps {
			out = append(out, s...)
		}
	}
	return out
}
