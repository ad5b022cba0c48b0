package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// Outcomes of a test. absent is what a test had that another run knows of.
const (
	pass   = "pass"
	fail   = "fail"
	skip   = "skip"
	absent = "absent"
)

// outcomes are those of one run, by id.
type outcomes map[string]string

// errHangs is a run that was cut off.
var errHangs = errors.New("hangs: cut off after the suite's limit")

// visit is one run of a suite.
type visit struct {
	uri    string
	only   []string // ids of the tests to run; none: all
	hidden []string // addresses of servers that it must reach through the proxy only
}

// execute runs the suite's run and reads its lines. What was printed before an
// error is returned with it.
func (r *runner) execute(ctx context.Context, s suite, c cell, v visit) (outcomes, error) {
	limit, err := s.limit()
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeoutCause(ctx, limit, errHangs)
	defer cancel()
	env := []string{"MONGODB_URI=" + v.uri, "SUITE_ONLY=" + strings.Join(v.only, "\n")}
	if c.TLS != off {
		env = append(env, "SUITE_CA="+r.certs.ca)
	}
	if r.short {
		env = append(env, "SUITE_SHORT=1")
	}
	cmd, log := r.command(ctx, s, c, "run", env)
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	around := watchAround(cmd.Process.Pid, v.hidden)
	got, bad := readOutcomes(out)
	err = cmd.Wait()
	went := around()
	_ = killGroup(cmd) // what it left running
	if ctx.Err() != nil {
		return got, context.Cause(ctx)
	}
	if err != nil {
		return got, fmt.Errorf("run: %w: %s", err, log.last())
	}
	if bad == nil && len(got) == 0 && len(v.only) == 0 {
		bad = errors.New("printed no test")
	}
	if len(went) > 0 {
		bad = errors.Join(bad, fmt.Errorf("it went round the proxy, to %s", strings.Join(went, ", ")))
	}
	return got, bad
}

// setup installs what the suite needs.
func (r *runner) setup(ctx context.Context, s suite, c cell) error {
	ctx, cancel := context.WithTimeout(ctx, 15*time.Minute)
	defer cancel()
	cmd, log := r.command(ctx, s, c, "setup", nil)
	cmd.Stdout = log
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("setup: %w: %s", err, log.last())
	}
	return nil
}

// command is one of the suite's executables; its standard error goes to a log in
// the runner's folder.
func (r *runner) command(ctx context.Context, s suite, c cell, name string, env []string) (*exec.Cmd, *logFile) {
	cache := filepath.Join(r.cache, s.Name, c.Version)
	_ = os.MkdirAll(cache, 0o755) // what needs it says so
	cmd := exec.CommandContext(ctx, "./"+name)
	cmd.Dir = filepath.Join(r.suites, s.Name)
	cmd.Env = append(os.Environ(), append(env, "SUITE_CACHE="+cache, "SUITE_VERSION="+c.Version)...)
	log := r.log(fmt.Sprintf("%s-%s", strings.TrimSuffix(c.file(), ".json"), name))
	cmd.Stderr = log
	ownGroup(cmd)
	cmd.Cancel = func() error { return killGroup(cmd) }
	cmd.WaitDelay = 10 * time.Second
	return cmd, log
}

// readOutcomes reads the lines of a run to the end. A line that is none is an
// error, and so is an id that comes twice.
func readOutcomes(r io.Reader) (outcomes, error) {
	got := outcomes{}
	var bad error
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		outcome, id, ok := strings.Cut(lines.Text(), "\t")
		switch {
		case !ok || outcome != pass && outcome != fail && outcome != skip:
			bad = errors.Join(bad, fmt.Errorf("standard output: %q is no outcome", lines.Text()))
		case got[id] != "":
			bad = errors.Join(bad, fmt.Errorf("test %q comes twice", id))
		default:
			got[id] = outcome
		}
	}
	if err := lines.Err(); err != nil {
		bad = errors.Join(bad, err)
		_, _ = io.Copy(io.Discard, r)
	}
	return got, bad
}
