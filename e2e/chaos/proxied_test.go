package chaos

import (
	"bytes"
	"io"
	"net/http"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"mongoadvisor/e2e/harness"
)

// proxied is a running `mongoadvisor proxy`.
type proxied struct {
	t    *testing.T
	cmd  *exec.Cmd
	web  string
	http http.Client // its connections end with each request: they would count as descriptors

	mu  sync.Mutex
	log bytes.Buffer // what the program says of itself
}

func startProxy(t *testing.T, web string, args ...string) *proxied {
	t.Helper()
	p := &proxied{t: t, web: web, http: http.Client{Timeout: guard, Transport: &http.Transport{DisableKeepAlives: true}}}
	p.cmd = exec.Command(program, append([]string{"proxy", "--web.listen-address", web, "--profile", "ci", "--shutdown.grace", "2s"}, args...)...)
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	p.cmd.Stderr = p // findings, on standard output, are not looked at here
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.stop)
	eventually(t, "the proxy is ready", func() bool {
		resp, err := p.http.Get("http://" + web + "/-/ready")
		if err != nil {
			return false
		}
		resp.Body.Close()
		return resp.StatusCode == http.StatusOK
	})
	return p
}

// Write takes the log.
func (p *proxied) Write(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.log.Write(b)
}

// lines counts the lines of the log that have all these parts.
func (p *proxied) lines(parts ...string) (n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
next:
	for line := range strings.Lines(p.log.String()) {
		for _, part := range parts {
			if !strings.Contains(line, part) {
				continue next
			}
		}
		n++
	}
	return n
}

func (p *proxied) stop() {
	_ = p.cmd.Process.Signal(syscall.SIGTERM)
	timer := time.AfterFunc(guard, func() { _ = p.cmd.Process.Kill() })
	defer timer.Stop()
	if err := p.cmd.Wait(); err != nil {
		p.t.Errorf("the proxy ended with %v", err)
	}
	if p.t.Failed() {
		p.t.Logf("the proxy's log:\n%s", p.log.String())
	}
}

func (p *proxied) get(path string) string {
	p.t.Helper()
	resp, err := p.http.Get("http://" + p.web + path)
	if err != nil {
		p.t.Error(err)
		return ""
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		p.t.Error(err)
	}
	return string(b)
}

// samples are the metrics, by name with labels as they are written.
func (p *proxied) samples() map[string]float64 {
	p.t.Helper()
	return harness.Samples(p.get("/metrics"))
}

// guard only ends what hangs: nothing is measured with it.
const guard = time.Minute

func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(guard); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		if ok() {
			return
		}
	}
	t.Fatalf("gave up waiting until %s", what)
}
