package e2e

import (
	"bufio"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"mongoadvisor/e2e/harness"
	"mongoadvisor/internal/demo/mongod"
)

// survive runs the script, and kills the primary and brings it back when the
// script asks for it.
func survive(t *testing.T, set *mongod.Set, root, uri string) (got shellReport, opened []string) {
	t.Helper()
	signals := t.TempDir()
	connections := filepath.Join(signals, "connections")
	hook, err := filepath.Abs("drivers/record_connections.cjs")
	if err != nil {
		t.Fatal(err)
	}
	shell := exec.CommandContext(t.Context(), filepath.Join(root, "node_modules", ".bin", "mongosh"), "--quiet", "--norc", uri, "drivers/mongosh_survives.js")
	shell.Env = append(os.Environ(), "NODE_OPTIONS=--require "+hook, "CONNECTIONS="+connections, "SIGNALS="+signals)
	stdout, err := shell.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	var stderr strings.Builder
	shell.Stderr = &stderr
	if err := shell.Start(); err != nil {
		t.Fatal(err)
	}
	guard := time.AfterFunc(4*time.Minute, func() { _ = shell.Process.Kill() })
	defer guard.Stop()
	lines := bufio.NewScanner(stdout)
	lines.Buffer(nil, 1<<20)
	last, said := "", []string{}
	for lines.Scan() {
		last = lines.Text()
		said = append(said, last)
		if last == "kill" {
			replacePrimary(t, set)
			if err := os.WriteFile(filepath.Join(signals, "restarted"), nil, 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := shell.Wait(); err != nil {
		t.Fatalf("mongosh: %v\n%s%s", err, strings.Join(said, "\n"), stderr.String())
	}
	if err := json.Unmarshal([]byte(last), &got); err != nil {
		t.Fatalf("%v\n%s%s", err, strings.Join(said, "\n"), stderr.String())
	}
	text, err := os.ReadFile(connections)
	if err != nil {
		t.Fatal(err)
	}
	return got, strings.Fields(string(text))
}

// replacePrimary kills the primary, waits for another, and starts it again.
func replacePrimary(t *testing.T, set *mongod.Set) {
	t.Helper()
	was, err := set.Primary(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := was.Kill(); err != nil {
		t.Fatal(err)
	}
	if _, err := set.Primary(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := was.Restart(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := set.Await(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// storedNumbers are the documents of the script in the order of its writes, asked
// of the set directly.
func storedNumbers(t *testing.T, set *mongod.Set) (out []int) {
	t.Helper()
	c := connect(t, set.URI(), "after").Database("shop").Collection("survivors")
	cursor, err := c.Find(t.Context(), bson.D{}, options.Find().SetSort(bson.D{{Key: "_id", Value: 1}}))
	if err != nil {
		t.Fatal(err)
	}
	var all []struct{ N int }
	if err := cursor.All(t.Context(), &all); err != nil {
		t.Fatal(err)
	}
	for _, d := range all {
		out = append(out, d.N)
	}
	return out
}

func occurrences(list []int, n int) (c int) {
	for _, x := range list {
		if x == n {
			c++
		}
	}
	return c
}

// samples are the metrics, by name with labels as they are written.
func (p *proxied) samples() map[string]float64 {
	p.t.Helper()
	return harness.Samples(string(p.get("/metrics")))
}
