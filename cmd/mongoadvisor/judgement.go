package main

import (
	"time"

	"mongoadvisor/internal/analysis"
	"mongoadvisor/internal/engine"
	"mongoadvisor/internal/store"
)

// judgement is a configuration with what it means for rules and findings, made and
// checked before anything of it is in force. It is never changed.
type judgement struct {
	config    *config
	catalogue []*analysis.Analyzer // all rules there are
	rules     []*analysis.Analyzer // those to run
	limits    map[string]int64
	ignores   []engine.Ignore
	known     []store.Known
}

// judgement makes one. The rules of a catalogue are values: what they have learnt goes
// on only with the same ones.
func (c *config) judgement(catalogue []*analysis.Analyzer) (*judgement, error) {
	j := &judgement{config: c, catalogue: catalogue}
	var err error
	if j.rules, err = engine.Select(catalogue, c.Rules); err != nil {
		return nil, usage("%w", err)
	}
	if j.limits, err = engine.ParseLimits(catalogue, c.Limit); err != nil { // also of rules that are off
		return nil, usage("%w", err)
	}
	if j.ignores, err = c.ignores(); err != nil {
		return nil, usage("%w", err)
	}
	if j.known, err = c.known(); err != nil {
		return nil, err
	}
	return j, nil
}

// judging is what the engine is told.
func (j *judgement) judging() engine.Config {
	return engine.Config{Rules: j.rules, Limits: j.limits, Ignore: j.ignores, Bounded: j.config.Bounded}
}

// reporting is what the store is told.
func (j *judgement) reporting() store.Config {
	c := j.config
	return store.Config{Profile: store.Profile(c.Profile), Remind: time.Duration(c.Remind), FixedAfter: time.Duration(c.FixedAfter), Baseline: j.known}
}
