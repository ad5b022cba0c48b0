package e2e

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"

	"mongoadvisor/e2e/harness"
	"mongoadvisor/internal/demo/mongod/mongodtest"
)

// reloadable is a proxy with a configuration file.
type reloadable struct {
	*proxied
	path string
}

func startReloadable(t *testing.T, upstream, text string, args ...string) *reloadable {
	t.Helper()
	r := &reloadable{path: filepath.Join(t.TempDir(), "c.yaml")}
	r.write(t, text)
	r.proxied = startProxy(t, upstream, append([]string{"--config.file", r.path}, args...)...)
	return r
}

// write replaces the file as editors do.
func (r *reloadable) write(t *testing.T, text string) {
	t.Helper()
	if err := os.WriteFile(r.path+".new", []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(r.path+".new", r.path); err != nil {
		t.Fatal(err)
	}
}

// ask requests a reload.
func (r *reloadable) ask(method string) (status int, body string) {
	r.t.Helper()
	req, err := http.NewRequestWithContext(r.t.Context(), method, "http://"+r.web+"/-/reload", nil)
	if err != nil {
		r.t.Fatal(err)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		r.t.Fatal(err)
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		r.t.Fatal(err)
	}
	return resp.StatusCode, string(b)
}

// metric is the value of a series.
func (r *reloadable) metric(name string, label ...string) float64 {
	r.t.Helper()
	return harness.Total(harness.Samples(string(r.get("/metrics"))), name, strings.Join(label, ","))
}

// said counts the lines of the log with a text.
func (r *reloadable) said(text string) int { return strings.Count(r.errors(), text) }

const inForce = "mongoadvisor_config_last_reload_successful"

// on finds the finding of a rule on a collection.
func on(found []finding, rule, namespace string) finding {
	i := slices.IndexFunc(found, func(f finding) bool { return f.Rule == rule && f.Namespace == namespace })
	if i < 0 {
		return finding{}
	}
	return found[i]
}

// searched is a query that Q02 speaks of.
func searched(field string) bson.D {
	return bson.D{{Key: field, Value: bson.Regex{Pattern: "x", Options: "i"}}}
}

// TestReloadUnderLoad: fifty reloads, by signal, request and changed file, half of them
// of a file that is wrong. No command on the open connections fails, and each is counted.
func TestReloadUnderLoad(t *testing.T) {
	t.Parallel()
	const workers, reloads = 4, 50
	server := mongodtest.Start(t)
	p := startReloadable(t, server.Addr(), "remind: 1h\n", "--web.enable-lifecycle", "--analysis.full-rate", "0")
	coll := connect(t, p.uri(fmt.Sprintf("&maxPoolSize=%d&retryReads=false", workers)), "app").Database("shop").Collection("c")
	var sent atomic.Int64
	var group sync.WaitGroup
	stop := make(chan struct{})
	for range workers {
		group.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				if err := coll.FindOne(t.Context(), searched("name")).Err(); err != nil && err != mongo.ErrNoDocuments {
					t.Errorf("a command failed: %v", err)
					return
				}
				sent.Add(1)
			}
		})
	}
	texts := []string{
		"rules: [\"-Q02\"]\n", "remind: fast\n", "limit: [\"Q02.min-count=2\"]\n", "nothing: 1\n", "bounded: [tags]\nremind: 5m\n",
		"ignore: [{rule: Q02, reason: known}]\n", "profile: x\nlog: {level: debug}\n", "log: {level: debug}\n",
	}
	for i := range reloads {
		before, done := sent.Load(), p.said(`"cause":"SIGHUP"`)
		text := texts[i%len(texts)]
		p.write(t, text)
		switch {
		case i%10 == 9: // the change of the file alone
			what := p.said(`"cause":"change of`)
			eventually(t, "the changed file is read", func() bool { return p.said(`"cause":"change of`) > what })
		case i%2 == 0:
			if err := p.cmd.Process.Signal(syscall.SIGHUP); err != nil {
				t.Fatal(err)
			}
			eventually(t, "the signal is followed", func() bool { return p.said(`"cause":"SIGHUP"`) > done })
		default:
			status, body := p.ask([]string{http.MethodPost, http.MethodPut}[i%4/2])
			if status != http.StatusOK && status != http.StatusInternalServerError {
				t.Errorf("%d: %s", status, body)
			}
		}
		eventually(t, "traffic goes on", func() bool { return sent.Load() > before+20 || t.Failed() })
	}
	close(stop)
	group.Wait()
	p.settled()
	if n := int64(counts(p.proxied)["find"]); n != sent.Load() {
		t.Errorf("%d commands were counted, %d were sent", n, sent.Load())
	}
	if open, all := p.metric("mongoadvisor_connections"), p.metric("mongoadvisor_connections_total"); all-open > 2 { // those of a request for the metrics are none
		t.Errorf("%v connections were opened, %v are open", all, open)
	}
	good, bad := p.said("configuration reloaded"), p.said("configuration not reloaded")
	if good < reloads/3 || bad < reloads/4 {
		t.Errorf("%d reloads, %d refused", good, bad)
	}
	t.Logf("%d commands, %d reloads, %d refused", sent.Load(), good, bad)
}

