package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"

	"mongoadvisor/internal/demo/mongod/mongodtest"
)

var waitsFor = regexp.MustCompile(`(?m)^(\s+for: )\d+m$`)

// prometheus starts a real one that scrapes the program, with the rules as they are
// delivered but for how long an alert waits, and that sends its alerts on.
func prometheus(t *testing.T, target, alertmanager string) promQL {
	t.Helper()
	path := monitoring(t, "prometheus", "prometheus")
	dir := t.TempDir()
	rules, err := os.ReadFile(filepath.Join("..", "deploy", "prometheus", "mongoadvisor.yml"))
	if err != nil {
		t.Fatal(err)
	}
	short := waitsFor.ReplaceAll(rules, []byte("${1}1s"))
	if string(short) == string(rules) {
		t.Fatal("no alert waits: have the rules changed?")
	}
	address := freePort(t)
	config := fmt.Sprintf(`
global: { scrape_interval: 500ms, evaluation_interval: 500ms }
rule_files: [mongoadvisor.yml]
alerting: { alertmanagers: [{ static_configs: [{ targets: [%q] }] }] }
scrape_configs:
  - { job_name: mongoadvisor, static_configs: [{ targets: [%q] }] }
  - { job_name: prometheus, static_configs: [{ targets: [%q] }] }
`, strings.TrimPrefix(alertmanager, "http://"), target, address)
	for name, content := range map[string][]byte{"mongoadvisor.yml": short, "prometheus.yml": []byte(config)} {
		if err := os.WriteFile(filepath.Join(dir, name), content, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return promQL(serve(t, address, path, "--config.file", filepath.Join(dir, "prometheus.yml"), "--storage.tsdb.path", filepath.Join(dir, "data"),
		"--web.listen-address", address, "--rules.alert.resend-delay", "1s", "--log.level", "warn"))
}

// clean evaluates that everything was scraped, every rule could be evaluated, and every
// alert was taken, at any time.
func (p promQL) clean(t *testing.T) {
	t.Helper()
	var rules struct {
		Groups []struct {
			Rules []struct{ Name, Health, LastError string }
		}
	}
	n := 0
	p.get(t, "/api/v1/rules", nil, &rules)
	for _, g := range rules.Groups {
		for _, r := range g.Rules {
			if n++; r.Health != "ok" {
				t.Errorf("rule %s: %s %s", r.Name, r.Health, r.LastError)
			}
		}
	}
	if n < 12 {
		t.Errorf("%d rules", n)
	}
	var targets struct {
		ActiveTargets []struct{ ScrapePool, Health, LastError string }
	}
	p.get(t, "/api/v1/targets", nil, &targets)
	for _, x := range targets.ActiveTargets {
		if x.Health != "up" {
			t.Errorf("target %s: %s %s", x.ScrapePool, x.Health, x.LastError)
		}
	}
	for expr, want := range map[string]string{
		`min(min_over_time(up{job="mongoadvisor"}[10m]))`:                                                                            "1",
		`sum(prometheus_rule_evaluation_failures_total)`:                                                                             "0",
		`sum(prometheus_notifications_errors_total) or vector(0)`:                                                                    "0",
		`sum(prometheus_target_scrapes_sample_duplicate_timestamp_total) + sum(prometheus_target_scrapes_sample_out_of_order_total)`: "0",
	} {
		if got := p.value(t, expr); got != want {
			t.Errorf("%s is %q, want %s", expr, got, want)
		}
	}
}

// amAlert is an alert as Alertmanager has it.
type amAlert struct {
	Labels, Annotations map[string]string
}

// alertsOf are the alerts of a name that are active.
func alertsOf(t *testing.T, alertmanager, name string) (out []amAlert) {
	t.Helper()
	resp, err := http.Get(alertmanager + "/api/v2/alerts?active=true&filter=" + url.QueryEscape(`alertname="`+name+`"`))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if err := json.NewDecoder(resp.Body).Decode(&out); err != nil {
		t.Fatal(err)
	}
	return out
}

// habits are a client with two bad habits, one of which is critical, until they are
// mended.
type habits struct {
	mended atomic.Bool
	db     *mongo.Database
}

func (h *habits) act(ctx context.Context) {
	_ = h.db.Collection("customers").FindOne(ctx, bson.D{{Key: "_id", Value: 1}}).Err() // both are used on, whatever is found
	_ = h.db.Collection("products").FindOne(ctx, bson.D{{Key: "_id", Value: 1}}).Err()
	if h.mended.Load() {
		return
	}
	_ = h.db.Collection("customers").FindOne(ctx, bson.D{{Key: "name", Value: bson.Regex{Pattern: "^Ad{0,1}a"}}}).Err()
	cursor, err := h.db.Collection("products").Aggregate(ctx, mongo.Pipeline{{{Key: "$lookup", Value: bson.D{
		{Key: "from", Value: "reviews"},
		{Key: "let", Value: bson.D{{Key: "id", Value: "$_id"}}},
		{Key: "as", Value: "r"},
		{Key: "pipeline", Value: bson.A{bson.D{{Key: "$match", Value: bson.D{{Key: "$expr", Value: bson.D{{Key: "$eq", Value: bson.A{"$productId", "$$id"}}}}}}}}},
	}}}})
	if err == nil {
		_ = cursor.Close(ctx)
	}
}

// keep goes on with them until the test ends.
func (h *habits) keep(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	wg.Go(func() {
		for ctx.Err() == nil {
			h.act(ctx)
			time.Sleep(20 * time.Millisecond)
		}
	})
	t.Cleanup(func() { cancel(); wg.Wait() })
}

// TestPrometheusAlerts: with a real server, traffic, Prometheus and Alertmanager, findings
// become alerts that name their culprits and end once the traffic is mended; so does the
// alert of a server that is away. All the while nothing fails to be scraped, evaluated or
// sent, and every expression of the dashboard has something to show.
func TestPrometheusAlerts(t *testing.T) {
	t.Parallel()
	am := alertmanager(t)
	server := mongodtest.Start(t)
	p := startProxy(t, server.Addr(), "--fixed-after", "3s")
	prom := prometheus(t, p.web, am)
	h := &habits{db: connect(t, p.uri("&timeoutMS=2000"), "shop").Database("shop")}
	if _, err := h.db.Collection("customers").InsertOne(t.Context(), bson.D{{Key: "_id", Value: 1}, {Key: "name", Value: "Ada"}}); err != nil {
		t.Fatal(err)
	}
	h.keep(t)
	for _, culprit := range []struct{ alert, rule, collection, severity string }{
		{"MongoAdvisorCriticalFinding", "Q03", "customers", "critical"}, {"MongoAdvisorHighFinding", "A02", "products", "warning"},
	} {
		var found []amAlert
		eventually(t, culprit.alert+" fires", func() bool {
			found = alertsOf(t, am, culprit.alert)
			return len(found) > 0
		})
		named(t, p, found, culprit.rule, "shop", culprit.collection, culprit.severity)
	}
	dashboard(t, prom)
	checkMetrics(t, p)
	h.mended.Store(true)
	for _, name := range []string{"MongoAdvisorCriticalFinding", "MongoAdvisorHighFinding"} {
		eventually(t, name+" is resolved", func() bool { return len(alertsOf(t, am, name)) == 0 })
	}

	if err := server.Kill(); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the alert of the server that is away fires", func() bool {
		found := alertsOf(t, am, "MongoAdvisorUpstreamDown")
		return len(found) == 1 && found[0].Labels["listener"] == p.addr && found[0].Labels["instance"] == p.web
	})
	if err := server.Restart(t.Context()); err != nil {
		t.Fatal(err)
	}
	eventually(t, "it is resolved", func() bool { return len(alertsOf(t, am, "MongoAdvisorUpstreamDown")) == 0 })
	prom.clean(t)
}

