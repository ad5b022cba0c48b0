package analyzers

import (
	"mongoadvisor/internal/analysis"
	"mongoadvisor/internal/op"
)

// peaks remembers the largest figure seen per shape in one collection: a report
// keeps the evidence of the last call, which need not be the worst.
type peaks struct {
	byShape map[uint64]int64
}

// maxPeaks bounds what is kept of one collection; shapes beyond it are reported
// with the figure of the call.
const maxPeaks = 256

// peakState is the state of a rule that reports peaks.
func peakState() *analysis.StateSpec {
	return &analysis.StateSpec{Scope: analysis.ScopeNamespace, New: func() any { return &peaks{byShape: map[uint64]int64{}} }}
}

// raise takes a figure in and returns the largest so far.
func (k *peaks) raise(shape op.Shape, n int64) int64 {
	known, ok := k.byShape[shape.ID]
	if !ok && len(k.byShape) >= maxPeaks {
		return n
	}
	n = max(n, known)
	k.byShape[shape.ID] = n
	return n
}

// step is the severity of a figure on a ladder of limits; ok is false below the
// lowest.
func step(p *analysis.Pass, n int64, rungs ...rung) (s analysis.Severity, limit int64, ok bool) {
	for _, r := range rungs {
		if v := p.Limit(r.limit); n >= v {
			s, limit, ok = r.severity, v, true
		}
	}
	return s, limit, ok
}

// rung is one step of a ladder, lowest first.
type rung struct {
	limit    string
	severity analysis.Severity
}

// magnitude is the power of ten at or below a figure that a query or a reply
// carried as a value: the figure itself would be a literal.
func magnitude(n int64) int64 {
	out := int64(1)
	for n >= 10 {
		n /= 10
		out *= 10
	}
	return out
}
