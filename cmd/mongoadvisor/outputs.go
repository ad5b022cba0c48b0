package main

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"mongoadvisor/internal/analysis"
	"mongoadvisor/internal/sink"
	"mongoadvisor/internal/store"
)

// known reads the baseline.
func (c *config) known() ([]store.Known, error) {
	if c.Baseline == "" {
		return nil, nil
	}
	known, err := store.ReadBaseline(c.Baseline)
	var file *fs.PathError
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, usage("baseline %s is not there; --write-baseline makes one", c.Baseline)
	case errors.As(err, &file):
		return nil, usage("baseline %s: %w", c.Baseline, inWords{err})
	case err != nil:
		return nil, usage("baseline: %w", err)
	}
	return known, nil
}

// writeBaseline writes what was found, when it is asked for.
func (a *advisor) writeBaseline() error {
	return writeBaseline(a.config.WriteBaseline, a.store.Findings())
}

// writeBaseline replaces the file as a whole: a run that is interrupted leaves
// the old one.
func writeBaseline(path string, findings []store.Entry) error {
	if path == "" {
		return nil
	}
	f, err := os.CreateTemp(filepath.Dir(path), ".baseline-*")
	if err != nil {
		return usage("write-baseline: %w", err)
	}
	defer func() { _ = os.Remove(f.Name()) }()
	err = errors.Join(store.WriteBaseline(f, findings), f.Chmod(0o644), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return fmt.Errorf("write-baseline %s: %w", path, err)
	}
	return nil
}

// baselineFile is the baseline as reports point to it: that of --baseline, else the one
// that was written. nil when there is none in the working directory or below, for a
// report is read where this is a repository.
func (c *config) baselineFile() *sink.BaselineFile {
	path := cmp.Or(c.Baseline, c.WriteBaseline)
	if path == "" {
		return nil
	}
	here, err := os.Getwd()
	if err != nil {
		return nil
	}
	if !filepath.IsAbs(path) {
		path = filepath.Join(here, path)
	}
	relative, err := filepath.Rel(here, path)
	if err != nil || !filepath.IsLocal(relative) {
		return nil
	}
	lines, err := store.BaselineLines(path)
	if err != nil {
		return nil
	}
	return &sink.BaselineFile{Path: filepath.ToSlash(relative), Lines: lines}
}

// writable finds out before anything runs that what is written at its end can be.
func (c *config) writable() error {
	if err := writable("output", c.Output); err != nil {
		return err
	}
	return writable("write-baseline", c.WriteBaseline)
}

// writable does so for the file that a flag names.
func writable(flag, path string) error {
	if path == "" {
		return nil
	}
	if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) { // a link stays, whatever it leads to
		defer func() { _ = os.Remove(path) }() // written at the end
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY, 0o644)
	if errors.Is(err, fs.ErrNotExist) {
		return usage("%s %s: no such folder; make it, or name a file in another", flag, path)
	}
	if err != nil {
		return usage("%s %s: %s", flag, path, trouble(err))
	}
	return f.Close()
}

// writeReport writes the report to the file that was asked for, if one was.
func writeReport(c *config, r *sink.Report) error {
	if c.Output == "" {
		return nil
	}
	r.Baseline = c.baselineFile()
	f, err := os.Create(c.Output)
	if err != nil {
		return usage("output %s: %s", c.Output, trouble(err))
	}
	if err := r.Write(f, c.Format); err != nil {
		_ = f.Close()
		return fmt.Errorf("output %s: %w", c.Output, err)
	}
	return f.Close()
}

// failing is exit code 1 when a finding is at least as severe as --fail-on says. Muted
// and fixed ones are not counted.
func failing(c *config, r *sink.Report) error {
	if c.FailOn == "" {
		return nil
	}
	floor, err := analysis.ParseSeverity(c.FailOn)
	if err != nil {
		return usage("fail-on: %w", err)
	}
	n := 0
	for _, e := range r.Findings {
		if (e.Status == store.Open || e.Status == store.Regressed) && e.Severity >= floor {
			n++
		}
	}
	if n == 0 {
		return nil
	}
	return &exitError{exitFindings, fmt.Errorf("findings of severity %s or more: %d", floor, n)}
}
