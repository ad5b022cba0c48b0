package store

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"mongoadvisor/internal/analysis"
	"mongoadvisor/internal/op"
)

// Save makes the kept form of everything, findings that are not shown included, in
// an order that does not change. The caller fills what a store does not know: the
// version, the source, and the like.
func (s *Store) Save() State {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := State{
		Schema: SavedSchema, Profile: s.config.Profile, Began: s.began, Workload: s.workload(),
		Namespaces: []SavedNamespace{}, Findings: make([]Saved, 0, len(s.entries)),
	}
	for _, e := range s.entries {
		out.Findings = append(out.Findings, e.save(true))
	}
	slices.SortFunc(out.Findings, func(a, b Saved) int { return strings.Compare(a.Fingerprint, b.Fingerprint) })
	for name := range s.spaces() {
		if ns := s.namespaces[name]; ns != nil {
			out.Namespaces = append(out.Namespaces, ns.save(name))
		}
	}
	slices.SortFunc(out.Namespaces, byName)
	return out
}

// byName orders namespaces.
func byName(a, b SavedNamespace) int {
	return cmp.Or(strings.Compare(a.Database, b.Database), strings.Compare(a.Collection, b.Collection))
}

// workload is everything seen.
func (s *Store) workload() Workload {
	return Workload{Operations: s.operations, Latency: s.latency, Last: s.now.UTC()}
}

// spaces are the namespaces of findings.
func (s *Store) spaces() map[op.Namespace]bool {
	out := map[op.Namespace]bool{}
	for _, e := range s.entries {
		out[e.space] = true
	}
	return out
}

func (n *namespace) save(name op.Namespace) SavedNamespace {
	return SavedNamespace{Printable(name.DB), Printable(name.Coll), Workload{n.operations, n.latency, n.last.UTC()}}
}

// save makes the kept form of an entry; plot says whether with its series.
func (e *entry) save(plot bool) Saved {
	out := Saved{
		Fingerprint: e.fingerprint, Rule: e.rule.ID, Name: e.rule.Name, Correctness: e.rule.Correctness, Reason: e.finding.Reason,
		Severity: e.severity, Confidence: e.confidence, Database: Printable(e.space.DB), Collection: Printable(e.space.Coll),
		Command: e.command, Shape: e.shape.Text, ShapeID: e.shape.ID, Fields: e.finding.Fields, Message: e.finding.Message,
		Advice: e.finding.Advice, Fix: e.finding.Fix, Caveat: e.finding.Caveat, Evidence: slices.Clone(e.finding.Evidence),
		Comment: e.comment, Silenced: e.silenced, MinCount: e.minCount, First: e.first.UTC(), Last: e.last.UTC(), Figures: e.figures(),
		Clients: e.savedClients(), Tests: e.viewTests(), Documents: max(int64(len(e.documents)), e.documentsBefore), MaxReply: int64(e.maxReply), Slowest: e.latency.max,
		FixedAt: e.fixedAt, RegressedAt: e.regressedAt, ToldSeverity: e.told,
	}
	if e.announced {
		out.ToldAt = e.toldAt.UTC()
	}
	if plot {
		out.Series = e.series.save()
	}
	return out
}

func (e *entry) savedClients() []Client {
	out := make([]Client, 0, len(e.clients))
	for c, n := range e.clients {
		out = append(out, Client{Printable(c.App), Printable(c.Driver), n})
	}
	slices.SortFunc(out, func(a, b Client) int {
		return cmp.Or(strings.Compare(a.App, b.App), strings.Compare(a.Driver, b.Driver))
	})
	return out
}

func (s *series) save() *SavedSeries {
	if len(s.buckets) == 0 {
		return nil
	}
	out := &SavedSeries{Width: s.width, First: s.first, Figure: s.figure}
	for _, b := range s.buckets {
		out.Counts, out.Slowest, out.Values = append(out.Counts, b.count), append(out.Slowest, b.slowest), append(out.Values, b.value)
	}
	return out
}

// entry makes an entry of its kept form, which is tidy.
func (f *Saved) entry() *entry {
	e := &entry{
		// the rule as it was: the first report brings the one that runs
		rule:        &analysis.Analyzer{ID: f.Rule, Name: f.Name, Correctness: f.Correctness, Severity: f.Severity},
		fingerprint: f.Fingerprint,
		finding: analysis.Finding{
			Reason: f.Reason, Message: f.Message, Advice: f.Advice, Fix: f.Fix, Fields: f.Fields, Evidence: f.Evidence, Caveat: f.Caveat,
		},
		confidence: f.Confidence, space: op.Namespace{DB: f.Database, Coll: f.Collection}.Cut(), shape: op.Shape{ID: f.ShapeID, Text: f.Shape},
		command: f.Command, comment: f.Comment, severity: f.Severity, minCount: f.MinCount, first: f.First, last: f.Last,
		series: f.Series.series(), maxReply: int(f.MaxReply), documentsBefore: f.Documents, clients: map[Client]int64{}, silenced: f.Silenced,
		fixedAt: f.FixedAt, regressedAt: f.RegressedAt, kept: true,
	}
	e.ns = e.space.String()
	for _, c := range f.Clients {
		e.clients[Client{App: c.App, Driver: c.Driver}] += c.Count
	}
	e.setFigures(f.Figures, f.Slowest)
	e.setTold(f)
	return e
}

// setTold takes over what the sinks were told of, here or elsewhere.
func (e *entry) setTold(f *Saved) {
	if f.ToldAt.IsZero() {
		return
	}
	e.announced, e.told = true, max(e.told, f.ToldSeverity)
	if f.ToldAt.After(e.toldAt) {
		e.toldAt = f.ToldAt
	}
	e.toldFixed = e.toldFixed || f.FixedAt.After(f.Last)
}

// later is the later of two times.
func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}
