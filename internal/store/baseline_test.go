package store

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mongoadvisor/internal/analysis"
)

// written is the baseline of what a store shows, read back.
func written(t *testing.T, s *Store) []Known {
	t.Helper()
	var b bytes.Buffer
	if err := WriteBaseline(&b, s.Findings()); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "baseline.json")
	if err := os.WriteFile(path, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(b.String(), "\n"); n != len(s.Findings())+2 {
		t.Errorf("%d lines for %d findings:\n%s", n, len(s.Findings()), b.String())
	}
	known, err := ReadBaseline(path)
	if err != nil {
		t.Fatal(err)
	}
	return known
}

func TestBaselineMutesWhatIsNoWorse(t *testing.T) {
	old := New(Config{Profile: CI})
	for _, ns := range []string{"shop.orders", "shop.customers", "shop.gone"} {
		see(old, start, sight{ns: ns, severity: analysis.Medium})
	}
	known := written(t, old)
	if len(known) != 3 || known[0].Namespace != "shop.customers" {
		t.Fatalf("baseline %+v", known)
	}
	var told []Entry
	s := New(Config{Profile: CI, Baseline: known, Announce: func(e Entry) { told = append(told, e) }})
	see(s, start, sight{ns: "shop.orders", severity: analysis.Medium})
	see(s, start, sight{ns: "shop.customers", severity: analysis.High})
	see(s, start, sight{ns: "shop.new", severity: analysis.Low})
	want := map[string]Status{"shop.orders": Muted, "shop.customers": Open, "shop.new": Open}
	for _, e := range s.Findings() {
		if e.Status != want[e.Namespace] || (e.Status == Muted) != (e.MutedBy == "baseline") {
			t.Errorf("%s is %s, muted by %q", e.Namespace, e.Status, e.MutedBy)
		}
	}
	if len(told) != 2 {
		t.Errorf("told of %d findings, want the one that got worse and the new one", len(told))
	}
	if gone := s.Gone(); len(gone) != 1 || gone[0].Namespace != "shop.gone" {
		t.Errorf("gone: %+v", gone)
	}
	if again := written(t, s); len(again) != 3 {
		t.Errorf("written again: %+v", again)
	}
}

// A finding that was silenced on purpose has a reason of its own already.
func TestBaselineLeavesOutWhatIsSilenced(t *testing.T) {
	s := New(Config{Profile: CI})
	see(s, start, sight{silenced: "an export"})
	see(s, start, sight{ns: "shop.fixed"})
	use(s, start.Add(3*day), "shop.fixed", time.Millisecond)
	if known := written2(t, s); strings.Contains(known, "fingerprint") {
		t.Errorf("baseline %s", known)
	}
}

func written2(t *testing.T, s *Store) string {
	t.Helper()
	var b bytes.Buffer
	if err := WriteBaseline(&b, s.Findings()); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestBaselineErrorsSayWhatIsWrong(t *testing.T) {
	for text, want := range map[string]string{
		"":                              "is no baseline: it is empty; --write-baseline makes one",
		"[]":                            "is no baseline: it is a JSON array;",
		`{"schema": "1"}`:               "is no baseline: schema is of another kind, a JSON string;",
		`{"schema": 1, "findings": [`:   "is no baseline: it is cut off;",
		`{"schema": 1} {"schema": 1}`:   "something follows its end",
		"\x00\x01":                      "is no baseline: invalid character",
		`{"schema": 2, "findings": []}`: "schema 2 is not known",
		`{"schema": 1, "findngs": []}`:  "findngs",
		`{"schema": 1, "findings": [{"fingerprint": "zz", "severity": "low"}]}`:                                                                       "16 hexadecimal digits",
		`{"schema": 1, "findings": [{"fingerprint": "0123456789abcdef", "severity": "bad"}]}`:                                                         "want one of info",
		`{"schema": 1, "findings": [{"fingerprint": "0123456789abcdef", "severity": "low"}, {"fingerprint": "0123456789abcdef", "severity": "low"}]}`: "is there twice",
	} {
		path := filepath.Join(t.TempDir(), "baseline.json")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := ReadBaseline(path); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}

// TestEvidence: what every finding says of how much it touched.
func TestEvidence(t *testing.T) {
	s := New(Config{Profile: CI})
	for i := range 10 {
		see(s, start.Add(time.Duration(i)*time.Minute), sight{latency: 3 * time.Millisecond, reply: 500})
	}
	use(s, start, "shop.orders", 30*time.Millisecond)
	got := map[string]int64{}
	for _, x := range s.Findings()[0].Evidence {
		got[x.Name] = x.Value
	}
	for name, want := range map[string]int64{"count": 10, "per_hour": 67, "connections": 1, "returned_bytes": 5000, "time_share": 50} {
		if got[name] != want {
			t.Errorf("%s: %d, want %d (%v)", name, got[name], want, got)
		}
	}
}

func TestFewSaysWhenItIsFull(t *testing.T) {
	var f few
	for h := range uint64(maxFew - 1) {
		f.add(h)
		f.add(h)
	}
	if len(f) != maxFew-1 || f.name("documents") != "documents" {
		t.Errorf("%d, %s", len(f), f.name("documents"))
	}
	f.add(1000)
	f.add(1001)
	if len(f) != maxFew || f.name("documents") != "documents_at_least" {
		t.Errorf("%d, %s", len(f), f.name("documents"))
	}
}
