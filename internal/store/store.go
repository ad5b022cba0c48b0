package store

import (
	"cmp"
	"slices"
	"strings"
	"sync"
	"time"

	"mongoadvisor/internal/analysis"
	"mongoadvisor/internal/op"
)

// Config says how findings are reported.
type Config struct {
	Profile Profile
	// MaxFindings bounds how many are kept; what comes beyond is counted. 0: 10,000.
	MaxFindings int
	// Remind is the least time between two announcements of one finding. 0: one hour.
	Remind time.Duration
	// FixedAfter is how long a pattern must be gone, its namespace in use, until
	// it counts as fixed. 0: 24 hours.
	FixedAfter time.Duration
	// Baseline are findings that are known and accepted: they are muted, unless they
	// got worse.
	Baseline []Known
	// Announce takes a finding at first sight, when its severity rises, when it is
	// fixed, when it regresses, and as a reminder. It must not block. nil: nobody is told.
	Announce func(Entry)
}

// Store keeps findings. Safe for concurrent use.
type Store struct {
	mu         sync.Mutex
	config     Config
	entries    map[string]*entry
	byKey      map[entryKey]*entry // entries by what a report says, before it is hashed
	namespaces map[op.Namespace]*namespace
	latency    time.Duration // of all operations
	latencies  latencies     // the same one by one
	series     series        // of all operations
	operations int64
	now        time.Time // the traffic's clock
	lent       bool      // it is that of other processes, until there is traffic here
	began      time.Time // the first operation's, by that clock
	restored   bool      // what is kept was there before: watching is to be set
	watching   time.Time // since when this process sees traffic, when something was restored
	shared     sharing   // what a shared store has
	dropped    int64
	crowded    int // findings to turn away before room is looked for again
	seen       map[Occurrence]int64
	known      map[string]Known // the baseline by fingerprint
}

// Began is when the first operation was seen, by the traffic's clock; earlier
// processes, and others that share a store, included.
func (s *Store) Began() time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.began
}

// Occurrence is what occurrences are counted by.
type Occurrence struct {
	Rule     string
	Severity analysis.Severity
}

// namespace is what a collection's traffic adds up to.
type namespace struct {
	operations int64
	latency    time.Duration
	last       time.Time
	before     time.Time // the last time before that
}

// maxNamespaces bounds the sums; collections beyond share one.
const maxNamespaces = 10_000

// New makes an empty store.
func New(c Config) *Store {
	if c.MaxFindings == 0 {
		c.MaxFindings = 10_000
	}
	s := &Store{config: c, entries: map[string]*entry{}, byKey: map[entryKey]*entry{}, namespaces: map[op.Namespace]*namespace{}, seen: map[Occurrence]int64{}}
	s.Configure(c)
	return s
}

// Observe counts an operation of the workload, and those it stands for.
func (s *Store) Observe(o *op.Operation) {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := o.Sample.Count()
	s.operations += n
	s.latency += o.Latency * time.Duration(n)
	s.latencies.add(o.Latency, n)
	s.series.add(o.Time, n, o.Latency, 0)
	s.tick(o.Time)
	if o.Command != "bulkWrite" {
		s.namespace(o.Stored()).add(o.Time, n, o.Latency)
		return
	}
	// a bulkWrite is about the collections it writes to; its time is not shared out
	previous := op.Namespace{}
	for i := range o.Statements() {
		if ns := o.Statements()[i].NS; ns != previous {
			s.namespace(ns).add(o.Time, n, 0)
			previous = ns
		}
	}
}

// tick moves the traffic's clock.
func (s *Store) tick(at time.Time) {
	if at.After(s.now) || s.lent && !at.IsZero() {
		s.now, s.lent = at, false
	}
	if !at.IsZero() && (s.began.IsZero() || at.Before(s.began)) {
		s.began = at.UTC()
	}
	if s.restored && s.watching.IsZero() {
		s.watching = at
	}
}

func (n *namespace) add(at time.Time, count int64, latency time.Duration) {
	n.operations += count
	n.latency += latency * time.Duration(count)
	n.advance(at)
}

func (n *namespace) advance(at time.Time) {
	if at.After(n.last) {
		n.before, n.last = n.last, at
	}
}

func (s *Store) namespace(name op.Namespace) *namespace {
	name = name.Cut()
	if ns, ok := s.namespaces[name]; ok {
		return ns
	}
	if len(s.namespaces) >= maxNamespaces {
		name = op.Namespace{} // all others
		if ns, ok := s.namespaces[name]; ok {
			return ns
		}
	}
	ns := &namespace{}
	s.namespaces[name.Clone()] = ns
	return ns
}

