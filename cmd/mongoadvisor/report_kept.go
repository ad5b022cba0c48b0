package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"time"

	"mongoadvisor/analyzers"
	"mongoadvisor/internal/analysis"
	"mongoadvisor/internal/engine"
	"mongoadvisor/internal/sink"
	"mongoadvisor/internal/store"
	"mongoadvisor/internal/store/disk"
	"mongoadvisor/internal/store/shared"
)

// fromDisk reports what a directory has. It changes nothing there.
func (j *judgement) fromDisk(path string) (*sink.Report, error) {
	state, err := disk.Open(path).Read()
	if errors.Is(err, fs.ErrNotExist) {
		return nil, unreadable(errors.New("storage.path " + path + ": no findings are kept there"))
	} else if err != nil {
		return nil, unreadable(err)
	}
	return j.rebuild(state, "disk"), nil
}

// loadTime bounds the reading of a shared store.
const loadTime = time.Minute

// fromShared reports what all processes have found.
func (j *judgement) fromShared(ctx context.Context, uri string) (*sink.Report, error) {
	client, err := shared.Connect(uri)
	if err != nil { // it was checked: its names cannot be looked up
		return nil, &exitError{exitUpstream, fmt.Errorf("storage.uri: findings cannot be read: %w", err)}
	}
	defer func() { _ = client.Close(context.Background()) }()
	ctx, cancel := context.WithTimeout(ctx, loadTime)
	defer cancel()
	state, processes, err := client.Load(ctx)
	if err != nil {
		return nil, &exitError{exitUpstream, fmt.Errorf("storage.uri: findings cannot be read: %w", err)}
	}
	if len(processes) == 0 {
		return nil, unreadable(errors.New("storage.uri: no process has kept its findings there"))
	}
	state.Processes = len(processes)
	state.Source, state.Profile, state.NotJudged = processes[0].Source, processes[0].Profile, processes[0].NotJudged
	state.Coverage = processes[0].Coverage
	for _, p := range processes[1:] {
		state.Coverage = state.Coverage.Plus(p.Coverage)
		state.NotJudged = inBoth(state.NotJudged, p.NotJudged)
	}
	return j.rebuild(state, "mongodb"), nil
}

// inBoth are the rules that neither process could judge.
func inBoth(a, b map[string]string) map[string]string {
	out := map[string]string{}
	for rule, why := range a {
		if _, ok := b[rule]; ok {
			out[rule] = why
		}
	}
	return out
}

// rebuild makes a report of a kept state. The baseline and the ignore entries of this
// configuration hold for it; which rules ran, those have decided that kept it.
func (j *judgement) rebuild(state store.State, kind string) *sink.Report {
	c := j.reporting()
	c.Profile = cmp.Or(c.Profile, state.Profile)
	s := store.New(c)
	s.Merge(state)
	e := engine.New(engine.Config{Rules: j.catalogue, Ignore: j.ignores})
	s.Mute(e.Ignored)
	r := &sink.Report{
		Schema: store.Schema, Source: state.Source, Profile: c.Profile, Coverage: state.Coverage, Totals: s.Totals(),
		Stored:    &sink.Stored{In: kind, Since: state.Began, Processes: state.Processes},
		NotJudged: []sink.NotJudged{}, Findings: s.Findings(), Ignores: idle(e.Ignores()), BaselineGone: s.Gone(),
	}
	for _, rule := range slices.Sorted(maps.Keys(state.NotJudged)) {
		r.NotJudged = append(r.NotJudged, sink.NotJudged{Rule: rule, Why: state.NotJudged[rule]})
	}
	r.Rules = ran(r.NotJudged)
	return r
}

// ran are the rules that did judge.
func ran(not []sink.NotJudged) []*analysis.Analyzer {
	return slices.DeleteFunc(analyzers.All(), func(a *analysis.Analyzer) bool {
		return slices.ContainsFunc(not, func(n sink.NotJudged) bool { return n.Rule == a.ID })
	})
}
