package session

import (
	"bytes"
	"cmp"
	"encoding/json"
	"slices"
	"testing"

	cmpdiff "github.com/google/go-cmp/cmp"

	"mongoadvisor/analyzers"
	"mongoadvisor/internal/engine"
	"mongoadvisor/internal/store"
)

func findings(t *testing.T, chunks []chunk) []store.Entry {
	t.Helper()
	st := store.New(store.Config{Profile: store.CI})
	play(t, chunks, engine.New(engine.Config{Rules: analyzers.All(), Recorder: st}).Judge)
	return st.Findings()
}

// The same capture gives the same findings, byte for byte.
func TestSameCaptureSameBytes(t *testing.T) {
	for _, name := range []string{"plain", "mongoose", "np_getmore"} {
		var first []byte
		for range 5 {
			b, err := json.Marshal(findings(t, readCapture(t, name)))
			if err != nil {
				t.Fatal(err)
			}
			if first == nil {
				first = b
			}
			if !bytes.Equal(first, b) {
				t.Fatalf("%s: two runs differ", name)
			}
		}
	}
}

// Which connection is seen first changes neither fingerprints nor counts.
func TestOrderOfConnectionsChangesNoCount(t *testing.T) {
	for _, name := range []string{"plain", "mongoose"} {
		chunks := readCapture(t, name)
		grouped := slices.Clone(chunks)
		slices.SortStableFunc(grouped, func(a, b chunk) int { return cmp.Compare(a.client, b.client) })
		backwards := slices.Clone(chunks)
		slices.SortStableFunc(backwards, func(a, b chunk) int { return cmp.Compare(b.client, a.client) })
		want := counts(findings(t, chunks))
		for _, other := range [][]chunk{grouped, backwards} {
			if diff := cmpdiff.Diff(want, counts(findings(t, other))); diff != "" {
				t.Errorf("%s: %s", name, diff)
			}
		}
	}
}
