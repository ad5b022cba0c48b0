package e2e

import (
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"

	"mongoadvisor/e2e/harness"
	"mongoadvisor/internal/demo/mongod/mongodtest"
)

// needsRoot skips a test that opens an interface.
func needsRoot(t *testing.T) {
	t.Helper()
	if os.Geteuid() == 0 {
		return
	}
	if os.Getenv("CI") != "" {
		t.Fatal("live capture needs root")
	}
	t.Skip("live capture needs root")
}

// counts are the operations of a process by command, as its metrics say.
func counts(p *proxied) map[string]int {
	p.t.Helper()
	samples := harness.Samples(string(p.get("/metrics")))
	out := map[string]int{}
	for _, c := range []string{"find", "update", "insert", "aggregate", "getMore"} {
		out[c] = int(harness.Total(samples, "mongoadvisor_commands_total", `command="`+c+`"`))
	}
	return out
}

// TestCaptureAgreesWithProxy: under load, who watches the interface between proxy and
// server counts what the proxy counts, within one in a thousand, and finds the same.
func TestCaptureAgreesWithProxy(t *testing.T) {
	needsRoot(t)
	const workers, rounds = 8, 400
	server := mongodtest.Start(t)
	if err := numbered(500)(t.Context(), connect(t, server.URI(), "prepare").Database("watched")); err != nil {
		t.Fatal(err)
	}
	p := startProxy(t, server.Addr(), "--analysis.full-rate", "0")
	watcher := startCapture(t, server.Addr(), "--analysis.full-rate", "0")
	c := connect(t, p.uri("&maxPoolSize=16"), "shop").Database("watched").Collection("c")
	var group sync.WaitGroup
	for w := range workers {
		group.Go(func() {
			for i := range rounds {
				id := bson.D{{Key: "_id", Value: (w*rounds + i) % 500}}
				if err := c.FindOne(t.Context(), id).Err(); err != nil {
					t.Error(err)
					return
				}
				if _, err := c.UpdateOne(t.Context(), id, bson.D{{Key: "$set", Value: bson.D{{Key: "seen", Value: i}}}}); err != nil {
					t.Error(err)
					return
				}
				if i%100 == 0 {
					all, err := c.Find(t.Context(), bson.D{{Key: "name", Value: bson.Regex{Pattern: "some", Options: "i"}}})
					if err != nil {
						t.Error(err)
						return
					}
					var docs []bson.M
					if err := all.All(t.Context(), &docs); err != nil {
						t.Error(err)
					}
				}
			}
		})
	}
	group.Wait()
	p.settled()
	eventually(t, "the capture has seen all", func() bool { return counts(watcher)["update"] >= workers*rounds })
	watcher.settled()
	want, got := counts(p), counts(watcher)
	samples := harness.Samples(string(watcher.get("/metrics")))
	t.Logf("proxy %v, capture %v, %v packets, %v dropped by the kernel", want, got, samples["mongoadvisor_capture_packets_total"], samples["mongoadvisor_capture_drops_total"])
	if want["update"] != workers*rounds {
		t.Errorf("the proxy counts %d updates of %d", want["update"], workers*rounds)
	}
	for command, n := range want {
		if math.Abs(float64(got[command]-n)) > float64(n)/1000 {
			t.Errorf("%s: the capture counts %d, the proxy %d", command, got[command], n)
		}
	}
	ours, _ := p.report()
	theirs, coverage := watcher.report()
	if a, b := findingsOf(ours), findingsOf(theirs); a != b {
		t.Errorf("the proxy finds\n%s\nthe capture\n%s", a, b)
	}
	if coverage["ratio"].(float64) < 0.999 {
		t.Errorf("coverage %v", coverage)
	}
}

func findingsOf(list []finding) string {
	var b strings.Builder
	for _, f := range list {
		fmt.Fprintf(&b, "%s %s %s %s\n", f.Rule, f.Reason, f.Namespace, f.Fingerprint)
	}
	return b.String()
}

// TestCaptureGivesUpItsRights: once the interface is open the process is nobody.
func TestCaptureGivesUpItsRights(t *testing.T) {
	needsRoot(t)
	p := startCapture(t, "127.0.0.1:1")
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.cmd.Process.Pid))
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{"Uid:\t65534\t65534\t65534\t65534", "CapEff:\t0000000000000000", "CapPrm:\t0000000000000000"} {
		if !strings.Contains(string(status), line+"\n") {
			t.Errorf("no %q in\n%s", line, status)
		}
	}
	tasks, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/status", p.cmd.Process.Pid))
	if err != nil || len(tasks) < 2 {
		t.Fatal(len(tasks), err)
	}
	for _, path := range tasks {
		if b, err := os.ReadFile(path); err == nil && !strings.Contains(string(b), "CapEff:\t0000000000000000\n") {
			t.Errorf("a thread keeps rights: %s", path)
		}
	}
}

// TestCaptureWithoutRights: whoever may not open the interface is told what it takes.
func TestCaptureWithoutRights(t *testing.T) {
	needsRoot(t)
	copied := filepath.Join(t.TempDir(), "mongoadvisor")
	b, err := os.ReadFile(program)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(copied, b, 0o755); err != nil {
		t.Fatal(err)
	}
	for dir := filepath.Dir(copied); dir != os.TempDir() && dir != "/"; dir = filepath.Dir(dir) {
		if err := os.Chmod(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	out, err := exec.Command("setpriv", "--reuid", "65534", "--clear-groups", copied, "capture", "-i", "lo").CombinedOutput()
	if err == nil || !strings.Contains(string(out), "CAP_NET_RAW") {
		t.Errorf("%v: %s", err, out)
	}
}

// TestCaptureOfTunnels: mirrored traffic in VXLAN is read like traffic of its own.
func TestCaptureOfTunnels(t *testing.T) {
	needsRoot(t)
	p := startCapture(t, "127.0.0.1:27117", "--vxlan", "47890")
	sendTunnelled(t, "127.0.0.1:47890")
	eventually(t, "the operations of the tunnel are counted", func() bool { return counts(p)["update"] == 10 && counts(p)["find"] == 19 })
	time.Sleep(50 * time.Millisecond)
	if found, _ := p.report(); len(found) == 0 {
		t.Error("nothing was found")
	}
}
