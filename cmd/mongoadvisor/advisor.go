package main

import (
	"sync/atomic"
	"time"

	"go.uber.org/zap"

	"mongoadvisor/analyzers"
	"mongoadvisor/internal/engine"
	"mongoadvisor/internal/op"
	"mongoadvisor/internal/sink"
	"mongoadvisor/internal/store"
)

// advisor is what stands behind every source of operations: the rules, the engine
// that runs them, the findings, and the ways out. With the commands around it, it
// is the only place where all packages meet.
type advisor struct {
	config *config // at the start; what a reload may change is in force
	force  atomic.Pointer[judgement]
	logger *zap.Logger
	engine *engine.Engine
	store  *store.Store
	sinks  *sink.Dispatcher
	tally  tally
}

// newAdvisor puts the parts together. listeners, which may be nil, gives the
// addresses clients reach us by; announce are the sinks for findings as they appear.
func newAdvisor(c *config, logger *zap.Logger, listeners func() []string, announce ...sink.Sink) (*advisor, error) {
	j, err := c.judgement(analyzers.All())
	if err != nil {
		return nil, err
	}
	a := &advisor{config: c, logger: logger}
	a.force.Store(j)
	lines := newLimiter(time.Minute)
	a.sinks = sink.NewDispatcher(func(name string, err error) {
		if lines.allow(name) { // the counters have every one
			logger.Warn("finding not delivered", zap.String("sink", name), zap.Error(err))
		}
	}, announce...)
	reporting := j.reporting()
	reporting.Announce = a.sinks.Announce
	a.store = store.New(reporting)
	judging := j.judging()
	judging.Listeners, judging.Recorder = listeners, a.store
	a.engine = engine.New(judging)
	return a, nil
}

// count adds an operation to what reports say of all of them. It may run beside the
// judging of others.
func (a *advisor) count(o *op.Operation) {
	if o.Command != op.Notice {
		a.tally.count(o)
	}
}

// report is everything there is to say of a source that tells has of its operations.
func (a *advisor) report(source op.Source, has op.Has, coverage op.Coverage) *sink.Report {
	r := a.about(source, has, coverage)
	r.Totals, r.Findings = a.store.Totals(), a.store.Findings()
	r.Ignores, r.BaselineGone = append(idle(a.engine.Ignores()), marks(a.engine.Marks())...), a.store.Gone()
	return r
}

// about is a report without the findings: what was seen, and which rules could judge it.
func (a *advisor) about(source op.Source, has op.Has, coverage op.Coverage) *sink.Report {
	a.tally.cover(&coverage)
	force := a.force.Load()
	r := &sink.Report{
		Schema: store.Schema, Source: source, Profile: store.Profile(force.config.Profile),
		Coverage: coverage, Commands: a.tally.byCommand(), NotJudged: []sink.NotJudged{},
		Rules: force.rules, FailOn: a.config.testFloor(), Version: version,
	}
	running := map[string]bool{}
	not := func(id, why string) {
		r.NotJudged = append(r.NotJudged, sink.NotJudged{Rule: id, Why: why})
	}
	for _, rule := range force.rules {
		running[rule.ID] = true
		if missing := has.Missing(rule.Needs); missing != 0 {
			not(rule.ID, lacks(missing))
		}
	}
	for _, rule := range analyzers.All() {
		if !running[rule.ID] {
			not(rule.ID, "switched off")
		}
	}
	for _, rule := range analyzers.NeedInspection() {
		not(rule.ID, lacks(has.Missing(rule.Needs)))
	}
	return r
}

// idle lists the ignore entries that silence nothing.
func idle(entries []engine.IgnoreUse) []sink.IdleIgnore {
	var out []sink.IdleIgnore
	for _, i := range entries {
		x := sink.IdleIgnore{Rule: i.Rule, Namespace: i.Namespace, Shape: i.Shape, Reason: i.Reason, Why: sink.IgnoreUnused}
		if !i.Until.IsZero() {
			x.Until = i.Until.AddDate(0, 0, -1).Format(time.DateOnly)
		}
		if i.Expired {
			x.Why = sink.IgnoreExpired
		}
		if i.Expired || i.Silenced == 0 {
			out = append(out, x)
		}
	}
	return out
}

// lacks words why a rule cannot speak.
func lacks(missing op.Has) string {
	const slow = "shows slow operations only"
	facts := missing &^ op.HasEvery
	switch {
	case facts == 0:
		return "this source " + slow
	case missing&op.HasEvery != 0:
		return "this source carries no " + facts.String() + " and " + slow
	}
	return "this source carries no " + facts.String()
}
