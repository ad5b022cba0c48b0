package store

import (
	"bytes"
	"maps"
	"os"
	"path/filepath"
	"testing"
)

// TestBaselineLines: a finding is found in the file as it is written, and as somebody
// may have formatted it.
func TestBaselineLines(t *testing.T) {
	var file bytes.Buffer
	if err := WriteBaseline(&file, []Entry{{Fingerprint: "00000000000000ab", Namespace: "a.b"}, {Fingerprint: "00000000000000cd", Namespace: "a.a"}}); err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]map[string]int{
		file.String(): {"00000000000000cd": 2, "00000000000000ab": 3},
		"{\n\"schema\": 1,\n \"findings\" : [\n{\n  \"fingerprint\" : \"00000000000000ab\",\n  \"rule\": \"Q01\" }]}": {"00000000000000ab": 5},
		"": {},
	} {
		path := filepath.Join(t.TempDir(), "baseline.json")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if got, err := BaselineLines(path); err != nil || !maps.Equal(got, want) {
			t.Errorf("%v, %v in %s", got, err, text)
		}
	}
	if _, err := BaselineLines(filepath.Join(t.TempDir(), "none")); err == nil {
		t.Error("a file that is not there has lines")
	}
}
