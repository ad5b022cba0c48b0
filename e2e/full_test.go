package e2e

import (
	"errors"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"

	"mongoadvisor/internal/demo/mongod/mongodtest"
)

// fullDevice refuses every write as a full disk does.
func fullDevice(t *testing.T) *os.File {
	t.Helper()
	f, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		if os.Getenv("CI") != "" {
			t.Fatal(err)
		}
		t.Skipf("no device that is always full: %v", err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

// TestDiskFull: findings and log go to a full disk. Traffic goes on, what could
// not be written is counted, and the report at the end fails with a word.
func TestDiskFull(t *testing.T) {
	full := fullDevice(t)
	server := mongodtest.Start(t)
	p := &proxied{t: t, addr: freePort(t), web: freePort(t)}
	cmd := exec.Command(program, "proxy", "--listen", p.addr, "--upstream", server.Addr(), "--web.listen-address", p.web, "--profile", "ci", "--shutdown.grace", "1s")
	cmd.Stdout, cmd.Stderr = full, full
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	client := connect(t, p.uri("&timeoutMS=20000"), "app")
	for _, field := range []string{"a", "b", "c"} {
		filter := bson.D{{Key: field, Value: bson.Regex{Pattern: "x", Options: "i"}}}
		if _, err := client.Database("shop").Collection("c").CountDocuments(t.Context(), filter); err != nil {
			t.Fatalf("traffic stopped: %v", err)
		}
	}
	eventually(t, "the lines are counted", func() bool {
		return dropped(p) >= 5 // two of its own at the start, three findings
	})
	if err := client.Disconnect(t.Context()); err != nil {
		t.Error(err)
	}
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := <-ended; err != nil {
		t.Errorf("it ended with %v", err)
	}
}

func dropped(p *proxied) int {
	const series = `mongoadvisor_dropped_total{what="log_line"} `
	_, rest, _ := strings.Cut(string(p.get("/metrics")), series)
	n := 0
	for _, c := range rest {
		if c < '0' || c > '9' {
			break
		}
		n = 10*n + int(c-'0')
	}
	return n
}

// TestReportOnFullDisk: the error says which file, and the exit code is that of
// an error.
func TestReportOnFullDisk(t *testing.T) {
	fullDevice(t)
	cmd := exec.Command(program, "proxy", "--listen", freePort(t), "--upstream", freePort(t), "--web.listen-address", "", "--output", "/dev/full")
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	log, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var said strings.Builder
	b := make([]byte, 4096)
	for signalled := false; ; {
		n, err := log.Read(b)
		said.Write(b[:n])
		if !signalled && strings.Contains(said.String(), "listening") {
			signalled = true
			_ = cmd.Process.Signal(syscall.SIGTERM)
		}
		if err != nil {
			break
		}
	}
	var exit *exec.ExitError
	if err := cmd.Wait(); !errors.As(err, &exit) || exit.ExitCode() <= 0 {
		t.Errorf("it ended with %v", err)
	}
	if !strings.Contains(said.String(), "output /dev/full") || !strings.Contains(said.String(), "no space left on device") {
		t.Errorf("it said %q", said.String())
	}
}
