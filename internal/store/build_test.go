package store

import (
	"time"

	"mongoadvisor/internal/analysis"
	"mongoadvisor/internal/op"
)

var start = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

var (
	usual   = &analysis.Analyzer{ID: "Q01", Name: "usual", Severity: analysis.Medium}
	correct = &analysis.Analyzer{ID: "Q03", Name: "correct", Severity: analysis.Critical, Correctness: true}
)

// sight is one occurrence of a finding.
type sight struct {
	rule     *analysis.Analyzer
	severity analysis.Severity
	ns       string
	shape    string
	latency  time.Duration
	reply    int
	app      string
	silenced string
	minCount int64
	finding  analysis.Finding
	conf     analysis.Confidence
}

// see records a sight as the engine does: the operation first, then the finding.
func see(s *Store, at time.Time, x sight) {
	if x.rule == nil {
		x.rule = usual
	}
	if x.severity == 0 {
		x.severity = x.rule.Severity
	}
	if x.ns == "" {
		x.ns = "shop.orders"
	}
	if x.shape == "" {
		x.shape = "{filter: {a: <number>}}"
	}
	if x.finding.Reason == "" {
		x.finding.Reason = "seen"
	}
	if x.conf == "" {
		x.conf = analysis.Suspected
	}
	o := &op.Operation{
		Time: at, Command: "find", NS: op.ParseNamespace(x.ns), Latency: x.latency,
		Conn: &op.Conn{App: x.app}, Reply: op.Reply{Bytes: x.reply},
	}
	s.Observe(o)
	s.Record(analysis.Report{
		Rule: x.rule, Finding: x.finding, Op: o, Time: at, NS: o.NS, Shape: op.TextShape(x.shape), Command: "find",
		Severity: x.severity, MinCount: x.minCount, Silenced: x.silenced, Confident: x.conf,
	})
}

// use is traffic that nothing is wrong with.
func use(s *Store, at time.Time, ns string, latency time.Duration) {
	s.Observe(&op.Operation{Time: at, NS: op.ParseNamespace(ns), Latency: latency})
}
