package e2e

import (
	"context"
	"encoding/json"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"

	"mongoadvisor/internal/demo/mongod/mongodtest"
)

// antiPatterns are four anti-patterns, n times each.
func antiPatterns(t *testing.T, c *mongo.Client, n int) {
	ctx, shop := t.Context(), c.Database("shop")
	for i := range n {
		for _, err := range []error{
			exhaust(shop.Collection("customers").Find(ctx, bson.D{{Key: "city", Value: bson.Regex{Pattern: "^pune$", Options: "i"}}})),
			exhaust(shop.Collection("orders").Aggregate(ctx, bson.A{bson.D{{Key: "$lookup", Value: bson.D{
				{Key: "from", Value: "customers"}, {Key: "localField", Value: "customer"}, {Key: "foreignField", Value: "_id"}, {Key: "as", Value: "customer"},
			}}}})),
			pushOnto(ctx, shop, bson.D{{Key: "$push", Value: bson.D{{Key: "visits", Value: i}}}}),
			pushOnto(ctx, shop, bson.D{{Key: "$push", Value: bson.D{{Key: "log", Value: bson.D{{Key: "at", Value: i}}}, {Key: "$slice", Value: -3}}}}),
		} {
			if err != nil && !strings.Contains(err.Error(), "$slice") {
				t.Error(err)
			}
		}
	}
}

func exhaust(c *mongo.Cursor, err error) error {
	if err != nil {
		return err
	}
	return c.All(context.Background(), &[]bson.Raw{})
}

func pushOnto(ctx context.Context, db *mongo.Database, update bson.D) error {
	_, err := db.Collection("customers").UpdateOne(ctx, bson.D{{Key: "_id", Value: 7}}, update)
	return err
}

// counts are the occurrences by fingerprint.
func tallied(findings []finding) map[string]int64 {
	out := map[string]int64{}
	for _, f := range findings {
		out[f.Rule+" "+f.Reason+" "+f.Namespace+" "+f.Fingerprint] = f.Count
	}
	return out
}

func equal(a, b map[string]int64) bool {
	if len(a) != len(b) {
		return false
	}
	for k, n := range a {
		if b[k] != n {
			return false
		}
	}
	return true
}

