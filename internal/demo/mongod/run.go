package mongod

import (
	"context"
	"fmt"
	"net"
	"os"
	"strconv"
	"time"

	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
)

// startTimeout is how long a server may take until it answers; one with an
// empty data folder takes less than a second on an idle machine.
const startTimeout = 60 * time.Second

// run launches the server on p.port and waits for its first answer.
func (p *Process) run(ctx context.Context) error {
	if c, err := net.Dial("tcp", p.Addr()); err == nil {
		_ = c.Close() // else its owner would answer our ping
		return fmt.Errorf("%w: %s", errPortTaken, p.Addr())
	}
	s, err := launch(p.path, p.args())
	if err != nil {
		return err
	}
	began := time.Now()
	if err := s.await(ctx, p.Addr(), p.URI()); err != nil {
		_ = s.end(os.Kill)
		return err
	}
	p.mu.Lock()
	p.server = s
	p.mu.Unlock()
	p.logf("mongod answers on %s after %s, data in %s", p.Addr(), time.Since(began).Round(time.Millisecond), p.dir)
	return nil
}

func (p *Process) args() []string {
	args := []string{
		"--dbpath", p.dir, "--port", strconv.Itoa(p.port), "--bind_ip", "127.0.0.1",
		"--wiredTigerCacheSizeGB", "0.25", // the least it takes
		// 4 MB of journal instead of 300, and no seconds spent on writing them
		"--wiredTigerEngineConfigString", "log=(file_max=4MB,prealloc=false)",
		"--setParameter", "diagnosticDataCollectionEnabled=false",
		// a set of one would wait 15 s for somebody to take over
		"--setParameter", "shutdownTimeoutMillisForSignaledShutdown=100",
	}
	if p.opts.ReplSet != "" {
		args = append(args, "--replSet", p.opts.ReplSet, "--oplogSize", "16") // MB
	}
	return append(append(args, noSocket...), p.opts.Args...)
}

// await returns when the server answers a ping, or with the reason of its end.
func (s *server) await(ctx context.Context, addr, uri string) error {
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	for { // the driver would wait half a second after a refused connection
		c, err := (&net.Dialer{}).DialContext(ctx, "tcp", addr)
		if err == nil {
			_ = c.Close()
			break
		}
		select {
		case <-s.ended:
			return s.failure()
		case <-ctx.Done():
			return fmt.Errorf("mongod does not listen on %s: %w: %s", addr, ctx.Err(), lastLines(s.log.String(), 3))
		case <-time.After(10 * time.Millisecond):
		}
	}
	// Who listens there may be somebody else, who took the port meanwhile: then ours
	// ends, and nobody may be there any more to be asked.
	asking, stop := context.WithCancel(ctx)
	defer stop()
	go func() {
		select {
		case <-s.ended:
			stop()
		case <-asking.Done():
		}
	}()
	err := ping(asking, uri)
	select {
	case <-s.ended:
		return s.failure()
	default:
		return err
	}
}

func ping(ctx context.Context, uri string) error {
	client, err := mongo.Connect(options.Client().ApplyURI(uri).SetAppName("mongoadvisor"))
	if err != nil {
		return fmt.Errorf("mongod: %w", err)
	}
	defer func() { _ = client.Disconnect(context.WithoutCancel(ctx)) }()
	if err := client.Ping(ctx, nil); err != nil {
		return fmt.Errorf("mongod does not answer a ping: %w", err)
	}
	return nil
}
