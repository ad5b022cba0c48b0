package mongod

import (
	"context"
	"errors"
	"fmt"
	"os"
)

// StartOptions of a mongod. The zero value is a standalone server on a free
// port, with a data folder that Stop removes.
type StartOptions struct {
	Dir     string               // a fresh data folder is made in it and kept; "": a temporary one, removed by Stop
	Port    int                  // on 127.0.0.1; 0: a free one
	Args    []string             // further arguments of mongod
	ReplSet string               // name of a set of which it becomes the only member; "": standalone
	URIArgs string               // further options of its connection string, as "&tls=true&tlsCAFile=ca.pem"
	Logf    func(string, ...any) // takes a line at each start and end; nil: silent
}

// Start runs the mongod at path and waits until it answers. On Linux the server
// dies with this process, however that ends.
func Start(ctx context.Context, path string, opts StartOptions) (*Process, error) {
	p, err := startMember(ctx, path, opts)
	if err != nil || opts.ReplSet == "" {
		return p, err
	}
	p.alone = true
	if err := p.initiate(ctx); err != nil {
		return nil, errors.Join(err, p.discard())
	}
	return p, nil
}

// startMember is Start without making the server a set of its own.
func startMember(ctx context.Context, path string, opts StartOptions) (*Process, error) {
	p := &Process{path: path, opts: opts, port: opts.Port}
	var err error
	if p.dir, err = os.MkdirTemp(opts.Dir, "mongoadvisor-mongod-"); err != nil {
		return nil, fmt.Errorf("data folder: %w", err)
	}
	if err = p.start(ctx); err != nil {
		return nil, errors.Join(err, p.discard())
	}
	return p, nil
}

// start runs the server on the port asked for, or on a free one: between our
// asking for it and mongod's taking it somebody else may, so three are tried.
func (p *Process) start(ctx context.Context) error {
	if p.opts.Port != 0 {
		return p.run(ctx)
	}
	var err error
	for range 3 {
		if p.port, err = freePort(); err != nil {
			return err
		}
		if err = p.run(ctx); !errors.Is(err, errPortTaken) {
			return err
		}
	}
	return err
}

// discard ends what a failed start left.
func (p *Process) discard() error {
	return errors.Join(p.Kill(), os.RemoveAll(p.dir))
}
