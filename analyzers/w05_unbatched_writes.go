package analyzers

import (
	"time"

	"mongoadvisor/internal/analysis"
	"mongoadvisor/internal/op"
)

func unbatchedWrites() *analysis.Analyzer {
	return &analysis.Analyzer{
		ID: "W05", Name: "unbatched-writes", Since: "0.2.0", Severity: analysis.Medium,
		Title: "One round trip for each of many writes",
		// every command: whatever comes between two writes ends their row
		Commands: op.CommandNames(), Needs: op.HasReply | op.HasConn | op.HasEvery, Run: runUnbatchedWrites,
		State: &analysis.StateSpec{Scope: analysis.ScopeConn, New: func() any { return &writeBurst{} }},
		Reasons: []analysis.Reason{
			{Name: "inserts", Doc: "documents are inserted one by one"},
			{Name: "updates", Doc: "updates of one document each, of the same shape"},
			{Name: "deletes", Doc: "deletes of one document each, of the same shape"},
		},
		Limits: []analysis.Limit{
			{Name: "writes", Default: 20, Unit: "writes", Doc: "writes in a row on one connection from which they are a burst"},
			{Name: "window", Default: 1000, Unit: "milliseconds", Doc: "time in which so many must come"},
		},
		Doc: analysis.Doc{
			What: "Many writes of the same shape in a row on one connection, each a command of its own with a single statement: `insertOne`, `updateOne`, `replaceOne` or `deleteOne` in a loop. Each burst is counted once, when it reaches the limit; it ends with any other command or with a pause.",
			Why: "Each command waits for the answer to the one before: the time is mostly that of round trips. Measured on MongoDB 6.0.5 on the same machine, 1,000 small documents: 226 to 278 ms by `insertOne` in a loop, 3 to 6 ms by one `insertMany`. " +
				"Over a network the difference grows with the round trip, which is in the evidence together with what one batch of the same size would have saved.",
			Fix: "Collect the writes and send them at once: `insertMany`, or `bulkWrite` for updates and deletes, unordered when they do not depend on each other. From MongoDB 8.0 on one `bulkWrite` can hold writes to several collections.",
			Guards: "Silent when anything else is sent on the connection in between, as in programs that serve a request with each write; when operations were left out in between under load; for the same document again and again (W07); for `findAndModify`, whose result is wanted; inside of a transaction; when a write failed, since then each answer matters; " +
				"for unacknowledged writes, which wait for nothing; when the answers are not seen. Wrong here when each write can only be made after the answer to the one before, and for the fixtures of a test suite.",
			Lesson: "The manual's page on bulk writes; bucket pattern: millions of tiny documents.",
		},
	}
}

func runUnbatchedWrites(p *analysis.Pass) {
	if p.Op.Conn == nil {
		return
	}
	b := p.State().(*writeBurst)
	if b.stretch.broken(p) {
		b.interrupt(p.Now)
	}
	s := lonely(p.Op)
	if s == nil {
		b.end()
		return
	}
	form, window := formOf(s), time.Duration(p.Limit("window"))*time.Millisecond
	if b.row == 0 && !b.reported || form != b.form || s.NS != b.ns || p.Now.Sub(b.last) > window {
		b.end()
		b.begin(s, form)
	}
	b.row++
	b.last = p.Now
	if b.reported {
		return // counted once
	}
	b.add(p, s, window)
	if limit := p.Limit("writes"); b.writes >= limit && (s.Command == "insert" || b.others() >= min(limit, maxTargets)-1) {
		b.reported = true
		reportBurst(p, s, b)
	}
}

func reportBurst(p *analysis.Pass, s *op.Statement, b *writeBurst) {
	f := analysis.Finding{
		Reason: s.Command + "s", Confidence: analysis.Observed, Fields: []string{},
		Message: "many " + s.Command + "s of one document each are sent one after the other",
		Advice:  "Each waits for the answer to the one before, so that the time goes into round trips. One batch takes one.",
		Caveat:  "each write may need the answer to the one before; fixtures of a test suite",
		Evidence: []analysis.Evidence{
			{Name: "writes_in_a_row", Value: b.writes, Limit: p.Limit("writes"), Unit: "writes"},
		},
	}
	if b.longest > b.writes {
		f.Evidence = append(f.Evidence, analysis.Evidence{Name: "longest_row", Value: b.longest, Unit: "writes"})
	}
	if mean := b.latency / time.Duration(b.writes); mean > 0 {
		f.Evidence = append(f.Evidence,
			analysis.Evidence{Name: "mean_round_trip", Value: mean.Microseconds(), Unit: "microseconds"},
			analysis.Evidence{Name: "batch_would_save", Value: (mean * time.Duration(b.writes-1)).Microseconds(), Unit: "microseconds"})
	}
	f.Fix = batchFix(s)
	p.Report(f)
}

// batchFix writes the batch that takes the place of the loop.
func batchFix(s *op.Statement) analysis.Fix {
	fix := analysis.Fix{Text: "Collect the writes and send them as one batch; unordered when they do not depend on each other, so that one failure does not stop the rest."}
	if s.Command == "insert" {
		fix.Mongosh = coll(s.NS) + ".insertMany([<documents>], { ordered: false })"
		return fix
	}
	with := call(s)
	one := "{ " + string(with) + ": { filter: <filter>"
	switch with {
	case "updateOne":
		one += ", update: <update>"
	case "replaceOne":
		one += ", replacement: <document>"
	}
	fix.Mongosh = coll(s.NS) + ".bulkWrite([" + one + " } }, <the others>], { ordered: false })"
	return fix
}
