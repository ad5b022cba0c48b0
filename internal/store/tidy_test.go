package store

import (
	"encoding/json"
	"math"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"mongoadvisor/internal/analysis"
	"mongoadvisor/internal/op"
)

// kept is a finding of the kept form as others might have written it.
func kept() Saved {
	return Saved{
		Fingerprint: "0123456789abcdef", Rule: "Q01", Name: "test", Database: "shop", Collection: "orders", Figures: Figures{Count: 5, Loud: 5},
		First: time.Unix(1_700_000_000, 0), Last: time.Unix(1_700_000_000, 0), Severity: analysis.High, Confidence: analysis.Observed,
	}
}

// TestKeptTextsAreHarmless: whoever may write into a shared place writes texts of any
// length and bytes, and metrics, logs and reports are made of them.
func TestKeptTextsAreHarmless(t *testing.T) {
	evil := "\xff\x1b[2J\u202e" + strings.Repeat("x", 1<<20)
	f := kept()
	for _, text := range []*string{&f.Rule, &f.Name, &f.Reason, &f.Database, &f.Collection, &f.Command, &f.Shape, &f.Message, &f.Advice, &f.Fix.Text, &f.Fix.Mongosh, &f.Caveat, &f.Comment, &f.Silenced} {
		*text = evil
	}
	f.Fields = make([]string, 100_000)
	f.Evidence = make([]analysis.Evidence, 100_000)
	f.Clients = make([]Client, 100_000)
	f.Fields[0], f.Evidence[0], f.Clients[0], f.Tests = evil, analysis.Evidence{Name: evil, Unit: evil}, Client{App: evil, Driver: evil, Count: 1}, []Test{{evil, 1}}
	s := New(Config{Profile: CI})
	if n := s.Merge(State{Findings: []Saved{f}, Namespaces: []SavedNamespace{{evil, evil, Workload{Operations: 1}}}}); n != 0 {
		t.Fatalf("%d left out", n)
	}
	for name, x := range map[string]any{"view": s.Findings(), "save": s.Save(), "changes": s.Changes().Findings} {
		text, err := json.Marshal(x)
		if err != nil || len(text) > 300<<10 || strings.ContainsAny(string(text), "\u202e\x1b") || strings.Contains(string(text), `\u001b`) {
			t.Errorf("%s: %d bytes, %v", name, len(text), err)
		}
	}
	if e := s.Findings()[0]; !utf8.ValidString(e.Namespace) || !utf8.ValidString(e.Rule) {
		t.Errorf("%q %q", e.Rule, e.Namespace)
	}
	for _, id := range []string{"", "0123456789abcde", "0123456789abcdeg", "\x1b[2J567890abcde", strings.Repeat("0", 18)} {
		f := kept()
		if f.Fingerprint = id; New(Config{}).Merge(State{Findings: []Saved{f}}) != 1 {
			t.Errorf("fingerprint %q was taken", id)
		}
	}
}

// TestKeptFiguresAreBounded: figures that no traffic makes are no reason to count wrong
// from then on.
func TestKeptFiguresAreBounded(t *testing.T) {
	f := kept()
	f.Figures = Figures{Count: math.MaxInt64, Loud: math.MaxInt64, Returned: -3, Latency: math.MaxInt64, Measured: math.MaxInt64, Latencies: []int64{-1, math.MaxInt64}}
	f.Clients = []Client{{App: "a", Count: math.MaxInt64}, {App: "a", Count: math.MaxInt64}}
	f.Documents, f.MaxReply, f.Slowest = math.MinInt64, math.MaxInt64, math.MaxInt64
	s := New(Config{Profile: CI})
	for range 3 {
		s.Merge(State{Findings: []Saved{f}, Workload: Workload{Operations: math.MaxInt64, Latency: math.MaxInt64}})
		e := s.Findings()[0]
		if e.Count != most || e.Clients[0].Count <= 0 || s.Totals().Operations != most {
			t.Errorf("%+v, %d operations", e, s.Totals().Operations)
		}
		if c := s.Changes(); len(c.Findings) != 0 {
			t.Errorf("said to be new: %+v", c.Findings[0].Delta)
		}
	}
}

// TestKeptTimesThatCannotBe: a time that JSON cannot say would keep every report and
// snapshot from being written.
func TestKeptTimesThatCannotBe(t *testing.T) {
	never := time.UnixMilli(math.MaxInt64)
	s := New(Config{Profile: CI})
	early, late, told := kept(), kept(), kept()
	early.First, late.Last, told.ToldAt, told.FixedAt, told.RegressedAt = time.UnixMilli(math.MinInt64), never, never, never, never
	leftOut := s.Merge(State{
		Findings: []Saved{early, late, told}, Began: never, Workload: Workload{Operations: 1, Last: never},
		Namespaces: []SavedNamespace{{"shop", "orders", Workload{Operations: 1, Last: never}}},
	})
	if leftOut != 2 {
		t.Errorf("%d left out", leftOut)
	}
	for _, x := range []any{s.Findings(), s.Save()} {
		if _, err := json.Marshal(x); err != nil {
			t.Error(err)
		}
	}
}

// TestKeptSeriesThatCannotBe: an occurrence after it is counted, whatever the series
// says of itself.
func TestKeptSeriesThatCannotBe(t *testing.T) {
	for _, x := range []SavedSeries{
		{Width: 1 << 31, First: 2449715415482412441},
		{Width: 1 << 62, First: -1e9},
		{Width: 1, First: 5},
		{Width: -1},
		{Width: time.Second, First: math.MaxInt64},
		{Width: time.Second, First: math.MinInt64},
		{Width: 24 * time.Hour, First: -1},
		{Width: 1<<62 - 1},
		{Width: 24 * time.Hour << 13, First: 1 << 40},
	} {
		x.Counts, x.Slowest, x.Values = make([]uint32, 9), make([]uint32, 9), make([]int64, 9)
		s := x.series()
		s.add(time.Unix(1_700_000_000, 0), 1, 1, 1)
		if v := s.view(&latencies{}); v.Start.Year() != 2023 || v.Points[len(v.Points)-1].Count != 1 {
			t.Errorf("%+v: %+v", x, v)
		}
	}
	var s series
	for at := int64(1); at < end; at += end / 1000 {
		s.add(time.Unix(at, 0), 1, 1, 1)
		if back := s.save().series(); back.width != s.width || back.first != s.first || len(back.buckets) != len(s.buckets) {
			t.Fatalf("%v: %+v is read as %+v", at, s, back)
		}
	}
}

// TestSharedNamespacesBeyondBounds: what has no room is not added up anew with each
// reading.
func TestSharedNamespacesBeyondBounds(t *testing.T) {
	s := New(Config{Profile: CI})
	for i := range maxNamespaces + 5 {
		s.namespace(op.Namespace{DB: "d", Coll: strconv.Itoa(i)})
	}
	before := s.namespaces[op.Namespace{}].operations
	for range 3 {
		s.Merge(State{Namespaces: []SavedNamespace{{"one", "more", Workload{Operations: 7}}}})
	}
	if n := s.namespaces[op.Namespace{}].operations; n != before || len(s.shared.namespaces) > 0 {
		t.Errorf("%d operations of all others, %d are remembered", n, len(s.shared.namespaces))
	}
}
