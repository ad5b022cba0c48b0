package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"mongoadvisor/e2e/harness"
	"mongoadvisor/internal/demo/mongod"
)

// runner holds what all cells share.
type runner struct {
	suites  string // folder of the suites
	cache   string // folder for what they install
	dir     string // logs, certificates and the program of this run
	mongod  string // path of the server
	server  string // what it is: "mongod 6.0.5"
	program string // path of the proxy
	certs   certificates
	keyFile string // by which members of a set that asks for users know each other
	short   bool
	logs    atomic.Int32 // how many log files there are
}

// newRunner finds the server. Unless there is a program it builds the proxy from
// the module at root.
func newRunner(ctx context.Context, root, cache, program string, short bool) (*runner, error) {
	r := &runner{suites: filepath.Join(root, "e2e", "suites"), cache: cache, program: program, short: short}
	var err error
	if r.dir, err = os.MkdirTemp("", "mongoadvisor-suites-"); err != nil {
		return nil, err
	}
	if r.mongod, err = mongod.Find(ctx, mongod.Options{}); err != nil {
		return nil, err
	}
	// "db version v6.0.5" and more lines
	version, err := exec.CommandContext(ctx, r.mongod, "--version").Output()
	if err != nil {
		return nil, fmt.Errorf("%s --version: %w", r.mongod, err)
	}
	first, _, _ := strings.Cut(string(version), "\n")
	r.server = strings.Replace(first, "db version v", "mongod ", 1)
	if r.certs, err = makeCertificates(r.dir); err != nil {
		return nil, err
	}
	r.keyFile = filepath.Join(r.dir, "keyfile")
	if err := os.WriteFile(r.keyFile, []byte("bm90IGEgc2VjcmV0IGF0IGFsbA=="), 0o600); err != nil {
		return nil, err
	}
	if program != "" {
		return r, nil
	}
	r.program = filepath.Join(r.dir, "mongoadvisor")
	return r, harness.Build(ctx, r.program)
}

// run fills a cell: directly, proxied, and again what differs.
func (r *runner) run(ctx context.Context, s suite, c cell) (result, error) {
	res := result{
		Suite: s.Name, Driver: s.Driver, Package: s.Package, Version: c.Version, Topology: c.Topology, TLS: c.TLS,
		Compressor: c.Compressor, Login: c.Login, Server: r.server, Date: time.Now().UTC().Format(time.DateOnly), Short: r.short,
	}
	if err := r.setup(ctx, s, c); err != nil {
		return res, err
	}
	direct, proxied, j, err := r.both(ctx, s, c)
	if err != nil && (ctx.Err() != nil || len(direct) == 0 || len(proxied) == 0) {
		return res, err
	}
	res.Judged = &j
	if err != nil {
		res.Problem = err.Error()
	}
	cmp := compare(direct, proxied)
	for i := 1; i < tries && len(cmp.Differ) > 0; i++ {
		r.say("%s: %d tests again, the first is %.100s", c, len(cmp.Differ), cmp.Differ[0].ID)
		direct, err := r.direct(ctx, s, c, cmp.ids())
		if err != nil {
			return res, fmt.Errorf("directly, again: %w", err)
		}
		proxied, _, err := r.proxied(ctx, s, c, cmp.ids())
		if err != nil {
			return res, fmt.Errorf("proxied, again: %w", err)
		}
		cmp.again(direct, proxied)
	}
	res.Same, res.Unsteady, res.Differ = cmp.Same, cmp.Unsteady, cmp.Differ
	return res, nil
}

// both runs the suite each way, at the same time: most tests wait for something,
// and both see the same load.
func (r *runner) both(ctx context.Context, s suite, c cell) (direct, proxied outcomes, j judged, err error) {
	var errDirect, errProxied error
	var group sync.WaitGroup
	group.Go(func() { direct, errDirect = r.direct(ctx, s, c, nil) })
	group.Go(func() { proxied, j, errProxied = r.proxied(ctx, s, c, nil) })
	group.Wait()
	if errDirect != nil {
		err = fmt.Errorf("directly: %w", errDirect)
	}
	if errProxied != nil {
		err = errors.Join(err, fmt.Errorf("proxied: %w", errProxied))
	}
	return direct, proxied, j, err
}

func (r *runner) direct(ctx context.Context, s suite, c cell, only []string) (outcomes, error) {
	d, err := r.deploy(ctx, c)
	if err != nil {
		return nil, err
	}
	got, err := r.execute(ctx, s, c, visit{uri: d.uri(d.addrs()), only: only})
	return got, errors.Join(err, d.stop())
}

func (r *runner) proxied(ctx context.Context, s suite, c cell, only []string) (outcomes, judged, error) {
	d, err := r.deploy(ctx, c)
	if err != nil {
		return nil, judged{}, err
	}
	p, err := r.startProxy(ctx, d)
	if err != nil {
		return nil, judged{}, errors.Join(err, d.stop())
	}
	got, err := r.execute(ctx, s, c, visit{uri: d.uri(p.addrs), only: only, hidden: d.addrs()})
	j, jerr := p.judged(ctx)
	return got, j, errors.Join(err, jerr, p.stop(), d.stop())
}

// say tells how far the run is.
func (r *runner) say(format string, args ...any) {
	fmt.Fprintf(os.Stderr, "%s "+format+"\n", append([]any{time.Now().Format(time.TimeOnly)}, args...)...)
}
