package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// proxy is a running `mongoadvisor proxy`.
type proxy struct {
	addrs []string // of its listeners
	web   string
	cmd   *exec.Cmd
	log   *logFile
	ended chan error
}

// startProxy puts the program in front of the servers.
func (r *runner) startProxy(ctx context.Context, d *deployment) (*proxy, error) {
	listeners := len(d.servers)
	ports, err := freePorts(listeners)
	if err != nil {
		return nil, err
	}
	web, err := freePorts(1)
	if err != nil {
		return nil, err
	}
	p := &proxy{web: web[0], addrs: ports, ended: make(chan error, 1), log: r.log("proxy")}
	args := []string{"proxy", "--listen", p.addrs[0], "--web.listen-address", p.web, "--profile", "ci", "--shutdown.grace", "1s"}
	if d.cell.Topology == replicaSet {
		args = append(args, "--topology", "--upstream", "mongodb://"+strings.Join(d.addrs(), ",")+"/?replicaSet="+setName)
	} else {
		args = append(args, "--upstream", d.servers[0].Addr())
	}
	if d.cell.TLS == tlsEnded {
		args = append(args, "--listen-tls-cert", d.certs.cert, "--listen-tls-key", d.certs.key, "--upstream-tls", "--upstream-tls-ca", d.certs.ca)
	}
	p.cmd = exec.Command(r.program, args...)
	p.cmd.Stdout, p.cmd.Stderr = p.log, p.log
	ownGroup(p.cmd) // an interrupt at the terminal is the runner's to handle
	if err := p.cmd.Start(); err != nil {
		return nil, err
	}
	go func() { p.ended <- p.cmd.Wait() }()
	for {
		if _, err := p.get(ctx, "/-/ready"); err == nil {
			return p, nil
		}
		select {
		case err := <-p.ended:
			return nil, fmt.Errorf("the proxy ended: %w: %s", err, p.log.last())
		case <-ctx.Done():
			return nil, errors.Join(context.Cause(ctx), p.stop())
		case <-time.After(20 * time.Millisecond):
		}
	}
}

func (p *proxy) stop() error {
	_ = terminate(p.cmd)
	select {
	case err := <-p.ended:
		if err != nil {
			return fmt.Errorf("the proxy: %w: %s", err, p.log.last())
		}
		return nil
	case <-time.After(30 * time.Second):
		_ = killGroup(p.cmd)
		return errors.New("the proxy did not end")
	}
}

func (p *proxy) get(ctx context.Context, path string) ([]byte, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+p.web+path, nil)
	if err != nil {
		return nil, err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("%s: %s", path, resp.Status)
	}
	return io.ReadAll(resp.Body)
}

// judged is what the proxy says of its own work.
type judged struct {
	Ratio       float64          `json:"ratio"` // of what passed, how much the rules saw; 1 is all
	Messages    int64            `json:"messages"`
	Operations  int64            `json:"operations"`
	Undecoded   map[string]int64 `json:"undecoded,omitempty"`               // messages, by reason
	Shed        map[string]int64 `json:"shed,omitempty"`                    // messages, by reason
	Uninspected int64            `json:"connections_uninspected,omitempty"` // not MongoDB's protocol
	MidStream   int64            `json:"connections_mid_stream,omitempty"`
	Panics      int64            `json:"panics"` // of rules
}

// missed says what the rules did not see although they should have. A message that
// its sender left in the middle of ("cut") is none to be seen, and one of more than
// 4 MB is not taken out of its compression ("size"; docs/limits.md).
func (j judged) missed(compressed bool) string {
	undecoded := maps.Clone(j.Undecoded)
	delete(undecoded, "cut")
	if compressed {
		delete(undecoded, "size")
	}
	if len(undecoded) == 0 && len(j.Shed) == 0 && j.Uninspected == 0 && j.MidStream == 0 {
		return ""
	}
	return fmt.Sprintf("messages undecoded %v, shed %v, connections uninspected %d, seen from the middle %d", undecoded, j.Shed, j.Uninspected, j.MidStream)
}

// judged asks the proxy once nothing waits for analysis any more.
func (p *proxy) judged(ctx context.Context) (judged, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, time.Minute, errors.New("the analysis does not catch up"))
	defer cancel()
	var j judged
	for {
		metrics, err := p.get(ctx, "/metrics")
		if err != nil {
			return j, errors.Join(err, context.Cause(ctx))
		}
		if sum(metrics, "mongoadvisor_analysis_queue_bytes") == 0 {
			j.Panics = int64(sum(metrics, "mongoadvisor_rule_panics_total"))
			break
		}
		time.Sleep(20 * time.Millisecond)
	}
	coverage, err := p.get(ctx, "/api/v1/coverage")
	if err != nil {
		return j, err
	}
	return j, json.Unmarshal(coverage, &j)
}

// sum adds up the series of one metric.
func sum(metrics []byte, name string) (total float64) {
	series := regexp.MustCompile(`(?m)^` + name + `(?:\{.*\})? (\S+)$`)
	for _, m := range series.FindAllSubmatch(metrics, -1) {
		v, _ := strconv.ParseFloat(string(m[1]), 64)
		total += v
	}
	return total
}

// freePorts finds n neighbouring ports of loopback that nobody listens on: the
// proxy gives a set's members the ports after the first one's.
func freePorts(n int) ([]string, error) {
	for range 100 {
		first, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return nil, err
		}
		port := first.Addr().(*net.TCPAddr).Port
		_ = first.Close()
		var addrs []string
		for i := range n {
			l, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port+i)))
			if err != nil {
				break
			}
			addrs = append(addrs, l.Addr().String())
			defer l.Close()
		}
		if len(addrs) == n {
			return addrs, nil
		}
	}
	return nil, errors.New("no free ports")
}
