package analyzers

import (
	"time"

	"mongoadvisor/internal/analysis"
	"mongoadvisor/internal/op"
)

func deadlineAndCursorHygiene() *analysis.Analyzer {
	return &analysis.Analyzer{
		ID: "O02", Name: "deadline-and-cursor-hygiene", Since: "0.2.0", Severity: analysis.Low,
		Title:    "Queries without an end, and cursors that are read or left in a costly way",
		Commands: append([]string{"count", "distinct"}, cursorCommands...), Run: runDeadlineAndCursorHygiene,
		State: &analysis.StateSpec{Scope: analysis.ScopeGlobal, New: func() any { return newHabits() }},
		Reasons: []analysis.Reason{
			{Name: "no-max-time", Doc: "a read that takes long again and again has no maxTimeMS"},
			{Name: "tiny-batch", Doc: "many round trips for one result, because a batch has a few documents only"},
			{Name: "no-cursor-timeout", Doc: "cursors that the server must keep when nobody reads them"},
			{Name: "abandoned-cursor", Doc: "cursors that are neither read to the end nor closed"},
		},
		Limits: []analysis.Limit{
			{Name: "slow-ms", Default: 1000, Unit: "milliseconds", Doc: "latency from which a read without maxTimeMS counts as slow"},
			{Name: "batch-size", Default: 10, Unit: "documents", Doc: "batchSize up to which a batch is tiny"},
			{Name: "batches", Default: 10, Unit: "batches", Doc: "further batches of one cursor from which tiny ones count"},
			{Name: "large-document", Default: 100_000, Unit: "bytes", Doc: "mean size of a document from which tiny batches are right"},
			{Name: "repeats", Default: 3, Unit: "times", Doc: "how often the first three reasons must be seen of one shape before they are reported"},
			{Name: "idle", Default: 60, Unit: "seconds", Doc: "time after which a cursor that nobody reads counts as left"},
			{Name: "abandoned", Default: 10, Unit: "cursors a minute", Doc: "cursors of one shape left in a minute from which they are reported"},
		},
		Doc: analysis.Doc{
			What: "Slow reads without `maxTimeMS` (most drivers with a timeout of their own send it, too; not always for cursors), cursors that are drained with a `batchSize` of a few documents, `noCursorTimeout`, and cursors that are left open.",
			Why: "A client that gives up does not always stop its query: without a deadline it goes on, and the retry comes on top. A tiny batch pays a round trip for a few documents: without `batchSize`, MongoDB 6.0.5 sent 101 of 100,000 documents of 86 bytes in the first batch and all the others in the second. " +
				"A cursor that is left stays open on the server for ten minutes (`cursorTimeoutMillis` is 600,000 on MongoDB 6.0.5), and one with `noCursorTimeout` as long as its session, 30 minutes from its last use (`localLogicalSessionTimeoutMinutes`).",
			Fix:    "Give reads a deadline a little above what they need. Leave `batchSize` out, and say how much is wanted by `limit`. Close cursors that are not read to the end (most drivers do it in `close()` or at the end of a `with` or `for await`).",
			Guards: "Info for `no-max-time`, low for the rest. Silent for applications that say they report, export or analyse, and in transactions, for the first and the third reason; for tiny batches of large documents; for change streams and tailable cursors; for cursors that are closed or drained within the time, and for statements whose cursors were seen to be read on after it: they are read slowly. A cursor is left only if nothing was left out under load since its last batch. Wrong here when a consumer must work on few documents at a time.",
			Lesson: "The manual's pages on cursors and on `maxTimeMS`.",
		},
	}
}

func runDeadlineAndCursorHygiene(p *analysis.Pass) {
	h := p.State().(*habits)
	h.leave(p)
	c := h.open.follow(p.Op)
	switch p.Op.Command {
	case "getMore":
		h.judgeBatch(p, c)
	case "find", "aggregate":
		if c != nil && c.id != 0 {
			h.judgeLeft(p, c)
		}
		h.judgeKept(p)
		fallthrough
	case "count", "distinct":
		h.judgeDeadline(p)
	}
}

// judgeDeadline looks for slow reads that nothing ends.
func (h *habits) judgeDeadline(p *analysis.Pass) {
	o := p.Op
	limit := p.Limit("slow-ms")
	slow := o.Latency >= time.Duration(limit)*time.Millisecond
	s := &o.Statements()[0]
	n, known := h.slow.add(s, slow)
	if !known || !slow || n.slow < p.Limit("repeats") || !n.oneInTwenty() || o.Cut || o.Session.InTxn ||
		op.Get(o.Body, "maxTimeMS").Type != 0 || reporting(o.Conn) {
		return
	}
	p.Report(analysis.Finding{
		Reason: "no-max-time", Fields: []string{}, Severity: analysis.Info, Override: true, Confidence: analysis.Observed,
		Message: "a slow " + o.Command + " has no deadline",
		Advice:  "When its caller has long given up, it still runs, and the retry runs beside it.",
		Caveat:  "a job may have all the time it takes",
		Fix: analysis.Fix{
			Text:    "Give it maxTimeMS, or the driver's operation timeout, a little above what it may take.",
			Mongosh: deadline(s),
		},
		Evidence: []analysis.Evidence{
			{Name: "slow_calls", Value: n.slow, Limit: p.Limit("repeats"), Unit: "calls"},
			{Name: "calls_since", Value: n.calls, Unit: "calls"},
			{Name: "latency", Value: o.Latency.Milliseconds(), Limit: limit, Unit: "milliseconds"},
		},
	})
}

// deadline writes the call with a deadline.
func deadline(s *op.Statement) string {
	const option = "{ maxTimeMS: <milliseconds> }"
	switch s.Command {
	case "aggregate":
		return coll(s.NS) + ".aggregate(<pipeline>, " + option + ")"
	case "count":
		return coll(s.NS) + ".countDocuments(<filter>, " + option + ")"
	case "distinct":
		return coll(s.NS) + `.distinct("<field>", <filter>, ` + option + ")"
	}
	return coll(s.NS) + ".find(<filter>).maxTimeMS(<milliseconds>)"
}
