package analyzers

import (
	"time"

	"mongoadvisor/internal/analysis"
	"mongoadvisor/internal/op"
)

// judgeLong looks at how a transaction spent its time; of several reasons the
// one that explains the others counts. It reports whether there was one.
func judgeLong(p *analysis.Pass, x *transaction, h *txnHabit, shape op.Shape) bool {
	took := x.last.Sub(x.begun)
	severity, _, long := step(p, int64(took/time.Second), rung{"seconds", analysis.Medium}, rung{"many-seconds", analysis.High})
	if !long {
		severity = analysis.Medium
	}
	reason := ""
	switch {
	case x.gap >= time.Duration(p.Limit("gap-ms"))*time.Millisecond && (!long || x.idle*2 >= took):
		reason = "idle-gap"
	case x.docs >= p.Limit("documents"):
		reason = "many-documents"
	case long:
		reason = "long"
	default:
		return false
	}
	if h.times[reason]++; h.times[reason] < p.Limit("repeats") {
		return true
	}
	f := transactionFinding(x, shape, reason)
	f.Severity, f.Override = severity, true
	f.Evidence = []analysis.Evidence{
		{Name: "duration", Value: took.Milliseconds(), Limit: p.Limit("seconds") * 1000, Unit: "milliseconds"},
		{Name: "longest_gap", Value: x.gap.Milliseconds(), Limit: p.Limit("gap-ms"), Unit: "milliseconds"},
		{Name: "documents", Value: x.docs, Limit: p.Limit("documents"), Unit: "documents"},
		{Name: "statements", Value: x.statements, Unit: "statements"},
		{Name: "transactions", Value: h.times[reason], Limit: p.Limit("repeats"), Unit: "transactions"},
	}
	p.Report(f)
	return true
}

func judgeSingle(p *analysis.Pass, x *transaction, h *txnHabit, shape op.Shape) {
	const reason = "single-statement"
	if x.statements != 1 || x.single == "" {
		return
	}
	if h.times[reason]++; h.times[reason] < p.Limit("single") {
		return
	}
	f := transactionFinding(x, shape, reason)
	f.Evidence = []analysis.Evidence{{Name: "transactions", Value: h.times[reason], Limit: p.Limit("single"), Unit: "transactions"}}
	p.Report(f)
}

func judgeAborts(p *analysis.Pass, x *transaction, h *txnHabit, shape op.Shape, ended int64) {
	aborted, lost := h.aborted.Add(p.Now, 1), h.conflicts.Count(p.Now)
	if x.conflict {
		lost = h.conflicts.Add(p.Now, 1)
	}
	if ended < p.Limit("transactions") || aborted < p.Limit("aborts") || aborted*100 < ended*p.Limit("abort-percent") {
		return
	}
	reason := "aborts"
	if lost*2 >= aborted {
		reason = "conflicts"
	} else if h.committed == 0 {
		return
	}
	f := transactionFinding(x, shape, reason)
	if reason == "conflicts" && lost*2 >= ended {
		f.Severity, f.Override = analysis.High, true
	}
	f.Evidence = []analysis.Evidence{
		{Name: "aborted", Value: aborted * 100 / ended, Limit: p.Limit("abort-percent"), Unit: "%"},
		{Name: "with_conflict", Value: lost, Unit: "transactions an hour"},
		{Name: "ended", Value: ended, Limit: p.Limit("transactions"), Unit: "transactions an hour"},
	}
	p.Report(f)
}
