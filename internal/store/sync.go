package store

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"mongoadvisor/internal/analysis"
	"mongoadvisor/internal/op"
)

// Changes are what a store has seen since the last ones, for a place where several
// processes add theirs up.
type Changes struct {
	Findings   []Change
	Namespaces []SavedNamespace // operations and time more than before
	Workload   Workload         // the same of everything
	Began      time.Time        // when the first operation was seen
}

// Empty reports whether there is nothing to be said.
func (c *Changes) Empty() bool {
	return len(c.Findings) == 0 && len(c.Namespaces) == 0 && c.Workload.Operations == 0
}

// Change is one finding as it is, and how much of its figures is new.
type Change struct {
	Saved             // without its series
	New   bool        // the shared place is not known to have it
	Delta Figures     // since the last change
	Apps  []AppChange // occurrences by client since then, those with any
}

// AppChange is how much more one client caused.
type AppChange struct {
	Client
	New bool // the shared place is not known to have it
}

// sharing is what a shared place has of everything, own changes included.
type sharing struct {
	namespaces map[op.Namespace]Workload
	workload   Workload
}

// share is what a shared place has of one finding, own changes included.
type share struct {
	known   bool
	figures Figures
	clients map[Client]int64
	// what was last said besides
	severity                     analysis.Severity
	toldAt, fixedAt, regressedAt time.Time
}

// Changes takes what is new. The caller must deliver it, or try until it has: it is
// not told again. Until then it must not call Merge.
func (s *Store) Changes() Changes {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out Changes
	for _, e := range s.entries {
		if c, ok := e.change(); ok {
			out.Findings = append(out.Findings, c)
		}
	}
	slices.SortFunc(out.Findings, func(a, b Change) int { return strings.Compare(a.Fingerprint, b.Fingerprint) })
	if s.shared.namespaces == nil {
		s.shared.namespaces = map[op.Namespace]Workload{}
	}
	for name := range s.spaces() {
		if ns := s.namespaces[name]; ns != nil && ns.operations > s.shared.namespaces[name].Operations {
			n := ns.save(name)
			n.Workload = n.minus(s.shared.namespaces[name])
			out.Namespaces = append(out.Namespaces, n)
			s.shared.namespaces[name] = Workload{Operations: ns.operations, Latency: ns.latency}
		}
	}
	slices.SortFunc(out.Namespaces, byName)
	now := s.workload()
	out.Workload, s.shared.workload = now.minus(s.shared.workload), now
	out.Began = s.began
	return out
}

// minus is what w has more than an earlier state of the same.
func (w Workload) minus(earlier Workload) Workload {
	w.Operations, w.Latency = w.Operations-earlier.Operations, w.Latency-earlier.Latency
	return w
}

// newer reports whether a time is later than the one that the shared place has, which
// knows milliseconds.
func newer(own, shared time.Time) bool { return own.Truncate(time.Millisecond).After(shared) }

// change is what is new of an entry.
func (e *entry) change() (c Change, ok bool) {
	news := !e.shared.known || e.severity > e.shared.severity || newer(e.toldAt, e.shared.toldAt) ||
		newer(e.fixedAt, e.shared.fixedAt) || newer(e.regressedAt, e.shared.regressedAt)
	if !news && e.count == e.shared.figures.Count {
		return Change{}, false
	}
	c = Change{Saved: e.save(false), New: !e.shared.known}
	c.Delta = c.Figures.Minus(e.shared.figures)
	clients := countClients(c.Clients)
	for _, app := range c.Clients {
		before, known := e.shared.clients[Client{App: app.App, Driver: app.Driver}]
		if app.Count -= before; app.Count > 0 {
			c.Apps = append(c.Apps, AppChange{app, !known})
		}
	}
	e.shared = share{true, c.Figures, clients, e.severity, e.toldAt, e.fixedAt, e.regressedAt}
	return c, true
}

