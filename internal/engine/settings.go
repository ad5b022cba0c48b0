package engine

import (
	"sync/atomic"

	"mongoadvisor/internal/analysis"
)

// settings are what a configuration says of judging. They are never changed, but
// replaced as a whole between two operations. What was learnt (states, counters) goes on
// in those that follow; only Judge touches the states.
type settings struct {
	rules     []*rule
	byCommand map[string][]*rule
	ignores   []*silence
	bounded   []string
	adopted   func()
}

// silence is an ignore entry with how often it silenced.
type silence struct {
	Ignore
	used *atomic.Int64
}

// Configure puts rules, limits, ignore entries and bounded arrays in the place of those
// in force, from the next operation on. Listeners and Recorder stay. A rule that goes on
// keeps what it has learnt, one that is switched on anew starts afresh; an ignore entry
// that goes on keeps its count.
func (e *Engine) Configure(c Config) {
	e.mu.Lock()
	defer e.mu.Unlock()
	before := e.latest.Load()
	if before == nil {
		before = &settings{}
	}
	s := &settings{byCommand: map[string][]*rule{}, ignores: before.silences(c.Ignore), bounded: c.Bounded, adopted: c.Adopted}
	shared := map[string]*states{}
	for _, a := range c.Rules {
		r := e.rule(a, c.Limits, before, shared)
		s.rules = append(s.rules, r)
		for _, command := range a.Commands {
			s.byCommand[command] = append(s.byCommand[command], r)
		}
	}
	e.latest.Store(s)
}

// adopt makes settings those of the operations from here on.
func (e *Engine) adopt(s *settings) {
	e.current = s
	if s.adopted != nil {
		s.adopted()
	}
}

// rule makes what the engine keeps for an analyzer. States that are shared are made
// once.
func (e *Engine) rule(a *analysis.Analyzer, limits map[string]int64, before *settings, shared map[string]*states) *rule {
	r := &rule{analyzer: a, stats: e.statsOf(a.ID), limits: []limit{{analysis.MinCountLimit, int64(a.MinCount)}}}
	for _, l := range a.Limits {
		r.limits = append(r.limits, limit{l.Name, l.Default})
	}
	for i, l := range r.limits {
		if v, ok := limits[a.ID+"."+l.name]; ok {
			r.limits[i].value = v
		}
	}
	r.states = before.states(a)
	if a.State != nil && a.State.Shared != "" {
		if s, ok := shared[a.State.Shared]; ok {
			r.states = s
		}
	}
	if r.states == nil {
		r.states = newStates(a.State, &r.stats.Evicted)
	}
	if a.State != nil && a.State.Shared != "" {
		shared[a.State.Shared] = r.states
	}
	r.pass = analysis.NewPass(a, e, func(p *analysis.Pass, f analysis.Finding) { e.report(r, p, f) }, r.limit, func(*analysis.Pass) any { return r.states.get(&e.keys) })
	r.pass.Memo = &e.memo
	return r
}

// statsOf are a rule's counters, the same whenever it is in force.
func (e *Engine) statsOf(id string) *RuleStats {
	for _, s := range e.stats {
		if s.ID == id {
			return s
		}
	}
	s := &RuleStats{ID: id}
	e.stats = append(e.stats, s)
	return s
}

// rule is the one with that ID, nil when it is not in force.
func (s *settings) rule(id string) *rule {
	for _, r := range s.rules {
		if r.analyzer.ID == id {
			return r
		}
	}
	return nil
}

// states are those that a rule has, or shares with one that is in force; nil for none.
func (s *settings) states(a *analysis.Analyzer) *states {
	if r := s.rule(a.ID); r != nil {
		return r.states
	}
	for _, r := range s.rules {
		if x := r.analyzer.State; a.State != nil && a.State.Shared != "" && x != nil && x.Shared == a.State.Shared {
			return r.states
		}
	}
	return nil
}

// silences makes entries, with the counts of those in force that silence the same.
func (s *settings) silences(entries []Ignore) []*silence {
	before := map[Ignore][]*atomic.Int64{}
	for _, ig := range s.ignores {
		before[ig.key()] = append(before[ig.key()], ig.used)
	}
	out := make([]*silence, len(entries))
	for i, ig := range entries {
		out[i] = &silence{Ignore: ig, used: &atomic.Int64{}}
		if counts := before[ig.key()]; len(counts) > 0 {
			out[i].used, before[ig.key()] = counts[0], counts[1:]
		}
	}
	return out
}

// ignoring is the first entry that silences a report, nil for none.
func (s *settings) ignoring(r *analysis.Report) *silence {
	for _, ig := range s.ignores {
		if ig.matches(r) {
			return ig
		}
	}
	return nil
}

// key is what an entry silences, whatever its reason.
func (i Ignore) key() Ignore {
	i.Reason, i.Until = "", i.Until.UTC()
	return i
}
