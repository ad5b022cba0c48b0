package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"

	"mongoadvisor/internal/demo/mongod/mongodtest"
)

// TestDiskFillsUpAndIsFreed: findings and log go to a file system that fills up
// while the program runs, and has room again later. Traffic goes on, what is
// lost is counted, and afterwards lines are whole again: of what was cut, one stands by
// itself. The file system is in a
// mount namespace of its own and goes with it.
func TestDiskFillsUpAndIsFreed(t *testing.T) {
	rootFor(t, "mounting a file system")
	needs(t, "unshare", "mount")
	server := mongodtest.Start(t)
	dir := t.TempDir()
	const start = `mount --make-rprivate / && mount -t tmpfs -o size=32k small "$DIR" && head -c 8192 /dev/zero >"$DIR/ballast" && exec "$@" >>"$DIR/findings" 2>>"$DIR/log"`
	p := &proxied{t: t, addr: freePort(t), web: freePort(t)}
	cmd := exec.Command("unshare", "--mount", "sh", "-c", start, "sh",
		program, "proxy", "--listen", p.addr, "--upstream", server.Addr(), "--web.listen-address", p.web, "--profile", "ci", "--shutdown.grace", "1s")
	cmd.Env = append(os.Environ(), "DIR="+dir)
	var said bytes.Buffer
	cmd.Stderr = &said
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	coll := connect(t, p.uri("&timeoutMS=20000"), "app").Database("shop")
	n := 0
	for ; n < 300 && (n == 0 || dropped(p) == 0); n++ {
		find(t, coll, n)
	}
	if dropped(p) == 0 {
		t.Fatalf("%d findings did not fill the disk: %s", n, said.String())
	}
	inside := filepath.Join("/proc", pid(cmd), "root", dir)
	full := records(t, inside)
	if err := os.Remove(filepath.Join(inside, "ballast")); err != nil {
		t.Fatal(err)
	}
	eventually(t, "findings are written again", func() bool {
		n++
		find(t, coll, n)
		return len(records(t, inside)) > len(full)+3
	})
	for _, line := range records(t, inside) {
		if !json.Valid([]byte(line)) && strings.Count(line, `{"level":`) > 1 {
			t.Errorf("two records on a line: %.150q", line)
		}
	}
	if err := coll.Client().Disconnect(t.Context()); err != nil {
		t.Error(err)
	}
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := <-ended; err != nil {
		t.Errorf("it ended with %v", err)
	}
	if out, err := exec.Command("mount").Output(); err == nil && strings.Contains(string(out), dir) {
		t.Error("the file system is mounted outside, too")
	}
}

// records are the lines of the findings' file.
func records(t *testing.T, dir string) []string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, "findings"))
	if err != nil || len(text) == 0 {
		t.Fatalf("%d bytes, %v", len(text), err)
	}
	return strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
}

// find makes the n-th finding.
func find(t *testing.T, db *mongo.Database, n int) {
	t.Helper()
	filter := bson.D{{Key: "a", Value: bson.Regex{Pattern: "x", Options: "i"}}}
	if _, err := db.Collection(fmt.Sprintf("c%c%c", 'a'+n%26, 'a'+n/26)).CountDocuments(t.Context(), filter); err != nil {
		t.Fatalf("traffic stopped: %v", err)
	}
}
