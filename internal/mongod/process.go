package mongod

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
)

// StartOptions of a mongod. The zero value is a standalone server on a free
// port with a data folder that Stop removes.
type StartOptions struct {
	Dir     string   // data folder; kept when given
	Port    int      // 0: a free one
	Args    []string // further arguments
	ReplSet string   // name of a one-member replica set to initiate; "" for standalone
}

// Process is a running mongod of ours.
type Process struct {
	path    string
	options StartOptions
	dir     string
	ownDir  bool
	port    int

	mu   sync.Mutex
	done chan struct{} // closed when the process ended
	pid  int
	log  *tail
}

// startTimeout is how long a mongod may take until it answers.
const startTimeout = 60 * time.Second

// Start runs the mongod at path and waits until it answers a ping.
func Start(ctx context.Context, path string, o StartOptions) (*Process, error) {
	p := &Process{path: path, options: o, dir: o.Dir, port: o.Port}
	if p.dir == "" {
		dir, err := os.MkdirTemp("", "mongoadvisor-mongod-")
		if err != nil {
			return nil, fmt.Errorf("data folder: %w", err)
		}
		p.dir, p.ownDir = dir, true
	}
	if p.port == 0 {
		port, err := freePort()
		if err != nil {
			return nil, err
		}
		p.port = port
	}
	if err := p.run(ctx); err != nil {
		_ = p.Stop()
		return nil, err
	}
	if o.ReplSet != "" {
		if err := p.initiate(ctx); err != nil {
			_ = p.Stop()
			return nil, err
		}
	}
	return p, nil
}

// Addr is "127.0.0.1:port".
func (p *Process) Addr() string { return net.JoinHostPort("127.0.0.1", strconv.Itoa(p.port)) }

// URI is a connection string for this member alone.
func (p *Process) URI() string { return "mongodb://" + p.Addr() + "/?directConnection=true" }

// Kill ends the process at once, as kill -9 does; the data stays for Restart.
func (p *Process) Kill() error { return p.end(syscall.SIGKILL) }

// Stop ends the process in order and removes its data if the folder is ours.
func (p *Process) Stop() error {
	err := p.end(syscall.SIGTERM)
	if p.ownDir {
		err = errors.Join(err, os.RemoveAll(p.dir))
	}
	return err
}

// Restart starts it again on the same port and data.
func (p *Process) Restart(ctx context.Context) error {
	if err := p.end(syscall.SIGTERM); err != nil {
		return err
	}
	return p.run(ctx)
}

// run starts the process and waits for its first answer.
func (p *Process) run(ctx context.Context) error {
	args := []string{
		"--dbpath", p.dir, "--port", strconv.Itoa(p.port), "--bind_ip", "127.0.0.1", "--nounixsocket", "--quiet",
		// the journal takes 300 MB otherwise, and seconds to write them
		"--wiredTigerEngineConfigString", "log=(file_max=4MB,prealloc=false)", "--wiredTigerCacheSizeGB", "0.25",
	}
	if p.options.ReplSet != "" {
		args = append(args, "--replSet", p.options.ReplSet, "--oplogSize", "16")
	}
	cmd := exec.Command(p.path, append(args, p.options.Args...)...)
	log := &tail{}
	cmd.Stdout, cmd.Stderr = log, log
	cmd.SysProcAttr = dieWithParent()
	started, done := make(chan error, 1), make(chan struct{})
	go supervise(cmd, started, done)
	if err := <-started; err != nil {
		return fmt.Errorf("mongod: %w", err)
	}
	p.mu.Lock()
	p.done, p.pid, p.log = done, cmd.Process.Pid, log
	p.mu.Unlock()
	return p.await(ctx, cmd, log, done)
}

// supervise runs a child on one OS thread for its whole life: the kernel kills
// the child when the thread that started it ends.
func supervise(cmd *exec.Cmd, started chan<- error, done chan<- struct{}) {
	runtime.LockOSThread()
	err := cmd.Start()
	started <- err
	if err == nil {
		_ = cmd.Wait()
	}
	close(done)
}

