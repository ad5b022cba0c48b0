package main

import (
	"bufio"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"mongoadvisor/analyzers"
	"mongoadvisor/e2e/harness"
)

// target is something that stands before an upstream, or the upstream itself.
type target struct {
	name    string
	at      place
	process *process // nil: nothing stands before it
}

// targets are what is compared, in the order of the table.
var targets = []string{"direct", "direct2", "haproxy", "copy", "off", "on", "tls"}

// places keeps what targets are made from.
type places struct {
	dir     string // for configuration, certificates and logs
	program string // mongoadvisor
	self    string // this program
	tls     *tls.Config
	most    int // connections of one target
}

// before starts a target in front of an upstream.
func (p *places) before(name, upstream string) (*target, error) {
	t := &target{name: name, at: place{addr: upstream}}
	log, err := os.CreateTemp(p.dir, name+"-*.log")
	if err != nil {
		return nil, err
	}
	defer log.Close() // the process has its own
	switch name {
	case "direct", "direct2":
		return t, nil
	case "copy":
		t.process, t.at.addr, err = p.own("copy", upstream)
		return t, err
	}
	free, err := harness.Ports(1)
	if err != nil {
		return nil, err
	}
	t.at.addr = free[0]
	switch name {
	case "haproxy":
		t.process, err = p.haproxy(log, t.at.addr, upstream)
	default:
		if name == "tls" {
			t.at.tls = p.tls
		}
		t.process, err = start(log, p.program, p.arguments(name, t.at.addr, upstream)...)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if err := await(t.at.addr); err != nil {
		t.process.stop()
		b, _ := os.ReadFile(log.Name())
		return nil, fmt.Errorf("%s: %w: %s", name, err, b)
	}
	return t, nil
}

// arguments of mongoadvisor.
func (p *places) arguments(name, addr, upstream string) []string {
	args := []string{"proxy", "--listen", addr, "--upstream", upstream, "--web.listen-address", "", "--log.level", "warn"}
	switch name {
	case "off":
		for _, a := range analyzers.All() {
			args = append(args, "--rules", "-"+a.ID)
		}
	case "tls":
		args = append(args, "--listen-tls-cert", filepath.Join(p.dir, "cert.pem"))
	}
	return args
}

func (p *places) haproxy(log *os.File, addr, upstream string) (*process, error) {
	path, err := exec.LookPath("haproxy")
	if err != nil {
		return nil, errors.New("it is not on the PATH: apt-get install haproxy, or leave it out with -targets")
	}
	config := fmt.Sprintf(`global
  maxconn %[3]d
defaults
  mode tcp
  maxconn %[3]d
  timeout connect 5s
  timeout client 1h
  timeout server 1h
frontend in
  bind %[1]s
  default_backend out
backend out
  server upstream %[2]s
`, addr, upstream, p.most)
	f, err := os.CreateTemp(p.dir, "haproxy-*.cfg")
	if err != nil {
		return nil, err
	}
	if _, err := f.WriteString(config); err != nil {
		return nil, err
	}
	if err := f.Close(); err != nil {
		return nil, err
	}
	return start(log, path, "-db", "-f", f.Name())
}

// own starts this program in another role, which prints its address first.
func (p *places) own(role ...string) (*process, string, error) {
	r, w, err := os.Pipe()
	if err != nil {
		return nil, "", err
	}
	defer r.Close()
	c, err := start(w, p.self, append([]string{"-role"}, role...)...)
	w.Close()
	if err != nil {
		return nil, "", err
	}
	line, err := bufio.NewReader(r).ReadString('\n')
	if err != nil {
		c.stop()
		return nil, "", fmt.Errorf("%s: %w", role[0], err)
	}
	return c, strings.TrimSpace(line), nil
}

func await(addr string) error {
	var err error
	for deadline := time.Now().Add(20 * time.Second); time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
		var c net.Conn
		if c, err = net.Dial("tcp", addr); err == nil {
			return c.Close()
		}
	}
	return err
}
