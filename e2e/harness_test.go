package e2e

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"flag"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"mongoadvisor/e2e/harness"

	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
)

var program string // path of mongoadvisor

func TestMain(m *testing.M) {
	flag.Parse()
	given := false
	flag.Visit(func(f *flag.Flag) { given = given || f.Name == "test.parallel" })
	if !given { // those that run beside each other mostly wait
		_ = flag.Set("test.parallel", "4")
	}
	os.Exit(harness.ForTests("..", &program, m.Run))
}

// finding is the object of a log record, as far as tests look at it.
type finding struct {
	Rule, Name, Reason, Severity, Status, Namespace, Command, Fingerprint, Message string
	Fields                                                                         []string
	Count                                                                          int64
	Fix                                                                            struct{ Text, Mongosh string }
	Clients                                                                        []struct {
		App, Driver string
		Count       int64
	}
}

// proxied is a running `mongoadvisor proxy` or `mongoadvisor capture`.
type proxied struct {
	t        testing.TB
	cmd      *exec.Cmd
	addr     string // of the listener
	web      string // of the web endpoint
	upstream string

	mu      sync.Mutex
	records []record
	stderr  bytes.Buffer
	ended   chan struct{}
}

type record struct {
	Level, Logger, Msg string
	Finding            *finding
	raw                string
}

func freePort(t testing.TB) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// startProxy runs the program in front of an upstream and waits until it is ready.
func startProxy(t testing.TB, upstream string, args ...string) *proxied {
	t.Helper()
	return launch{}.proxy(t, upstream, args...)
}

// launch says how the program is started; the zero value as usual.
type launch struct {
	by     func(name string, args ...string) *exec.Cmd // starts it, and must become it; nil: exec.Command
	health string                                      // URL that is asked for readiness; "": the web endpoint
}

func (l launch) proxy(t testing.TB, upstream string, args ...string) *proxied {
	t.Helper()
	p := &proxied{t: t, addr: freePort(t), web: freePort(t), upstream: upstream, ended: make(chan struct{})}
	l.start(p, append([]string{"proxy", "--listen", p.addr, "--upstream", upstream, "--web.listen-address", p.web, "--profile", "ci", "--shutdown.grace", "2s"}, args...))
	return p
}

// startCapture runs the program on the loopback interface, for traffic of that server.
func startCapture(t testing.TB, server string, args ...string) *proxied {
	t.Helper()
	_, port, err := net.SplitHostPort(server)
	if err != nil {
		t.Fatal(err)
	}
	p := &proxied{t: t, web: freePort(t), ended: make(chan struct{})}
	launch{}.start(p, append([]string{"capture", "-i", "lo", "--port", port, "--web.listen-address", p.web, "--profile", "ci"}, args...))
	return p
}

// start runs the program and waits until it is ready.
func (l launch) start(p *proxied, args []string) {
	t := p.t
	t.Helper()
	health, command := cmp.Or(l.health, "http://"+p.web), l.by
	if command == nil {
		command = exec.Command
	}
	p.cmd = command(program, args...)
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	stdout, err := p.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	p.cmd.Stderr = &lockedWriter{mu: &p.mu, w: &p.stderr}
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go p.read(stdout)
	t.Cleanup(p.stop)
	eventually(t, "the program is ready", func() bool {
		resp, err := http.Get(health + "/-/ready")
		if err != nil {
			return false
		}
		defer resp.Body.Close()
		return resp.StatusCode == http.StatusOK
	})
}

type lockedWriter struct {
	mu *sync.Mutex
	w  io.Writer
}

func (l *lockedWriter) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.w.Write(b)
}

// read takes the records of standard output; anything that is not one JSON
// object per line fails the test.
func (p *proxied) read(r io.Reader) {
	defer close(p.ended)
	s := bufio.NewScanner(r)
	s.Buffer(nil, 4<<20)
	for s.Scan() {
		var rec record
		if err := json.Unmarshal(s.Bytes(), &rec); err != nil {
			p.t.Errorf("standard output has a line that is no JSON: %q", s.Text())
			continue
		}
		rec.raw = s.Text()
		p.mu.Lock()
		p.records = append(p.records, rec)
		p.mu.Unlock()
	}
}

func (p *proxied) stop() {
	if p.cmd.ProcessState != nil {
		return
	}
	_ = p.cmd.Process.Signal(syscall.SIGTERM)
	timer := time.AfterFunc(20*time.Second, func() { _ = p.cmd.Process.Kill() })
	defer timer.Stop()
	<-p.ended
	if err := p.cmd.Wait(); err != nil {
		p.t.Errorf("the program ended with %v: %s", err, p.errors())
	}
	for line := range strings.Lines(p.errors()) {
		if !json.Valid([]byte(line)) {
			p.t.Errorf("standard error has a line that goes round the log: %q", line)
		}
	}
}

func (p *proxied) errors() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.stderr.String()
}

// report asks the API for everything found so far.
func (p *proxied) report() (findings []finding, coverage map[string]any) {
	p.t.Helper()
	var body struct {
		Coverage map[string]any
		Findings []finding
	}
	if err := json.Unmarshal(p.get("/api/v1/findings"), &body); err != nil {
		p.t.Fatal(err)
	}
	return body.Findings, body.Coverage
}

func (p *proxied) get(path string) []byte {
	p.t.Helper()
	resp, err := http.Get("http://" + p.web + path)
	if err != nil {
		p.t.Fatal(err)
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		p.t.Fatal(err)
	}
	return b
}

// settled waits until nothing waits for analysis.
func (p *proxied) settled() {
	p.t.Helper()
	eventually(p.t, "the analysis has caught up", func() bool {
		return strings.Contains(string(p.get("/metrics")), "mongoadvisor_analysis_queue_bytes 0\n")
	})
}

func (p *proxied) uri(options string) string {
	return "mongodb://" + p.addr + "/?directConnection=true" + options
}

func connect(t *testing.T, uri, app string) *mongo.Client {
	t.Helper()
	c, err := mongo.Connect(options.Client().ApplyURI(uri).SetAppName(app).SetServerSelectionTimeout(20 * time.Second))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		_ = c.Disconnect(ctx)
	})
	return c
}

// eventually waits for a condition; the minute is only there so that a broken
// build ends.
func eventually(t testing.TB, what string, ok func() bool) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		if ok() {
			return
		}
	}
	t.Fatalf("gave up waiting until %s", what)
}