// named checks that an alert leads to its finding.
func named(t *testing.T, p *proxied, found []amAlert, rule, database, collection, severity string) {
	t.Helper()
	findings, _ := p.report()
	for _, f := range findings {
		if f.Rule != rule || f.Namespace != database+"."+collection {
			continue
		}
		for _, a := range found {
			if a.Labels["fingerprint"] != f.Fingerprint {
				continue
			}
			for name, want := range map[string]string{"rule": rule, "database": database, "collection": collection, "severity": severity} {
				if a.Labels[name] != want {
					t.Errorf("label %s is %q, want %q", name, a.Labels[name], want)
				}
			}
			for _, want := range []string{rule, f.Namespace, f.Fingerprint} {
				if !strings.Contains(a.Annotations["description"], want) {
					t.Errorf("%q does not name %s", a.Annotations["description"], want)
				}
			}
			if a.Annotations["summary"] == "" || a.Annotations["runbook_url"] != "docs/rules/"+rule+".md" {
				t.Errorf("%v", a.Annotations)
			}
			return
		}
	}
	t.Errorf("no alert of %s on %s.%s among %+v", rule, database, collection, found)
}

// mayBeEmpty are expressions about what good runs do not have.
var mayBeEmpty = regexp.MustCompile(`undecoded|shed|recognised|capture_drops|refused`)

// dashboard asks for each expression of the dashboard as Grafana does.
func dashboard(t *testing.T, prom promQL) {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join("..", "deploy", "grafana", "mongoadvisor.json"))
	if err != nil {
		t.Fatal(err)
	}
	var board struct {
		Panels []struct {
			Title   string
			Targets []struct{ Expr string }
		}
	}
	if err := json.Unmarshal(raw, &board); err != nil {
		t.Fatal(err)
	}
	var jobs []string
	prom.get(t, "/api/v1/label/job/values", url.Values{"match[]": {"mongoadvisor_build_info"}}, &jobs)
	if len(jobs) != 1 || jobs[0] != "mongoadvisor" {
		t.Errorf("the dashboard's variable offers the jobs %q", jobs)
	}
	variables := strings.NewReplacer("$__rate_interval", "30s", "$job", "mongoadvisor", "$instance", ".*")
	for _, panel := range board.Panels {
		for _, x := range panel.Targets {
			expr := variables.Replace(x.Expr)
			if mayBeEmpty.MatchString(expr) {
				prom.ask(t, expr)
				continue
			}
			eventually(t, fmt.Sprintf("panel %q has something to show: %s", panel.Title, expr), func() bool { return len(prom.ask(t, expr)) > 0 })
		}
	}
}

// checkMetrics lints what the program really exposes.
func checkMetrics(t *testing.T, p *proxied) {
	t.Helper()
	cmd := exec.Command(monitoring(t, "prometheus", "promtool"), "check", "metrics")
	cmd.Stdin = strings.NewReader(string(p.get("/metrics")))
	if out, err := cmd.CombinedOutput(); err != nil || len(out) > 0 {
		t.Errorf("promtool: %v\n%s", err, out)
	}
}
