package e2e

import (
	"encoding/json"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"

	"mongoadvisor/analyzers"
	"mongoadvisor/internal/analysis"
	"mongoadvisor/internal/demo"
	"mongoadvisor/internal/demo/mongod"
	"mongoadvisor/internal/demo/mongod/mongodtest"
	"mongoadvisor/internal/op"
)

// logged is a server that logs every operation into a file.
func logged(t *testing.T) (server *mongod.Process, path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "mongod.log")
	return mongodtest.StartWith(t, mongod.StartOptions{Args: []string{"--slowms", "0", "--logpath", path, "--logRotate", "rename"}}), path
}

// places are where each rule fired.
func places(found []finding) map[string]bool {
	out := map[string]bool{}
	for _, f := range found {
		out[f.Rule+" "+f.Namespace] = true
	}
	return out
}

// noLog are the rules that a log says too little for although it tells of every
// operation, and why.
var noLog = map[string]string{
	"S01": "arrays are seen in documents", "S02": "sizes are seen in documents", "S03": "sizes are seen in documents",
	"S06": "documents are seen when they are written", "S07": "trees are seen in documents", "S08": "types are seen in documents, too",
	"Q11": "values come from replies", "W03": "keys are seen in documents, too", "A03": "a log has no collections to join with",
	"I04": "arrays are seen in documents", "W08": "copies are seen in documents", "W05": "inserts carry no documents",
	"Q04": "collations of indexes are seen in replies", "W04": "documents are seen in replies",
	"A05": "results are seen in replies", "Q10": "the proxy suspects it by latencies, of a busy machine, too",
}

// TestLogAgreesWithProxy: the lessons' shop, seen by the proxy and by the log of the
// server behind it. The same rules fire on the same collections, wherever the log
// says enough.
func TestLogAgreesWithProxy(t *testing.T) {
	server, path := logged(t)
	direct := connect(t, server.URI(), "mongoadvisor seed") // a tool, to the rules
	if err := demo.Seed(t.Context(), direct); err != nil {
		t.Fatal(err)
	}
	p := startProxy(t, server.Addr(), "--analysis.full-rate", "0")
	before, after := connect(t, p.uri(""), "shop-before"), connect(t, p.uri(""), "shop-after")
	if err := demo.Run(t.Context(), before, after, 12, func(int, int, string) {}); err != nil {
		t.Fatal(err)
	}
	p.settled()
	proxied, _ := p.report()

	out, err := exec.Command(program, "analyze", path, "--profile", "ci", "--format", "json").Output()
	if err != nil {
		t.Fatal(err)
	}
	var report struct {
		Coverage op.Coverage
		Findings []finding
	}
	if err := json.Unmarshal(out, &report); err != nil {
		t.Fatal(err)
	}
	if c := report.Coverage; c.Ratio != 1 || c.Records == nil {
		t.Fatalf("coverage %+v, records %+v", c, c.Records)
	}
	has := op.HasReply | op.HasLatency | op.HasConn | op.HasExec | op.HasEvery
	if !report.Coverage.Records.Complete { // it is recognised by operations that take no millisecond
		t.Log("two hundred operations in a row took a millisecond each: this machine is too busy for it to show that the log has all")
		has &^= op.HasEvery
	}
	rules := map[string]*analysis.Analyzer{}
	for _, a := range analyzers.All() {
		rules[a.ID] = a
	}
	byProxy, byLog := places(proxied), places(report.Findings)
	agreed := 0
	for _, place := range slices.Sorted(maps.Keys(byProxy)) {
		rule, _, _ := strings.Cut(place, " ")
		switch {
		case byLog[place]:
			agreed++
		case has.Missing(rules[rule].Needs) != 0 || noLog[rule] != "":
		default:
			t.Errorf("the proxy finds %s, the log does not", place)
		}
	}
	for _, place := range slices.Sorted(maps.Keys(byLog)) {
		rule, _, _ := strings.Cut(place, " ")
		switch ns := strings.TrimPrefix(place, rule); {
		case byProxy[place], rule == "Q10", rule == "Q05": // of which the log has the measure
		case (rule == "Q01" || rule == "Q02") && byProxy["S07"+ns]: // the tree that is the cause is seen in documents
		default:
			t.Errorf("the log finds %s, the proxy does not", place)
		}
	}
	if agreed < 20 {
		t.Errorf("they agree on %d places only", agreed)
	}
	t.Logf("proxy %d places, log %d, both %d", len(byProxy), len(byLog), agreed)
}

// TestFollowOverRotation: a log that the server renames and begins anew is read on, each
// operation once.
func TestFollowOverRotation(t *testing.T) {
	server, path := logged(t)
	p := &proxied{t: t, web: freePort(t), ended: make(chan struct{})}
	launch{}.start(p, []string{"analyze", "--follow", path, "--profile", "ci", "--web.listen-address", p.web})
	c := connect(t, server.URI(), "shop").Database("followed")
	const rounds, each = 3, 20
	for range rounds {
		for i := range each {
			err := c.Collection("c").FindOne(t.Context(), bson.D{{Key: "name", Value: bson.Regex{Pattern: "x", Options: "i"}}, {Key: "n", Value: i}}).Err()
			if err != nil && err != mongo.ErrNoDocuments {
				t.Fatal(err)
			}
		}
		time.Sleep(1100 * time.Millisecond) // the name of the old log has seconds
		if err := c.Client().Database("admin").RunCommand(t.Context(), bson.D{{Key: "logRotate", Value: 1}}).Err(); err != nil {
			t.Fatal(err)
		}
	}
	if old, err := filepath.Glob(path + ".*"); err != nil || len(old) < 1 {
		t.Fatalf("%d logs were rotated away, %v", len(old), err)
	}
	eventually(t, "the log is read to its end", func() bool { return counts(p)["find"] >= rounds*each })
	if n := counts(p)["find"]; n != rounds*each {
		t.Errorf("%d finds, %d were sent", n, rounds*each)
	}
	eventually(t, "the finding is announced", func() bool {
		p.mu.Lock()
		defer p.mu.Unlock()
		return slices.ContainsFunc(p.records, func(r record) bool {
			return r.Finding != nil && r.Finding.Namespace == "followed.c" && strings.HasPrefix(r.Finding.Rule, "Q0")
		})
	})
	if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	<-p.ended
	if err := p.cmd.Wait(); err != nil {
		t.Errorf("ended with %v: %s", err, p.errors())
	}
	if b, err := os.ReadFile(path); err != nil || len(b) == 0 {
		t.Errorf("the log has gone: %v", err)
	}
}