// Record counts a finding.
func (s *Store) Record(r analysis.Report) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r.Count = max(r.Count, 1)
	s.seen[Occurrence{r.Rule.ID, r.Severity}] += r.Count
	key := entryKey{r.Rule, r.Finding.Reason, r.NS, r.Shape.ID}
	e, ok := s.byKey[key]
	if !ok {
		if e, ok = s.entry(&r); e == nil {
			s.dropped += r.Count
			return
		}
		s.remember(key, e)
	}
	gone := ok && s.wasFixed(e, r.Time)
	if gone {
		e.back(r.Time)
	}
	s.tick(r.Time)
	e.add(&r)
	s.announce(e, gone)
}

// entryKey is what makes a fingerprint, as it stands in a report.
type entryKey struct {
	rule   *analysis.Analyzer
	reason string
	ns     op.Namespace
	shape  uint64
}

// maxKeys bounds the keys: namespaces of one template share an entry.
const maxKeys = 40_000

func (s *Store) remember(key entryKey, e *entry) {
	if len(s.byKey) >= maxKeys {
		clear(s.byKey)
	}
	key.ns, key.reason = key.ns.Clone(), e.finding.Reason
	s.byKey[key] = e
}

// entry finds the entry of a report by its fingerprint, or makes one; nil when
// there is no room. known reports whether it was there.
func (s *Store) entry(r *analysis.Report) (e *entry, known bool) {
	fp := Fingerprint(r)
	if e, known = s.entries[fp]; known {
		return e, true
	}
	if len(s.entries) >= s.config.MaxFindings && !s.room() {
		return nil, false
	}
	e = newEntry(r, fp)
	s.entries[fp] = e
	return e, false
}

// room makes room, if there is any to be made: a store full of findings that are
// shown is looked through once per MaxFindings new ones, not for each.
func (s *Store) room() bool {
	if s.crowded > 0 {
		s.crowded--
		return false
	}
	if !s.makeRoom() {
		s.crowded = s.config.MaxFindings
		return false
	}
	return true
}

// makeRoom drops a sixteenth of the entries, at least one: those that nobody
// has been shown and that were seen longest ago. It reports whether there were
// any. Their occurrences are counted as untracked.
func (s *Store) makeRoom() bool {
	var hidden []*entry
	for _, e := range s.entries {
		if !e.announced && !s.shown(e) {
			hidden = append(hidden, e)
		}
	}
	slices.SortFunc(hidden, func(a, b *entry) int {
		return cmp.Or(a.last.Compare(b.last), strings.Compare(a.fingerprint, b.fingerprint))
	})
	for _, e := range hidden[:min(len(hidden), max(s.config.MaxFindings/16, 1))] {
		s.dropped += e.count
		delete(s.entries, e.fingerprint)
	}
	if len(hidden) > 0 {
		clear(s.byKey) // some name entries that are gone
	}
	return len(hidden) > 0
}

// announce tells the sinks when there is news.
func (s *Store) announce(e *entry, returned bool) {
	if s.config.Announce == nil || !s.shown(e) || e.muted() || s.inBaseline(e) {
		return
	}
	severity := s.config.Profile.effective(e)
	news := !e.announced || severity > e.told || returned
	if !news && e.last.Sub(e.toldAt) < s.config.Remind {
		return
	}
	e.announced, e.toldAt, e.told = true, e.last, max(e.told, severity)
	s.config.Announce(s.view(e))
}

// shown reports whether an entry belongs into a report.
func (s *Store) shown(e *entry) bool {
	return s.config.Profile.reached(e, s.namespaces[e.space]) && !rare(e)
}

// Totals are sums over everything seen.
type Totals struct {
	Operations  int64 `json:"operations"`
	Namespaces  int   `json:"namespaces"`
	Suppressed  int64 `json:"below_floor"`        // findings not shown: below their floor, or rare
	Untracked   int64 `json:"findings_untracked"` // occurrences of findings there was no room for
	Occurrences int64 `json:"occurrences"`
	// Series are all operations over time, for a plot; nil when there were none.
	Series *Series `json:"-"`
}

// Totals sums the store up.
func (s *Store) Totals() Totals {
	s.mu.Lock()
	defer s.mu.Unlock()
	t := Totals{Operations: s.operations, Namespaces: len(s.namespaces), Untracked: s.dropped, Series: s.series.view(&s.latencies)}
	for _, e := range s.entries {
		t.Occurrences += e.count
		if !s.shown(e) {
			t.Suppressed++
		}
	}
	return t
}