// TestSharedStore: three proxies keep their findings in one MongoDB, to which they
// talk through a fourth. All show the sum, so does the report, and the fourth finds
// nothing to say of that traffic.
func TestSharedStore(t *testing.T) {
	server, kept := mongodtest.Start(t), mongodtest.Start(t)
	if _, err := connect(t, server.URI(), "seed").Database("shop").Collection("customers").InsertOne(t.Context(), bson.D{{Key: "_id", Value: 7}, {Key: "city", Value: "Pune"}}); err != nil {
		t.Fatal(err)
	}
	before := startProxy(t, kept.Addr(), "--rules", "+I05,+O06")
	secret := filepath.Join(t.TempDir(), "uri")
	if err := os.WriteFile(secret, []byte("mongodb://"+before.addr+"/advice?directConnection=true\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("MONGOADVISOR_STORAGE_URI_FILE", secret)
	var proxies []*proxied
	for range 3 {
		proxies = append(proxies, startProxy(t, server.Addr(), "--storage.interval", "1s"))
	}
	const each = 150
	var wg sync.WaitGroup
	for i, p := range proxies {
		client := connect(t, p.uri(""), "app"+string(rune('a'+i)))
		for range 2 {
			wg.Go(func() { antiPatterns(t, client, each) })
		}
	}
	wg.Wait()
	var sums map[string]int64
	eventually(t, "all proxies show the same", func() bool {
		first, _ := proxies[0].report()
		sums = tallied(first)
		for _, p := range proxies[1:] {
			f, _ := p.report()
			if !equal(tallied(f), sums) {
				return false
			}
		}
		for name, n := range sums {
			if strings.HasPrefix(name, "Q02 ") && n == 3*2*each {
				return true
			}
		}
		return false
	})
	for name, n := range sums {
		if rule := name[:3]; (rule == "Q02" || rule == "A01" || rule == "W01") && n != 3*2*each {
			t.Errorf("%s: %d, want %d", name, n, 3*2*each)
		}
	}
	if len(sums) < 3 {
		t.Errorf("only %v", sums)
	}
	var read struct {
		Findings []finding
		Stored   struct{ Processes int }
		Coverage struct{ Connections int64 }
	}
	if err := json.Unmarshal(reported(t, "--format", "json"), &read); err != nil {
		t.Fatal(err)
	}
	if got := tallied(read.Findings); !equal(got, sums) || read.Stored.Processes != 3 || read.Coverage.Connections < 3 {
		t.Errorf("the report says %v of %d processes on %d connections; the proxies %v", got, read.Stored.Processes, read.Coverage.Connections, sums)
	}
	late := startProxy(t, server.Addr(), "--storage.interval", "1s")
	if f, _ := late.report(); !equal(tallied(f), sums) {
		t.Errorf("one that comes later has %v", tallied(f))
	}
	before.settled()
	if f, coverage := before.report(); len(f) != 0 || coverage["operations"].(float64) < 20 {
		for _, x := range f {
			t.Errorf("of its own store it says %s %s on %s: %s (%d×)", x.Rule, x.Reason, x.Namespace, x.Message, x.Count)
		}
		t.Errorf("%v", coverage)
	}
}

// reported runs `mongoadvisor report`.
func reported(t *testing.T, args ...string) []byte {
	t.Helper()
	cmd := exec.Command(program, append([]string{"report"}, args...)...)
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("report: %v", err)
	}
	return out
}

// TestFindingsSurviveARestart: after an end in good order and after kill -9, and what
// was told is not told again.
func TestFindingsSurviveARestart(t *testing.T) {
	t.Parallel()
	server, dir := mongodtest.Start(t), filepath.Join(t.TempDir(), "kept")
	last := filepath.Join(t.TempDir(), "last.txt")
	start := func() (*proxied, *mongo.Client) {
		p := startProxy(t, server.Addr(), "--storage.path", dir, "--storage.interval", "1s", "--output", last)
		return p, connect(t, p.uri(""), "app")
	}
	p, c := start()
	antiPatterns(t, c, 20)
	p.settled()
	f, _ := p.report()
	want := tallied(f)
	if len(want) < 3 {
		t.Fatalf("%v", want)
	}
	p.stop()
	if text, err := os.ReadFile(last); err != nil || !strings.Contains(string(text), "findings since ") {
		t.Errorf("the report at the end does not say since when it counts: %v\n%s", err, text)
	}

	p, c = start()
	f, _ = p.report()
	if !equal(tallied(f), want) {
		t.Errorf("after a restart %v, want %v", tallied(f), want)
	}
	antiPatterns(t, c, 20)
	p.settled()
	f, _ = p.report()
	for name, n := range tallied(f) {
		if n <= want[name] {
			t.Errorf("%s does not go on: %d after %d", name, n, want[name])
		}
	}
	want = tallied(f)
	p.mu.Lock()
	if len(p.records) != 0 {
		t.Errorf("told again: %s", p.records[0].raw)
	}
	p.mu.Unlock()
	eventually(t, "all is saved", func() bool {
		var read struct{ Findings []finding }
		return json.Unmarshal(reported(t, "--storage.path", dir, "--format", "json"), &read) == nil && equal(tallied(read.Findings), want)
	})
	_ = p.cmd.Process.Signal(syscall.SIGKILL)
	<-p.ended
	_ = p.cmd.Wait()

	p, _ = start()
	f, _ = p.report()
	if !equal(tallied(f), want) {
		t.Errorf("after kill -9 %v, want %v", tallied(f), want)
	}
	history, err := os.ReadFile(filepath.Join(dir, "history.jsonl"))
	if n := strings.Count(string(history), "\n"); err != nil || n != len(want) {
		t.Errorf("the history has %d lines for %d findings: %v\n%s", n, len(want), err, history)
	}
}

// TestStorageThatCannotBeUsed: whatever is wrong there, the proxy starts, serves, and
// says so once.
func TestStorageThatCannotBeUsed(t *testing.T) {
	t.Parallel()
	server := mongodtest.Start(t)
	damaged, newer, file := t.TempDir(), t.TempDir(), filepath.Join(t.TempDir(), "file")
	for path, content := range map[string]string{
		filepath.Join(damaged, "findings.json"): `{"schema": 1, "find`, filepath.Join(newer, "findings.json"): `{"schema": 99, "version": "9.9.9"}`, file: "",
	} {
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for name, c := range map[string]struct {
		args []string
		says string
	}{
		"damaged":        {[]string{"--storage.path", damaged}, "is damaged"},
		"newer":          {[]string{"--storage.path", newer}, "version 9.9.9"},
		"not a folder":   {[]string{"--storage.path", filepath.Join(file, "x")}, "not a directory"},
		"nobody answers": {[]string{"--storage.uri", "mongodb://" + freePort(t) + "/"}, "connection refused"},
		"no such name":   {[]string{"--storage.uri", "mongodb+srv://nobody.invalid/"}, "lookup _mongodb._tcp.nobody.invalid"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := startProxy(t, server.Addr(), append(c.args, "--storage.interval", "1s")...)
			antiPatterns(t, connect(t, p.uri(""), "app"), 5)
			p.settled()
			if f, _ := p.report(); len(f) < 3 {
				t.Errorf("%d findings", len(f))
			}
			eventually(t, "it says why", func() bool { return strings.Contains(p.errors(), c.says) })
			time.Sleep(2 * time.Second) // of several attempts one is told
			said := 0
			for line := range strings.Lines(p.errors()) {
				if strings.Contains(line, c.says) && !strings.Contains(line, `"sink":"history"`) {
					said++
				}
			}
			if said != 1 || strings.Count(p.errors(), `"sink":"history"`) > 1 {
				t.Errorf("said %d times: %s", said, p.errors())
			}
			ok := strings.Contains(string(p.get("/metrics")), "mongoadvisor_storage_last_save_successful 1\n")
			if started := name == "damaged" || name == "newer"; ok != started {
				t.Errorf("last save successful: %v", ok)
			}
		})
	}
	t.Cleanup(func() { // after them all
		for _, dir := range []string{damaged, newer} {
			if list, _ := filepath.Glob(filepath.Join(dir, "findings.json.aside-*")); len(list) != 1 {
				t.Errorf("set aside: %v", list)
			}
		}
	})
}

// TestStoreThatHangs: one that takes connections and never says a word holds up neither
// the start nor the end for longer than seconds, and a reload in between ends nothing.
func TestStoreThatHangs(t *testing.T) {
	store, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	var cmd *exec.Cmd
	hungUp := make(chan error, 1)
	go func() {
		c, err := store.Accept() // it restores, and is not ready yet
		if err != nil {
			hungUp <- err
			return
		}
		hungUp <- cmd.Process.Signal(syscall.SIGHUP)
		_, _ = io.Copy(io.Discard, c)
	}()
	began := time.Now()
	p := launch{by: func(name string, args ...string) *exec.Cmd {
		cmd = exec.Command(name, args...)
		return cmd
	}}.proxy(t, "127.0.0.1:1", "--storage.uri", "mongodb://"+store.Addr().String()+"/")
	if err := <-hungUp; err != nil {
		t.Fatal(err)
	}
	start := time.Since(began)
	began = time.Now()
	p.stop()
	t.Logf("ready after %v, ended after %v", start, time.Since(began))
	if start > 8*time.Second || time.Since(began) > 12*time.Second {
		t.Errorf("ready after %v, ended after %v", start, time.Since(began))
	}
}