// TestBadFileKeepsTheOldOne: whatever is wrong with it, nothing of it is taken over, and
// it is said where, without what is secret.
func TestBadFileKeepsTheOldOne(t *testing.T) {
	t.Parallel()
	server := mongodtest.Start(t)
	const good = "ignore: [{rule: Q02, namespace: shop.muted, reason: known}]\nalert: {min-severity: low}\n"
	p := startReloadable(t, server.Addr(), good, "--web.enable-lifecycle")
	at := p.metric("mongoadvisor_config_last_reload_success_timestamp_seconds")
	if p.metric(inForce) != 1 || at == 0 {
		t.Error("the start is no success")
	}
	dir := filepath.Dir(p.path)
	if err := os.WriteFile(filepath.Join(dir, "baseline.json"), []byte(`{"schema": 99, "findings": []}`), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, x := range [][2]string{
		{"profile: ci\nalert: {webhook: {url: http://hook.example/HIDDEN, secert: HIDDEN}}\n", `[2:52] unknown field "secert"`},
		{"rules: [\"-Q02\"]\nremind: fast\n", `[2:9] "fast": want a duration`},
		{"rules: [\"-Q02\"]\nlog: {level: loud}\n", `>  2 | log: {level: loud}`},
		{"rules: [\"-Q02\"\n", p.path},
		{"rules: [\"-Q02\", \"+Z01\"]\n", `"+Z01" names no rule`},
		{"rules: [\"-Q02\"]\nbaseline: " + dir + "/none\n", "none is not there"},
		{"rules: [\"-Q02\"]\nbaseline: " + dir + "/baseline.json\n", "schema 99 is not known"},
		{"rules: [\"-Q02\"]\nalert: {file: " + dir + "/none/f.jsonl}\n", "alert.file"},
		{"rules: [\"-Q02\"]\nalert: {webhook: {url: \"mongodb://user:HIDDEN@db/HIDDEN\"}}\n", "alert.webhook.url: want an address"},
		{"", "is empty"},
	} {
		text, want := x[0], x[1]
		p.write(t, text)
		status, body := p.ask(http.MethodPost)
		if status != http.StatusInternalServerError || !strings.Contains(body, want) || strings.Contains(body, "HIDDEN") {
			t.Errorf("%q is answered with %d: %s", text, status, body)
		}
		if p.metric(inForce) != 0 {
			t.Errorf("%q: the metric says it is in force", text)
		}
	}
	if strings.Contains(p.errors(), "HIDDEN") {
		t.Error("a secret is in the log")
	}
	db := connect(t, p.uri(""), "app").Database("shop")
	for _, name := range []string{"muted", "open"} {
		if _, err := db.Collection(name).Find(t.Context(), searched("name")); err != nil {
			t.Fatal(err)
		}
	}
	p.settled()
	found, _ := p.report()
	if muted, open := on(found, "Q02", "shop.muted"), on(found, "Q02", "shop.open"); muted.Status != "muted" || open.Status != "open" {
		t.Errorf("%+v and %+v", muted, open)
	}
	if p.metric("mongoadvisor_config_last_reload_success_timestamp_seconds") != at {
		t.Error("a failure moved the time of the last success")
	}
	p.write(t, good)
	if status, body := p.ask(http.MethodPut); status != http.StatusOK || !strings.Contains(body, "reloaded") || p.metric(inForce) != 1 {
		t.Errorf("%d: %s", status, body)
	}
}

// TestReloadTakesEffect: an entry that mutes a finding which is open, a rule that is
// switched off and on, a level of the log, and keys that need a restart.
func TestReloadTakesEffect(t *testing.T) {
	server := mongodtest.Start(t)
	p := startReloadable(t, server.Addr(), "log: {level: info}\n", "--web.enable-lifecycle")
	coll := connect(t, p.uri(""), "app").Database("shop").Collection("orders")
	search := func() {
		t.Helper()
		if _, err := coll.Find(t.Context(), searched("name")); err != nil {
			t.Fatal(err)
		}
		p.settled()
	}
	reload := func(text string) string {
		t.Helper()
		p.write(t, text)
		status, body := p.ask(http.MethodPost)
		if status != http.StatusOK {
			t.Fatalf("%d: %s", status, body)
		}
		return body
	}
	status := func(want, when string) {
		t.Helper()
		found, _ := p.report()
		if f := on(found, "Q02", "shop.orders"); f.Status != want {
			t.Errorf("%s the finding is %q, want %q", when, f.Status, want)
		}
	}
	search()
	status("open", "at first")
	const entry = "ignore: [{rule: Q02, namespace: \"shop.*\", reason: a search page}]\n"
	reload(entry)
	status("muted", "with the entry, without any traffic,")
	if p.metric("mongoadvisor_finding_active", `rule="Q02"`) != 0 {
		t.Error("the muted finding is active")
	}
	search()
	status("muted", "with the entry")
	reload("# nothing\n")
	search()
	status("open", "without the entry")
	seen := p.metric("mongoadvisor_finding_occurrences_total", `rule="Q02"`)

	reload("rules: [\"-Q02\"]\n")
	status("muted", "with the rule switched off")
	search()
	if !strings.Contains(string(p.get("/api/v1/findings")), `"why": "switched off"`) {
		t.Error("the report does not say that a rule is switched off")
	}
	if n := p.metric("mongoadvisor_finding_occurrences_total", `rule="Q02"`); n != seen {
		t.Errorf("the rule spoke %v times, %v before it was off", n, seen)
	}
	reload("rules: []\n")
	search()
	status("open", "with the rule on again")

	if p.said(`"level":"debug"`) != 0 {
		t.Error("debug lines at level info")
	}
	if body := reload("log: {level: debug, format: console}\nlisten: 127.0.0.1:1\nmetrics: {max-findings: 7}\n"); !strings.Contains(body, "a restart is needed for log.format, metrics.max-findings") {
		t.Errorf("it says %q", body) // --listen wins over the file
	}
	eventually(t, "the keys that need a restart are in the log, once", func() bool {
		return p.said("need a restart") == 1 && strings.Contains(p.errors(), `"keys":["log.format","metrics.max-findings"]`)
	})
}

// TestWebhookIsExchanged: findings from before go to the old receiver, those from after
// to the new one, and neither the log nor a counter misses any.
func TestWebhookIsExchanged(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	got := map[string][]string{}
	receiver := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		var body struct{ Findings []finding }
		if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
			t.Error(err)
		}
		mu.Lock()
		defer mu.Unlock()
		for _, f := range body.Findings {
			got[r.URL.Path] = append(got[r.URL.Path], f.Namespace)
		}
	}))
	defer receiver.Close()
	server := mongodtest.Start(t)
	hook := func(path string) string { return "alert: {webhook: {url: \"" + receiver.URL + path + "\"}}\n" }
	p := startReloadable(t, server.Addr(), hook("/old"), "--web.enable-lifecycle")
	db := connect(t, p.uri(""), "app").Database("shop")
	search := func(coll string) {
		t.Helper()
		if _, err := db.Collection(coll).Find(t.Context(), searched("name")); err != nil {
			t.Fatal(err)
		}
		p.settled()
	}
	search("before")
	p.write(t, hook("/new"))
	if status, body := p.ask(http.MethodPost); status != http.StatusOK { // while a batch waits
		t.Fatalf("%d: %s", status, body)
	}
	search("after")
	delivered := func() float64 {
		return p.metric("mongoadvisor_notifications_total", `outcome="delivered"`, `sink="webhook"`)
	}
	eventually(t, "both are posted", func() bool { return delivered() == 2 })
	p.write(t, "# no webhook\n")
	if status, body := p.ask(http.MethodPost); status != http.StatusOK {
		t.Fatalf("%d: %s", status, body)
	}
	search("none")
	mu.Lock()
	defer mu.Unlock()
	if !slices.Equal(got["/old"], []string{"shop.before"}) || !slices.Equal(got["/new"], []string{"shop.after"}) {
		t.Errorf("%q", got)
	}
	if delivered() != 2 || p.metric("mongoadvisor_notifications_total", `outcome="delivered"`, `sink="log"`) < 3 {
		t.Errorf("%v posted", delivered())
	}
}

