package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os/exec"
	"strings"
	"time"

	"mongoadvisor/e2e/harness"
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
	ports, err := harness.Ports(listeners)
	if err != nil {
		return nil, err
	}
	web, err := harness.Ports(1)
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
