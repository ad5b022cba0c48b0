package analyzers

import (
	"time"

	"mongoadvisor/internal/analysis"
	"mongoadvisor/internal/op"
	"mongoadvisor/internal/sketch"
)

// habits is what is known of how statements and cursors are used.
type habits struct {
	open    *cursors
	slow    *slowCalls
	byShape *recent[largeKey, *habit]
}

func newHabits() *habits {
	return &habits{open: newCursors(), slow: newSlowCalls(), byShape: newRecent(maxLargeReads, cloneLargeKey, func() *habit { return &habit{} })}
}

// habit is how the cursors of one statement are used.
type habit struct {
	tiny, kept int64        // cursors read in tiny batches, and those without a timeout
	left       *sketch.Rate // cursors that were left; nil when none was
	late       bool         // one was read on after it counted as left
	stretch    uint64       // of the traffic, in which they were left
}

// leave counts a cursor as left at a time, and forgets those of another stretch.
func (h *habit) leave(at time.Time, stretch uint64) {
	if h.left == nil || h.stretch != stretch {
		h.left, h.stretch = sketch.NewRate(time.Minute), stretch
	}
	h.left.Add(at, 1)
}

// leave counts the cursors that nobody read for too long, for the stretch of the
// traffic in which they were used last: in a later one they may have been read.
func (h *habits) leave(p *analysis.Pass) {
	idle := time.Duration(p.Limit("idle")) * time.Second
	h.open.idle(p.Now.Add(-idle), func(c *cursor) {
		h.of(c.ns, c.shape).leave(c.last.Add(idle), c.stretch)
	})
}

// of is what is known of a statement, made when new.
func (h *habits) of(ns op.Namespace, shape op.Shape) *habit {
	return h.byShape.at(largeKey{ns, shape.ID})
}

// judgeBatch looks for cursors that are read by few documents at a time: each
// counts once.
func (h *habits) judgeBatch(p *analysis.Pass, c *cursor) {
	if c == nil {
		if from := p.Op.Origin; from != nil {
			if seen := h.byShape.known(largeKey{from.NS, from.Shape.ID}); seen != nil {
				seen.late = true
			}
		}
		return
	}
	size, ok := op.Int(op.Get(p.Op.Body, "batchSize"))
	if !ok || size < 1 || size > p.Limit("batch-size") || c.batches < p.Limit("batches") || c.counted {
		return
	}
	c.counted = true
	if c.docs > 0 && c.bytes/c.docs >= p.Limit("large-document") {
		return
	}
	seen := h.of(c.ns, c.shape)
	if seen.tiny++; seen.tiny < p.Limit("repeats") {
		return
	}
	p.Report(analysis.Finding{
		Reason: "tiny-batch", NS: c.ns, Shape: c.shape, Fields: []string{}, Confidence: analysis.Observed,
		Message: "a result is fetched a few documents at a time",
		Advice:  "Each batch is a round trip; the time goes into waiting for the next.",
		Caveat:  "a consumer may need long for each document and must not hold many",
		Fix: analysis.Fix{
			Text:    "Leave batchSize out: the server then sends 101 documents at first and the others in large batches. If only a few are wanted, say so with limit.",
			Mongosh: coll(c.ns) + ".find(<filter>).limit(<how many are wanted>)",
		},
		Evidence: []analysis.Evidence{
			{Name: "batches_so_far", Value: c.batches, Limit: p.Limit("batches"), Unit: "batches"},
			{Name: "documents_so_far", Value: c.docs, Unit: "documents"},
			{Name: "cursors", Value: seen.tiny, Limit: p.Limit("repeats"), Unit: "cursors"},
		},
	})
}

// judgeKept looks for noCursorTimeout.
func (h *habits) judgeKept(p *analysis.Pass) {
	o := p.Op
	if !op.True(op.Get(o.Body, "noCursorTimeout")) || o.Session.InTxn || reporting(o.Conn) {
		return
	}
	s := &o.Statements()[0]
	seen := h.of(s.NS, s.Shape())
	if seen.kept++; seen.kept < p.Limit("repeats") {
		return
	}
	p.Report(analysis.Finding{
		Reason: "no-cursor-timeout", Fields: []string{},
		Message: "cursors are opened with noCursorTimeout",
		Advice:  "One that its client loses stays open on the server until its session expires.",
		Caveat:  "a job may need longer than ten minutes for one batch",
		Fix: analysis.Fix{
			Text:    "Leave noCursorTimeout out, and read what takes long in ranges of _id: each range is a cursor of its own, and a job that was interrupted goes on where it was.",
			Mongosh: coll(s.NS) + ".find({ _id: { $gt: <last _id> } }).sort({ _id: 1 }).limit(<batch size>)",
		},
		Evidence: []analysis.Evidence{{Name: "cursors", Value: seen.kept, Limit: p.Limit("repeats"), Unit: "cursors"}},
	})
}

// judgeLeft reports a statement whose cursors are left, when it opens the next
// one: then the finding names who does it.
func (h *habits) judgeLeft(p *analysis.Pass, c *cursor) {
	seen := h.byShape.known(largeKey{c.ns, c.shape.ID})
	if seen == nil || seen.late || seen.left == nil || seen.stretch != p.Op.Sample.Stretch {
		return
	}
	n := seen.left.Count(p.Now)
	if n < p.Limit("abandoned") {
		return
	}
	p.Report(analysis.Finding{
		Reason: "abandoned-cursor", Fields: []string{}, Confidence: analysis.Observed,
		Message: "cursors are left open: neither read to the end nor closed",
		Advice:  "Each holds resources of the server until that gives it up.",
		Caveat:  "their reading may go on past this proxy",
		Fix: analysis.Fix{
			Text:    "Close a cursor that is not read to the end, in the driver by its close() or the construct that does it. If only the first documents are wanted, say so with limit: then the server closes it itself.",
			Mongosh: coll(c.ns) + ".find(<filter>).limit(<how many are wanted>)",
		},
		Evidence: []analysis.Evidence{
			{Name: "left_last_minute", Value: n, Limit: p.Limit("abandoned"), Unit: "cursors"},
			{Name: "idle", Value: p.Limit("idle"), Unit: "seconds"},
		},
	})
}
