package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"mongoadvisor/e2e/harness"
	"mongoadvisor/internal/demo/mongod"
)

// results are all figures of a run.
type results struct {
	Machine string                                    `json:"machine"`
	Command string                                    `json:"command"`
	Date    string                                    `json:"date"`
	Rounds  int                                       `json:"rounds"`
	Span    time.Duration                             `json:"span_ns"`
	Targets []string                                  `json:"targets"`
	Samples map[string]map[string]map[string][]sample `json:"samples"` // upstream, load, target; by round
	Idle    map[string][]idle                         `json:"idle"`    // target
}

// plan says what to run.
type plan struct {
	rounds  int
	span    time.Duration
	targets []string
	loads   []string // only these; empty: all
	idle    []int    // numbers of connections
	mongod  bool
}

func (p plan) wants(l load) bool { return len(p.loads) == 0 || slices.Contains(p.loads, l.name) }

const (
	canned   = "canned"
	onMongod = "mongod"
	nothing  = 100 * time.Millisecond // between two loads
)

// run fills the results. It ends what it started.
func run(ctx context.Context, p *places, todo plan) (*results, error) {
	r := &results{
		Rounds: todo.rounds, Span: todo.span, Targets: todo.targets,
		Samples: map[string]map[string]map[string][]sample{}, Idle: map[string][]idle{},
	}
	upstream, addr, err := p.own("canned")
	if err != nil {
		return nil, err
	}
	defer upstream.stop()
	if err := r.against(ctx, p, todo, canned, addr, cannedLoads); err != nil {
		return nil, err
	}
	for _, n := range todo.idle {
		if err := r.idle(ctx, p, todo, addr, n); err != nil {
			return nil, err
		}
	}
	if !todo.mongod {
		return r, nil
	}
	path, err := mongod.Find(ctx, mongod.Options{})
	if err != nil {
		return nil, err
	}
	server, err := mongod.Start(ctx, path, mongod.StartOptions{})
	if err != nil {
		return nil, err
	}
	defer func() { _ = server.Stop() }()
	if err := fill(ctx, server.URI()); err != nil {
		return nil, err
	}
	return r, r.against(ctx, p, todo, onMongod, server.Addr(), mongodLoads)
}

// against runs every load on every target, round after round.
func (r *results) against(ctx context.Context, p *places, todo plan, upstream, addr string, loads []load) error {
	running := make([]*target, 0, len(todo.targets))
	defer func() {
		for _, t := range running {
			if t.process != nil {
				t.process.stop()
			}
		}
	}()
	for _, name := range todo.targets {
		t, err := p.before(name, addr)
		if err != nil {
			return err
		}
		running = append(running, t)
	}
	samples := map[string]map[string][]sample{}
	r.Samples[upstream] = samples
	for round := range todo.rounds {
		for _, l := range loads {
			if !todo.wants(l) {
				continue
			}
			if samples[l.name] == nil {
				samples[l.name] = map[string][]sample{}
			}
			for i := range running {
				t := running[(i+round)%len(running)] // nobody is always first
				fmt.Fprintf(os.Stderr, "\r\033[K%s, round %d of %d: %s %s", upstream, round+1, todo.rounds, l.name, t.name)
				s, err := measure(ctx, t, l, todo.span)
				if err != nil {
					return fmt.Errorf("%s, %s through %s: %w", upstream, l.name, t.name, err)
				}
				samples[l.name][t.name] = append(samples[l.name][t.name], s)
				time.Sleep(nothing)
			}
		}
	}
	fmt.Fprint(os.Stderr, "\r\033[K")
	return nil
}

// measure runs a load on a target, and looks at the target's process.
func measure(ctx context.Context, t *target, l load, span time.Duration) (sample, error) {
	if t.process == nil {
		return l.run(ctx, t.at, span)
	}
	before, err := t.process.cpu()
	if err != nil {
		return sample{}, err
	}
	if err := t.process.resetPeak(); err != nil {
		return sample{}, err
	}
	s, fault := l.run(ctx, t.at, span)
	after, err := t.process.cpu()
	peak, errPeak := t.process.memory("VmHWM")
	s.CPU, s.Peak = after-before, peak
	return s, errors.Join(fault, err, errPeak)
}

// idle measures what idle connections cost, on a fresh process of each target.
func (r *results) idle(ctx context.Context, p *places, todo plan, addr string, n int) error {
	for _, name := range todo.targets {
		t, err := p.before(name, addr)
		if err != nil {
			return err
		}
		if t.process == nil {
			continue
		}
		fmt.Fprintf(os.Stderr, "\r\033[K%d idle connections: %s", n, name)
		i, err := measureIdle(ctx, t, n)
		t.process.stop()
		if err := ctx.Err(); err != nil {
			return err
		}
		if err != nil { // that it cannot hold so many is a result, too
			i = idle{Connections: n, Fault: err.Error()}
		}
		r.Idle[name] = append(r.Idle[name], i)
	}
	fmt.Fprint(os.Stderr, "\r\033[K")
	return nil
}

// prepare builds the program and what targets need, in a folder that the caller
// removes.
func prepare(ctx context.Context, program string, most int) (*places, error) {
	dir, err := os.MkdirTemp("", "mongoadvisor-bench-")
	if err != nil {
		return nil, err
	}
	p := &places{dir: dir, program: program, most: most}
	if p.self, err = os.Executable(); err != nil {
		return p, err
	}
	if p.tls, err = makeCertificate(filepath.Join(dir, "cert.pem")); err != nil {
		return p, err
	}
	if program != "" {
		return p, nil
	}
	p.program = filepath.Join(dir, "mongoadvisor")
	return p, harness.Build(ctx, p.program)
}
