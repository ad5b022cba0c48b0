package main

import (
	"os"
	"path/filepath"
	"testing"
)

// TestBaselineOfReports: reports point to the baseline that is in force, else to the one
// that was written, as long as it lies where the command runs.
func TestBaselineOfReports(t *testing.T) {
	here := t.TempDir()
	t.Chdir(here)
	if err := os.Mkdir("ci", 0o700); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"known.json", filepath.Join("ci", "new.json")} {
		if err := os.WriteFile(path, []byte("{\n\"fingerprint\": \"00000000000000ab\"}"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	outside := filepath.Join(t.TempDir(), "known.json")
	if err := os.WriteFile(outside, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ known, written, want string }{
		{"", "", ""},
		{"known.json", "", "known.json"},
		{"./known.json", "ci/new.json", "known.json"},
		{"", filepath.Join(here, "ci", "new.json"), "ci/new.json"},
		{outside, "", ""},
		{"../" + filepath.Base(here) + "/known.json", "", "known.json"},
		{"gone.json", "", ""},
	} {
		got := (&config{Baseline: c.known, WriteBaseline: c.written}).baselineFile()
		switch {
		case got == nil:
			if c.want != "" {
				t.Errorf("%+v: none", c)
			}
		case got.Path != c.want || got.Lines["00000000000000ab"] != 2:
			t.Errorf("%+v: %+v", c, got)
		}
	}
}