// TestReloadByRequestIsOff: without the flag nobody who reaches the endpoint can ask, and
// with it no page of another origin. The signal works all the same.
func TestReloadByRequestIsOff(t *testing.T) {
	p := startReloadable(t, freePort(t), "log: {level: info}\n")
	for method, want := range map[string]int{http.MethodPost: http.StatusForbidden, http.MethodPut: http.StatusForbidden, http.MethodGet: http.StatusMethodNotAllowed} {
		if status, body := p.ask(method); status != want || want == http.StatusForbidden && !strings.Contains(body, "--web.enable-lifecycle") {
			t.Errorf("%s: %d %s", method, status, body)
		}
	}
	if err := p.cmd.Process.Signal(syscall.SIGHUP); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the signal is followed", func() bool { return p.said("configuration reloaded") == 1 })
}

// TestFileIsReplaced: by a link, as Kubernetes does it, and a file that is gone for good
// is said once and comes back.
func TestFileIsReplaced(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, name := range []string{"one", "two"} {
		text := "rules: [\"-Q01\"]\n# " + name + "\n"
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	link := func(to string) {
		t.Helper()
		if err := os.Symlink(to, filepath.Join(dir, "next")); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(filepath.Join(dir, "next"), filepath.Join(dir, "c.yaml")); err != nil {
			t.Fatal(err)
		}
	}
	link("one")
	p := &reloadable{path: filepath.Join(dir, "c.yaml")}
	p.proxied = startProxy(t, freePort(t), "--config.file", p.path)
	link("two")
	eventually(t, "the link is followed", func() bool { return p.said("configuration reloaded") == 1 })
	if err := os.Remove(p.path); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the file is missed", func() bool { return p.metric(inForce) == 0 })
	link("two")
	eventually(t, "the file is back", func() bool { return p.metric(inForce) == 1 })
	if n := p.said("configuration not reloaded"); n != 1 {
		t.Errorf("it was said %d times", n)
	}
}
