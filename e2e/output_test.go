package e2e

import (
	"net"
	"os"
	"os/exec"
	"syscall"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"

	"mongoadvisor/internal/demo/mongod/mongodtest"
)

// TestOutputNobodyReads: traffic goes on when the reader of the findings goes
// away (`| head -1`), and when the log is a full pipe that nobody reads.
func TestOutputNobodyReads(t *testing.T) {
	server := mongodtest.Start(t)
	findings, out := pipe(t)
	_, log := pipe(t)
	fill(t, log)
	addr := freePort(t)
	cmd := exec.Command(program, "proxy", "--listen", addr, "--upstream", server.Addr(), "--profile", "ci", "--web.listen-address", "", "--shutdown.grace", "1s")
	cmd.Stdout, cmd.Stderr = out, log
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	_ = out.Close()
	eventually(t, "the proxy listens", func() bool {
		c, err := net.Dial("tcp", addr)
		if err == nil {
			_ = c.Close()
		}
		return err == nil
	})
	_ = findings.Close() // from here on a write to standard output is a broken pipe
	client := connect(t, "mongodb://"+addr+"/?directConnection=true&timeoutMS=20000", "app")
	for _, field := range []string{"a", "b", "c", "d", "e"} {
		filter := bson.D{{Key: field, Value: bson.Regex{Pattern: "x", Options: "i"}}}
		if _, err := client.Database("shop").Collection("c").CountDocuments(t.Context(), filter); err != nil {
			t.Fatalf("traffic stopped: %v", err)
		}
		time.Sleep(20 * time.Millisecond) // let the finding be written before the next one
	}
	if err := client.Disconnect(t.Context()); err != nil {
		t.Error(err)
	}
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	select {
	case err := <-ended:
		if err != nil {
			t.Errorf("it ended with %v", err)
		}
	case <-time.After(30 * time.Second):
		_ = cmd.Process.Kill()
		t.Fatal("it did not end")
	}
}

func pipe(t *testing.T) (r, w *os.File) {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = r.Close()
		_ = w.Close()
	})
	return r, w
}

// fill writes until the pipe takes no more.
func fill(t *testing.T, w *os.File) {
	t.Helper()
	if err := w.SetWriteDeadline(time.Now().Add(200 * time.Millisecond)); err != nil {
		t.Fatal(err)
	}
	for {
		if _, err := w.Write(make([]byte, 4096)); err != nil {
			return
		}
	}
}