// await pings until the server answers or has ended.
func (p *Process) await(ctx context.Context, cmd *exec.Cmd, log *tail, done <-chan struct{}) error {
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	client, err := mongo.Connect(options.Client().ApplyURI(p.URI()).SetServerSelectionTimeout(500 * time.Millisecond).SetAppName("mongoadvisor"))
	if err != nil {
		return fmt.Errorf("mongod: %w", err)
	}
	defer func() { _ = client.Disconnect(context.WithoutCancel(ctx)) }()
	for {
		if err = client.Ping(ctx, nil); err == nil {
			return nil
		}
		select {
		case <-done:
			return startError(cmd, log.String())
		case <-ctx.Done():
			return fmt.Errorf("mongod does not answer: %w", err)
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// startError explains why a mongod ended at once.
func startError(cmd *exec.Cmd, log string) error {
	if i := strings.Index(log, "error while loading shared libraries: "); i >= 0 {
		missing, _, _ := strings.Cut(log[i+len("error while loading shared libraries: "):], ":")
		return fmt.Errorf("mongod needs %s, which is not installed; on Debian and Ubuntu: apt-get install --no-install-recommends libcurl4", missing)
	}
	lines := strings.Split(strings.TrimSpace(log), "\n")
	return fmt.Errorf("mongod ended with %s: %s", cmd.ProcessState, strings.Join(lines[max(0, len(lines)-3):], " | "))
}

// end signals the process and waits for it; after ten seconds it is killed.
func (p *Process) end(sig syscall.Signal) error {
	p.mu.Lock()
	done, pid := p.done, p.pid
	p.mu.Unlock()
	if done == nil {
		return nil
	}
	select {
	case <-done:
		return nil
	default:
	}
	if err := syscall.Kill(pid, sig); err != nil {
		return fmt.Errorf("mongod: %w", err)
	}
	select {
	case <-done:
	case <-time.After(10 * time.Second):
		_ = syscall.Kill(pid, syscall.SIGKILL)
		<-done
	}
	return nil
}

// initiate makes it the only member of its replica set and waits until it is
// the primary.
func (p *Process) initiate(ctx context.Context) error {
	client, err := mongo.Connect(options.Client().ApplyURI(p.URI()))
	if err != nil {
		return fmt.Errorf("mongod: %w", err)
	}
	defer func() { _ = client.Disconnect(context.WithoutCancel(ctx)) }()
	admin := client.Database("admin")
	config := bson.D{{Key: "_id", Value: p.options.ReplSet}, {Key: "members", Value: bson.A{bson.D{{Key: "_id", Value: 0}, {Key: "host", Value: p.Addr()}}}}}
	if err := admin.RunCommand(ctx, bson.D{{Key: "replSetInitiate", Value: config}}).Err(); err != nil {
		return fmt.Errorf("replSetInitiate: %w", err)
	}
	for deadline := time.Now().Add(startTimeout); time.Now().Before(deadline); time.Sleep(50 * time.Millisecond) {
		var hello struct {
			IsWritablePrimary bool `bson:"isWritablePrimary"`
		}
		if err := admin.RunCommand(ctx, bson.D{{Key: "hello", Value: 1}}).Decode(&hello); err == nil && hello.IsWritablePrimary {
			return nil
		}
	}
	return fmt.Errorf("the replica set %s has no primary after %s", p.options.ReplSet, startTimeout)
}

// freePort asks the kernel for a port nobody listens on.
func freePort() (int, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, fmt.Errorf("free port: %w", err)
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port, nil
}

// tail keeps the end of what is written to it.
type tail struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

const tailSize = 64 << 10

func (t *tail) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.buf.Write(b)
	if over := t.buf.Len() - tailSize; over > 0 {
		t.buf.Next(over)
	}
	return len(b), nil
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.buf.String()
}
