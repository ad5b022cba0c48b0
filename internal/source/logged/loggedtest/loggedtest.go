// Package loggedtest runs the sources that read what a server has logged over real
// data, through engine and store, and compares with golden files. For tests.
package loggedtest

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"mongoadvisor/analyzers"
	"mongoadvisor/internal/corpus"
	"mongoadvisor/internal/engine"
	"mongoadvisor/internal/op"
	"mongoadvisor/internal/store"
)

// Summary is what a golden file holds of a run.
type Summary struct {
	Coverage   op.RecordCoverage `json:"coverage"`
	Has        string            `json:"has"`
	Operations map[string]int    `json:"operations"` // by command and namespace
	Findings   []string          `json:"findings"`   // rule/reason, namespace, count
}

// Judge collects what rules say of operations, under the floors of the ci profile.
type Judge struct {
	Operations []*op.Operation
	engine     *engine.Engine
	store      *store.Store
}

// New makes one with all rules, or those named.
func New(t testing.TB, rules ...string) *Judge {
	t.Helper()
	list := analyzers.All()
	if len(rules) > 0 {
		var err error
		if list, err = engine.Select(list, rules); err != nil {
			t.Fatal(err)
		}
	}
	st := store.New(store.Config{Profile: store.CI})
	j := &Judge{engine: engine.New(engine.Config{Rules: list, Recorder: st}), store: st}
	t.Cleanup(func() {
		for _, s := range j.engine.Stats() {
			if n := s.Panics.Load(); n > 0 {
				t.Errorf("rule %s panicked %d times", s.ID, n)
			}
		}
	})
	return j
}

// Take is the Emit of a source.
func (j *Judge) Take(o *op.Operation) {
	j.Operations = append(j.Operations, o)
	j.engine.Judge(o)
}

// Entries are the findings.
func (j *Judge) Entries() []store.Entry { return j.store.Findings() }

// Findings are the findings, in short: "Q10/collscan shop.orders 5".
func (j *Judge) Findings() []string {
	out := []string{}
	for _, e := range j.store.Findings() {
		out = append(out, fmt.Sprintf("%s/%s %s %d", e.Rule, e.Reason, e.Namespace, e.Count))
	}
	slices.Sort(out)
	return out
}

// Summary sums a run up.
func (j *Judge) Summary(c op.RecordCoverage, has op.Has) Summary {
	s := Summary{Coverage: c, Has: has.String(), Operations: map[string]int{}, Findings: j.Findings()}
	for _, o := range j.Operations {
		s.Operations[o.Command+" "+o.NS.String()]++
	}
	return s
}

// Data opens a file of the collection of public logs, see [corpus.Others].
func Data(t testing.TB, name string) []byte {
	t.Helper()
	return File(t, filepath.Join(corpus.Others(t), name))
}

// File reads a file, out of its compression.
func File(t testing.TB, path string) []byte {
	t.Helper()
	raw, err := os.ReadFile(path)
	if err == nil && strings.HasSuffix(path, ".gz") {
		var z *gzip.Reader
		if z, err = gzip.NewReader(bytes.NewReader(raw)); err == nil {
			raw, err = io.ReadAll(z)
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

// Compare compares a summary with a golden file, which UPDATE_GOLDEN=1 writes.
func Compare(t testing.TB, path string, s Summary) {
	t.Helper()
	got, err := json.MarshalIndent(s, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	got = append(got, '\n')
	if os.Getenv("UPDATE_GOLDEN") != "" {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s differs, see UPDATE_GOLDEN=1 go test ./internal/source/...:\n%s", path, got)
	}
}