// Merge puts in what was kept, or what a shared place has now, for any number of
// findings and namespaces. What this process has seen since its last Changes, or
// ever, comes on top. What is no finding, or finds no room, is left out and counted.
func (s *Store) Merge(state State) (leftOut int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.restored { // of the time before nothing is known: watching is from now on
		s.restored, s.watching = true, s.now
	}
	for i := range state.Findings {
		if f := state.Findings[i]; !f.tidy() || !s.mergeFinding(&f) {
			leftOut++
		}
	}
	for _, n := range state.Namespaces {
		s.mergeNamespace(n)
	}
	state.Workload.tidy()
	if w := state.Workload; w.Operations > 0 {
		own := s.workload().minus(s.shared.workload)
		s.operations, s.latency = w.Operations+own.Operations, w.Latency+own.Latency
		s.shared.workload = w
	}
	if !state.Began.IsZero() && possible(state.Began) && (s.began.IsZero() || state.Began.Before(s.began)) {
		s.began = state.Began
	}
	if s.now.IsZero() || s.lent {
		s.now, s.lent = later(s.now, state.Workload.Last), true
	}
	return leftOut
}

func (s *Store) mergeNamespace(n SavedNamespace) {
	name := op.Namespace{DB: Printable(n.Database), Coll: Printable(n.Collection)}.Cut()
	if _, known := s.namespaces[name]; !known && len(s.namespaces) >= maxNamespaces {
		return // no finding is shown by the sums of all others
	}
	n.tidy()
	ns := s.namespace(name)
	before := s.shared.namespaces[name]
	own := Workload{Operations: ns.operations, Latency: ns.latency}.minus(before)
	ns.operations, ns.latency = n.Operations+own.Operations, n.Latency+own.Latency
	ns.advance(n.Last)
	if s.shared.namespaces == nil {
		s.shared.namespaces = map[op.Namespace]Workload{}
	}
	s.shared.namespaces[name] = Workload{Operations: n.Operations, Latency: n.Latency}
}

// mergeFinding reports whether there was room.
func (s *Store) mergeFinding(f *Saved) bool {
	e, known := s.entries[f.Fingerprint]
	if !known {
		if len(s.entries) >= s.config.MaxFindings && !s.room() {
			return false
		}
		e = f.entry()
		s.entries[f.Fingerprint] = e
	}
	own, clients := e.figures().Minus(e.shared.figures), e.clients
	if !known {
		own, clients = Figures{}, nil
	}
	e.setFigures(f.Figures.Plus(own), max(e.latency.max, f.Slowest))
	e.mergeClients(f.Clients, clients)
	e.mergeFacts(f)
	e.shared = share{true, f.Figures, countClients(f.Clients), f.Severity, f.ToldAt, f.FixedAt, f.RegressedAt}
	return true
}

// mergeClients replaces the clients by those of the shared place and what came here
// since.
func (e *entry) mergeClients(shared []Client, own map[Client]int64) {
	e.clients = map[Client]int64{}
	for c, n := range own {
		if n -= e.shared.clients[c]; n > 0 {
			e.clients[c] += n
		}
	}
	for _, c := range shared {
		e.countClient(Client{App: c.App, Driver: c.Driver}, c.Count)
	}
}

// mergeFacts takes what does not add up.
func (e *entry) mergeFacts(f *Saved) {
	if f.First.Before(e.first) {
		e.first = f.First
	}
	e.last = later(e.last, f.Last)
	e.severity = max(e.severity, f.Severity)
	if f.Confidence.Over(e.confidence) {
		e.confidence = f.Confidence
	}
	e.maxReply, e.documentsBefore = max(e.maxReply, int(f.MaxReply)), max(e.documentsBefore, f.Documents)
	if e.kept && len(f.Evidence) > 0 { // what is seen here says it for itself
		e.finding.Evidence = f.Evidence
	}
	e.comment, e.silenced = cmp.Or(e.comment, f.Comment), cmp.Or(e.silenced, f.Silenced)
	e.mergeTests(f.Tests)
	e.fixedAt, e.regressedAt = later(e.fixedAt, f.FixedAt), later(e.regressedAt, f.RegressedAt)
	e.setTold(f)
	if !e.fixedAt.After(e.last) { // seen again, perhaps by others
		e.toldFixed = false
	}
}
