package store

import (
	"strings"
	"testing"
	"time"

	"mongoadvisor/internal/analysis"
	"mongoadvisor/internal/op"
)

// TestFindingsAreBounded: what a rule says of endless names is kept in part.
func TestFindingsAreBounded(t *testing.T) {
	long := strings.Repeat("x", 1_000_000)
	s := New(Config{Profile: CI})
	f := analysis.Finding{Message: long, Advice: long, Caveat: long, Fix: analysis.Fix{Text: long, Mongosh: long}}
	for range 1000 {
		f.Fields = append(f.Fields, "field")
	}
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	s.Record(analysis.Report{Rule: &analysis.Analyzer{ID: "Q01"}, Finding: f, Op: &op.Operation{}, Time: now, NS: op.Namespace{DB: "d", Coll: long}})
	e := s.Findings()[0]
	if len(e.Fields) > maxFields || len(e.Namespace) > 255 {
		t.Errorf("%d fields, a namespace of %d bytes", len(e.Fields), len(e.Namespace))
	}
	for _, text := range []string{e.Message, e.Advice, e.Caveat, e.Fix.Text, e.Fix.Mongosh} {
		if len(text) > maxText+len("…") {
			t.Errorf("a text of %d bytes", len(text))
		}
	}
}
