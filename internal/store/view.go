package store

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"mongoadvisor/internal/analysis"
)

// Findings lists what is reported, the worst first: by severity, impact,
// count, and then the fingerprint, so that the order is always the same.
func (s *Store) Findings() []Entry {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := []Entry{}
	for _, e := range s.entries {
		if s.shown(e) {
			out = append(out, s.view(e))
		}
	}
	slices.SortFunc(out, func(a, b Entry) int {
		return cmp.Or(
			cmp.Compare(statusRank(a.Status), statusRank(b.Status)),
			cmp.Compare(b.Severity, a.Severity), cmp.Compare(b.Impact, a.Impact), cmp.Compare(b.Count, a.Count),
			strings.Compare(a.Fingerprint, b.Fingerprint))
	})
	return out
}

// statusRank puts what needs nobody's attention last.
func statusRank(s Status) int {
	switch s {
	case Fixed:
		return 1
	case Muted:
		return 2
	}
	return 0
}

// Occurrences are the occurrences of all findings, shown or not, since the
// start. They only grow.
func (s *Store) Occurrences() map[Occurrence]int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return maps.Clone(s.seen)
}

// view makes the public form of an entry.
func (s *Store) view(e *entry) Entry {
	out := Entry{
		Schema: Schema, Fingerprint: e.fingerprint, Rule: e.rule.ID, Name: e.rule.Name, Reason: e.finding.Reason,
		Severity: s.config.Profile.effective(e), Confidence: e.confidence, Status: s.status(e),
		Namespace: e.ns, Command: e.command, Fields: e.finding.Fields, Shape: e.shape.Text, ShapeID: e.shape.String(),
		Message: e.finding.Message, Advice: e.finding.Advice, Fix: e.finding.Fix, Caveat: e.finding.Caveat,
		Count: e.count, FirstSeen: e.first.UTC(), LastSeen: e.last.UTC(),
		Comment: e.comment, Impact: s.impact(e), Docs: "docs/rules/" + e.rule.ID + ".md",
		Series: e.series.view(&e.latency),
	}
	switch {
	case e.muted():
		out.MutedBy = cmp.Or(e.quiet, e.silenced)
	case s.inBaseline(e):
		out.MutedBy = mutedByBaseline
	}
	if out.Fields == nil {
		out.Fields = []string{}
	}
	out.Evidence = append(s.evidence(e), e.finding.Evidence...)
	if e.latency.n > 0 {
		out.LatencyMS = &Latency{
			P50: millis(e.latency.quantile(0.5)), P95: millis(e.latency.quantile(0.95)), Max: millis(e.latency.max),
		}
	}
	out.Clients = make([]Client, 0, len(e.clients))
	for c, n := range e.clients {
		c.App, c.Driver, c.Count = Printable(c.App), Printable(c.Driver), n
		out.Clients = append(out.Clients, c)
	}
	out.Tests = e.viewTests()
	slices.SortFunc(out.Clients, func(a, b Client) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), strings.Compare(a.App, b.App), strings.Compare(a.Driver, b.Driver))
	})
	return out
}

// evidence are the figures that every finding has: how often, how fast, on how
// much, and what share of its collection's time it takes.
func (s *Store) evidence(e *entry) []analysis.Evidence {
	out := []analysis.Evidence{{Name: "count", Value: e.count, Limit: s.config.Profile.floor(e), Unit: "operations"}}
	add := func(name string, value int64, unit string) {
		if value > 0 {
			out = append(out, analysis.Evidence{Name: name, Value: value, Unit: unit})
		}
	}
	if span := e.last.Sub(e.first); span >= time.Minute {
		add("per_hour", int64(math.Round(float64(e.count)/span.Hours())), "operations")
	}
	documents := e.documents.name("distinct_documents")
	if e.documentsBefore > 0 { // others may have been the same
		documents = atLeast("distinct_documents")
	}
	add(documents, max(int64(len(e.documents)), e.documentsBefore), "documents")
	add(e.conns.name("connections"), e.connections(), "connections")
	add("returned_documents", e.returned, "documents")
	add("returned_bytes", e.bytes, "bytes")
	if ns := s.namespaces[e.space]; ns != nil && ns.latency > 0 {
		add("time_share", int64(math.Round(100*min(float64(e.latency.sum)/float64(ns.latency), 1))), "%")
	}
	return out
}

// impact is the finding's share of all time spent, or of all operations when
// there are no latencies, rounded to four digits.
func (s *Store) impact(e *entry) float64 {
	share := 0.0
	switch {
	case s.latency > 0:
		share = float64(e.latency.sum) / float64(s.latency)
	case s.operations > 0:
		share = float64(e.count) / float64(s.operations)
	}
	return math.Round(min(share, 1)*1e4) / 1e4
}

func millis(d time.Duration) float64 {
	return math.Round(float64(d)/float64(time.Millisecond)*100) / 100
}
