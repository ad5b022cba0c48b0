package mongod

import (
	"context"
	"errors"
	"net"
	"os"
	"strconv"
	"sync"
	"syscall"
	"time"
)

// grace is how long a server may take to end in order before it is killed.
const grace = 10 * time.Second

// Process is a mongod that Start started. Its methods may be called from any
// goroutine.
type Process struct {
	path  string
	opts  StartOptions
	dir   string // data
	port  int
	alone bool // the only member of its set

	mu      sync.Mutex
	server  *server // nil when it does not run
	stopped bool    // for good
}

// Addr is "127.0.0.1:port".
func (p *Process) Addr() string { return net.JoinHostPort("127.0.0.1", strconv.Itoa(p.port)) }

// URI is the connection string of this server alone.
func (p *Process) URI() string {
	return "mongodb://" + p.Addr() + "/?directConnection=true" + p.opts.URIArgs
}

// Stop ends the server in order, and kills it after ten seconds. A data folder
// that Start made in the system's folder for temporary files is removed. Further
// calls do nothing.
func (p *Process) Stop() error {
	err := p.end(syscall.SIGTERM)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.stopped = true
	if p.opts.Dir == "" {
		err = errors.Join(err, os.RemoveAll(p.dir))
	}
	return err
}

// Kill ends the server at once, as a crash would. The data stays for Restart.
func (p *Process) Kill() error { return p.end(os.Kill) }

// Restart starts the server again on the same port and data, and ends it first
// if it runs.
func (p *Process) Restart(ctx context.Context) error {
	if err := p.end(syscall.SIGTERM); err != nil {
		return err
	}
	p.mu.Lock()
	stopped := p.stopped
	p.mu.Unlock()
	if stopped {
		return errors.New("mongod was stopped for good: its data may be gone")
	}
	if err := p.run(ctx); err != nil {
		return err
	}
	if p.alone {
		return p.awaitPrimary(ctx)
	}
	return nil
}

// end signals the server and waits for its end.
func (p *Process) end(sig os.Signal) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.server == nil {
		return nil
	}
	err := p.server.end(sig)
	p.logf("mongod on %s ended (%v)", p.Addr(), sig)
	p.server = nil
	return err
}

func (p *Process) logf(format string, args ...any) {
	if p.opts.Logf != nil {
		p.opts.Logf(format, args...)
	}
}
