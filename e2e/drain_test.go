package e2e

import (
	"net"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"

	"mongoadvisor/internal/demo/mongod/mongodtest"
)

// TestDrain: after SIGTERM a command under way gets its answer, nobody new is
// let in, the probe says so, and the process ends by itself with the report it
// was asked for.
func TestDrain(t *testing.T) {
	server := mongodtest.Start(t)
	report := t.TempDir() + "/report.json"
	p := startProxy(t, server.Addr(), "--output", report, "--format", "json", "--shutdown.grace", "30s")
	client := connect(t, p.uri(""), "app")
	coll := client.Database("shop").Collection("c")
	if _, err := coll.InsertOne(t.Context(), bson.D{{Key: "a", Value: 1}}); err != nil {
		t.Fatal(err)
	}
	answered := make(chan error, 1)
	go func() {
		answered <- coll.FindOne(t.Context(), bson.D{{Key: "$where", Value: "sleep(1500) || true"}}).Err()
	}()
	eventually(t, "the server works", func() bool { return running(t, p) })
	if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	eventually(t, "nobody is let in", func() bool {
		c, err := net.Dial("tcp", p.addr)
		if err == nil {
			_ = c.Close()
		}
		return err != nil
	})
	if resp, err := http.Get("http://" + p.web + "/-/ready"); err != nil || resp.StatusCode != http.StatusServiceUnavailable {
		t.Errorf("the probe says %v, %v", resp, err)
	}
	if err := <-answered; err != nil {
		t.Errorf("the command under way: %v", err)
	}
	if err := client.Disconnect(t.Context()); err != nil {
		t.Error(err)
	}
	select {
	case <-p.ended:
	case <-time.After(20 * time.Second):
		t.Fatal("it did not end when the last connection had")
	}
	out, err := os.ReadFile(report)
	if err != nil || !strings.Contains(string(out), `"coverage"`) {
		t.Errorf("the report: %v %s", err, out)
	}
}

// running reports whether the slow command has reached the server: its bytes
// have passed the proxy.
func running(t *testing.T, p *proxied) bool {
	t.Helper()
	time.Sleep(200 * time.Millisecond)
	return strings.Contains(string(p.get("/metrics")), `mongoadvisor_commands_total{command="insert"} 1`)
}

// TestSeveralPairs: one process serves several listeners, also on IPv6.
func TestSeveralPairs(t *testing.T) {
	t.Parallel()
	server := mongodtest.Start(t)
	l, err := net.Listen("tcp", "[::1]:0")
	if err != nil {
		t.Skipf("no IPv6 here: %v", err)
	}
	six := l.Addr().String()
	_ = l.Close()
	four := freePort(t)
	_, port, err := net.SplitHostPort(four)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(program, "proxy", port+"="+server.Addr(), six+"=mongodb://"+server.Addr(), "--web.listen-address", "")
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	}()
	for _, addr := range []string{four, six} {
		eventually(t, addr+" listens", func() bool {
			c, err := net.Dial("tcp", addr)
			if err == nil {
				_ = c.Close()
			}
			return err == nil
		})
		if err := connect(t, "mongodb://"+addr+"/?directConnection=true", "app").Ping(t.Context(), nil); err != nil {
			t.Errorf("%s: %v", addr, err)
		}
	}
}
