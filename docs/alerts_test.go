package docs_test

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
)

// alertRules are the rules for Prometheus.
type alertRules struct {
	Groups []struct {
		Name  string
		Rules []struct {
			Record, Alert, Expr string
			Labels, Annotations map[string]string
		}
	}
}

func readRules(t *testing.T) alertRules {
	t.Helper()
	var out alertRules
	if err := yaml.Unmarshal([]byte(read(t, "../deploy/prometheus/mongoadvisor.yml")), &out); err != nil {
		t.Fatal(err)
	}
	return out
}

var ownMetric = regexp.MustCompile(`mongoadvisor_[a-z_0-9]+`)

// knownMetrics finds metrics in an expression that the program does not have, as
// metrics.md lists them, which is compared with a running registry.
func knownMetrics(t *testing.T, where, expr string) {
	t.Helper()
	table := read(t, "metrics.md")
	for _, m := range ownMetric.FindAllString(recorded.ReplaceAllString(expr, ""), -1) {
		if !strings.Contains(table, "| `"+strings.TrimSuffix(m, "_bucket")+"` |") {
			t.Errorf("%s: there is no metric %s", where, m)
		}
	}
}

// recorded are the names of recording rules.
var recorded = regexp.MustCompile(`[a-z]+:[a-z_]+:[a-z0-9_]+`)

// TestAlertRules: each alert says what, where and what to do, is on the page, and rests
// on metrics that exist.
func TestAlertRules(t *testing.T) {
	page := read(t, "alerts.md")
	anchors := map[string]bool{}
	for _, m := range regexp.MustCompile(`(?m)^#### (\w+)$`).FindAllStringSubmatch(page, -1) {
		anchors["docs/alerts.md#"+strings.ToLower(m[1])] = true
	}
	n := 0
	for _, g := range readRules(t).Groups {
		for _, r := range g.Rules {
			knownMetrics(t, r.Alert+r.Record, r.Expr)
			if r.Alert == "" {
				continue
			}
			n++
			for _, name := range []string{"summary", "description", "runbook_url"} {
				if r.Annotations[name] == "" {
					t.Errorf("%s has no %s", r.Alert, name)
				}
			}
			if s := r.Labels["severity"]; s != "critical" && s != "warning" && s != "info" {
				t.Errorf("%s has severity %q", r.Alert, s)
			}
			if !strings.Contains(page, r.Alert) {
				t.Errorf("alerts.md does not speak of %s", r.Alert)
			}
			if url := r.Annotations["runbook_url"]; !anchors[url] && !strings.HasPrefix(url, "docs/rules/") {
				t.Errorf("%s: no such place: %s", r.Alert, url)
			}
			if strings.Contains(r.Annotations["runbook_url"], "docs/rules/") && strings.Contains(r.Expr, "finding_active") && !strings.Contains(r.Annotations["description"], "$labels.fingerprint") {
				t.Errorf("%s does not name its culprit", r.Alert)
			}
		}
	}
	if n < 10 {
		t.Errorf("%d alerts", n)
	}
}

// promtool runs it, or skips the test; CI has it.
func promtool(t *testing.T, args ...string) {
	t.Helper()
	path, err := exec.LookPath("promtool")
	if err != nil {
		if os.Getenv("CI") != "" {
			t.Fatal("promtool is missing, and CI is set")
		}
		t.Skip("promtool is not installed (Debian package prometheus)")
	}
	if out, err := exec.Command(path, args...).CombinedOutput(); err != nil {
		t.Errorf("promtool %s: %v\n%s", strings.Join(args, " "), err, out)
	}
}

// TestAlertsFire: promtool's own tests of the rules.
func TestAlertsFire(t *testing.T) {
	promtool(t, "check", "rules", "../deploy/prometheus/mongoadvisor.yml")
	promtool(t, "test", "rules", "../deploy/prometheus/mongoadvisor_test.yml")
}

// TestDashboard: every expression is one, of metrics that exist; the data source is a
// variable, and the dashboard can be updated by its name.
func TestDashboard(t *testing.T) {
	var board struct {
		UID    string
		Panels []struct {
			Title, Type string
			GridPos     struct{ X, Y, W, H int }
			Datasource  struct{ UID string }
			Targets     []struct{ Expr string }
		}
		Templating struct {
			List []struct{ Name, Type, Definition string }
		}
	}
	if err := json.Unmarshal([]byte(read(t, "../deploy/grafana/mongoadvisor.json")), &board); err != nil {
		t.Fatal(err)
	}
	if board.UID == "" || len(board.Templating.List) == 0 || board.Templating.List[0].Type != "datasource" {
		t.Errorf("uid %q, variables %+v", board.UID, board.Templating.List)
	}
	var rules strings.Builder
	rules.WriteString("groups:\n- name: dashboard\n  rules:\n")
	variables := strings.NewReplacer("$__rate_interval", "5m", "$job", ".*", "$instance", ".*")
	n := 0
	for _, p := range board.Panels {
		if p.Type == "row" {
			continue
		}
		if p.Datasource.UID != "${datasource}" || len(p.Targets) == 0 || p.GridPos.X+p.GridPos.W > 24 {
			t.Errorf("panel %q: data source %q, %d expressions, at %+v", p.Title, p.Datasource.UID, len(p.Targets), p.GridPos)
		}
		for _, target := range p.Targets {
			n++
			knownMetrics(t, p.Title, target.Expr)
			fmt.Fprintf(&rules, "  - record: panel:expression:%d\n    expr: %q\n", n, variables.Replace(target.Expr))
		}
	}
	path := filepath.Join(t.TempDir(), "dashboard.yml")
	if err := os.WriteFile(path, []byte(rules.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	promtool(t, "check", "rules", "--lint=none", path)
}
