package analyzers

import (
	"strings"
	"time"

	"mongoadvisor/internal/analysis"
	"mongoadvisor/internal/op"
)

func hotCounterDocument() *analysis.Analyzer {
	return &analysis.Analyzer{
		ID: "W07", Name: "hot-counter-document", Since: "0.2.0", Severity: analysis.Medium,
		Title:    "One document that everybody updates",
		Commands: []string{"insert", "update", "delete", "findAndModify", "bulkWrite"}, Run: runHotCounterDocument,
		State: &analysis.StateSpec{Scope: analysis.ScopeNamespace, Max: 512, New: func() any { return newHeat() }},
		Reasons: []analysis.Reason{
			{Name: "counter", Doc: "the updates add to numbers (`$inc`)"},
			{Name: "hot-document", Doc: "the updates set values"},
		},
		Limits: []analysis.Limit{
			{Name: "hot-rate", Default: 50, Unit: "updates per second", Doc: "updates of one document from which a second counts as hot"},
			{Name: "hot-seconds", Default: 2, Unit: "seconds", Doc: "hot seconds in a row from which it is reported"},
			{Name: "share", Default: 20, Unit: "%", Doc: "least share of the collection's writes in that second"},
			{Name: "latency-rise", Default: 300, Unit: "%", Doc: "latency of these updates, compared with the collection's other writes, from which it is high"},
		},
		Doc: analysis.Doc{
			What: "Updates of one document (an equality on `_id`, or an upsert whose filter is equalities only) many times a second, for some seconds in a row, that are a good part of the collection's writes. It is counted once for each hot second.",
			Why: "Only one write at a time can change a document: the others run into a conflict inside the server and start again, and each is an entry of its own in the oplog. " +
				"Measured on MongoDB 6.0.5, 9,600 `$inc` by 32 connections: on one document the server counted 853 to 1,347 write conflicts, spread over 64 documents 18 to 34.",
			Fix: "A figure that people look at need not be exact at each moment: count in memory and add the sum from time to time (approximation pattern). Where every event must be stored, spread the counter over a few documents and add them up when reading, or insert the events and sum them up by a periodic `$merge`.",
			Guards: "Silent below the rate; for a short burst; when the document has only a small share of the collection's writes; for `findAndModify` with `$inc`, which hands out numbers that must be exact; for appends to an array that nothing bounds, which W01 reports. High when a conflict reached the client (WriteConflict), or when these updates take much longer than the collection's other writes. " +
				"Wrong here for a load test, and for a number that must be exact at each moment.",
			Lesson: "Approximation pattern.",
		},
	}
}

// writeConflict is the server's code for two transactions that meet on a document.
const writeConflict = 112

func runHotCounterDocument(p *analysis.Pass) {
	h := p.State().(*heat)
	statements := p.Op.Statements()
	h.all.add(p.Now, int64(len(statements)))
	if p.Op.Command == "insert" {
		h.others.add(p.Op)
		return
	}
	for i := range statements {
		s := &statements[i]
		id, ok := hotTarget(s)
		if !ok || onlyAppends(s) {
			h.others.add(p.Op)
			continue
		}
		d := &h.documents.Add(id, 1).Value
		if p.Op.Reply.Code == writeConflict {
			d.conflicts++
		}
		d.latency.add(p.Op)
		// a longer row of hot seconds, at the moment this one gets hot
		if run := d.seconds.hot(p.Now, p.Limit("hot-rate")); run >= p.Limit("hot-seconds") {
			h.judge(p, i, d, run)
		}
	}
}

// hotTarget hashes the document that an update is for. What hands out numbers
// is not among them.
func hotTarget(s *op.Statement) (uint64, bool) {
	if s.Multi || s.Update.Operators == nil && s.Update.Pipeline == nil {
		return 0, false
	}
	if s.Command == "findAndModify" && op.Get(s.Update.Operators, "$inc").Type != 0 {
		return 0, false
	}
	id, ok := target(s)
	if !ok && s.Upsert {
		id, ok = uniqueFilter(s.Filter)
	}
	// a bulkWrite is about several collections
	return id ^ op.HashString(s.NS.Coll), ok
}

// onlyAppends reports whether an update does little else than add to an array that
// nothing bounds: W01 speaks of that, and an append is no value to keep the newest of.
func onlyAppends(s *op.Statement) bool {
	found := false
	for c := range changes(s.Update) {
		switch c.Operator {
		case "$push", "$addToSet", "$pushAll":
			if op.Get(op.Doc(c.Value), "$slice").Type != 0 || bounded(s, c.Path) {
				return false
			}
			found = true
		case "$inc":
			if c.Path != "__v" { // Mongoose's version of the array
				return false
			}
		}
	}
	return found
}

// uniqueFilter hashes a filter that is nothing but equalities.
func uniqueFilter(filter []byte) (h uint64, ok bool) {
	for pred := range (op.Filter{Doc: filter}).Predicates() {
		if pred.Op != "$eq" || pred.Negated || pred.Or {
			return 0, false
		}
		h, ok = h*31+op.HashString(pred.Path)^op.Hash(pred.Value), true
	}
	return h, ok
}

func (h *heat) judge(p *analysis.Pass, statement int, d *hotDocument, run int64) {
	rate := p.Limit("hot-rate")
	share := rate * 100 / max(h.all.n, rate)
	if share < p.Limit("share") {
		return
	}
	s := &p.Op.Statements()[statement]
	f := analysis.Finding{
		Reason: "hot-document", Statement: statement, NS: s.NS, Confidence: analysis.Observed, Fields: []string{},
		Shape:   op.TextShape("{update: {filter: {_id: <one document>}}}"),
		Message: "one document is updated many times a second",
		Advice:  "Only one write at a time can change a document; the others conflict, start again and wait.",
		Caveat:  "a load test; a value that must be exact at each moment",
		Evidence: []analysis.Evidence{
			{Name: "updates_in_a_second", Value: max(d.seconds.before, d.seconds.n), Limit: rate, Unit: "updates per second"},
			{Name: "hot_seconds_in_a_row", Value: run, Limit: p.Limit("hot-seconds"), Unit: "seconds"},
			{Name: "share_of_writes", Value: share, Limit: p.Limit("share"), Unit: "%"},
		},
	}
	for c := range changes(s.Update) {
		if c.Operator == "$inc" {
			f.Reason, f.Message = "counter", "one document counts many times a second"
		}
		if path := op.Path(c.Path); len(f.Fields) < maxUsed && c.Operator != "$setOnInsert" {
			f.Fields = append(f.Fields, path)
		}
	}
	if len(f.Fields) > 0 {
		f.Message += ", in " + strings.Join(f.Fields, ", ")
	}
	d.severe(p, h, &f)
	f.Fix = hotFix(s, f.Reason)
	p.Report(f)
}

// severe raises a finding whose writers are seen to wait for each other.
func (d *hotDocument) severe(p *analysis.Pass, h *heat, f *analysis.Finding) {
	if d.conflicts > 0 {
		f.Severity, f.Override = analysis.High, true
		f.Evidence = append(f.Evidence, analysis.Evidence{Name: "write_conflicts", Value: d.conflicts, Unit: "operations"})
	}
	mine, others := d.latency.mean(), h.others.mean()
	if others == 0 {
		return
	}
	rise := int64(mine * 100 / others)
	f.Evidence = append(f.Evidence, analysis.Evidence{Name: "latency_beside_other_writes", Value: rise, Limit: p.Limit("latency-rise"), Unit: "%"})
	if rise >= p.Limit("latency-rise") && mine > time.Millisecond {
		f.Severity, f.Override = analysis.High, true
	}
}
