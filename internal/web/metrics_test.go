package web

import (
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	dto "github.com/prometheus/client_model/go"

	"mongoadvisor/internal/analysis"
	"mongoadvisor/internal/op"
	"mongoadvisor/internal/store"
)

// series gathers a registry as "name{label=value,…}" -> value.
func series(t *testing.T, m *Metrics) map[string]float64 {
	t.Helper()
	families, err := m.Registry().Gather()
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]float64{}
	for _, f := range families {
		for _, x := range f.GetMetric() {
			name := f.GetName() + "{"
			for _, l := range x.GetLabel() {
				name += l.GetName() + "=" + l.GetValue() + ","
			}
			out[strings.TrimSuffix(name, ",")+"}"] = number(x)
		}
	}
	return out
}

func number(x *dto.Metric) float64 {
	switch {
	case x.Counter != nil:
		return x.GetCounter().GetValue()
	case x.Histogram != nil:
		return float64(x.GetHistogram().GetSampleCount())
	}
	return x.GetGauge().GetValue()
}

func TestEverySeriesExistsFromTheStart(t *testing.T) {
	m := NewMetrics("1.2.3", "abc")
	m.Watch(testSources())
	got := series(t, m)
	var want []string
	for _, d := range []string{toServer, toClient} {
		want = append(want, "mongoadvisor_forwarded_bytes_total{direction="+d+"}")
	}
	for _, c := range op.CommandNames() {
		want = append(want, "mongoadvisor_commands_total{command="+c+"}", "mongoadvisor_command_duration_seconds{command="+c+"}")
	}
	for _, r := range rules {
		want = append(want, "mongoadvisor_rule_panics_total{rule="+r.ID+"}", "mongoadvisor_rule_seconds_total{rule="+r.ID+"}")
		for _, severity := range analysis.Severities() {
			want = append(want, "mongoadvisor_finding_occurrences_total{rule="+r.ID+",severity="+severity+"}")
			for _, status := range store.Statuses {
				want = append(want, "mongoadvisor_findings{rule="+r.ID+",severity="+severity+",status="+string(status)+"}")
			}
		}
	}
	want = append(want, "mongoadvisor_connections_total{}", "mongoadvisor_connections{}", "mongoadvisor_tap_panics_total{}",
		"mongoadvisor_undecoded_messages_total{reason=malformed}", "mongoadvisor_shed_messages_total{reason=queue_full}",
		"mongoadvisor_messages_total{direction=client,opcode=OP_MSG}", "mongoadvisor_notifications_total{outcome=delivered,sink=log}",
		"mongoadvisor_topology_members{state=listening}", "mongoadvisor_topology_events_total{event=joined}",
		"mongoadvisor_topology_messages_total{outcome=rewritten}", "mongoadvisor_topology_unread_connections_total{reason=unframed}")
	for _, name := range want {
		if v, ok := got[name]; !ok || v != 0 {
			t.Errorf("%s: %v, exists %v", name, v, ok)
		}
	}
	for name, v := range map[string]float64{
		"mongoadvisor_build_info{revision=abc,version=1.2.3}": 1, "mongoadvisor_coverage_ratio{}": 1, "mongoadvisor_findings_untracked{}": 3,
		"mongoadvisor_config_last_reload_successful{}": 1, "mongoadvisor_config_last_reload_success_timestamp_seconds{}": 1_700_000_000,
	} {
		if got[name] != v {
			t.Errorf("%s: %v, want %v", name, got[name], v)
		}
	}
}

// A client cannot make series: the labels it could choose are from closed sets.
func TestLabelsAreFromClosedSets(t *testing.T) {
	m := NewMetrics("1.2.3", "abc")
	m.Watch(testSources())
	before := len(series(t, m))
	for _, name := range []string{"find", "invented", "x\xff", ""} {
		m.Command(&op.Operation{Command: name, Latency: time.Millisecond})
	}
	m.Command(&op.Operation{Command: op.OtherCommand})
	m.Forwarded(true, 10)
	m.Forwarded(false, 20)
	got := series(t, m)
	if len(got) != before {
		t.Errorf("%d series, %d before", len(got), before)
	}
	for name, v := range map[string]float64{
		"mongoadvisor_commands_total{command=find}": 1, "mongoadvisor_commands_total{command=other}": 1,
		"mongoadvisor_command_duration_seconds{command=find}": 1, "mongoadvisor_command_duration_seconds{command=other}": 0,
		"mongoadvisor_forwarded_bytes_total{direction=client_to_server}": 10, "mongoadvisor_forwarded_bytes_total{direction=server_to_client}": 20,
	} {
		if got[name] != v {
			t.Errorf("%s: %v, want %v", name, got[name], v)
		}
	}
}

func finding(fingerprint string, status store.Status) store.Entry {
	return store.Entry{Fingerprint: fingerprint, Rule: "Q01", Severity: analysis.High, Status: status, Namespace: "shop.a.b"}
}

func TestActiveFindingsAreCapped(t *testing.T) {
	m := NewMetrics("1.2.3", "abc")
	m.Watch(testSources(finding("1", store.Open), finding("2", store.Muted), finding("3", store.Regressed), finding("4", store.Open), finding("5", store.Fixed)))
	got := series(t, m)
	active := 0
	for name := range got {
		if strings.HasPrefix(name, "mongoadvisor_finding_active{") {
			active++
		}
	}
	if active != 2 || got["mongoadvisor_finding_active{collection=a.b,database=shop,fingerprint=3,rule=Q01,severity=high}"] != 2 || got["mongoadvisor_finding_active{collection=a.b,database=shop,fingerprint=1,rule=Q01,severity=high}"] != 1 {
		t.Errorf("%d active", active)
	}
	if got["mongoadvisor_findings_untracked{}"] != 4 || got["mongoadvisor_findings{rule=Q01,severity=high,status=open}"] != 2 {
		t.Errorf("untracked %v", got["mongoadvisor_findings_untracked{}"])
	}
}

// A name that is not UTF-8 must not cost the whole scrape.
func TestBadNamesDoNotBreakTheScrape(t *testing.T) {
	st := store.New(store.Config{Profile: store.CI})
	for _, coll := range []string{"a\xff\xfe", "quote\"new\nline\\", "\x1b[31m"} {
		o := &op.Operation{Time: time.Unix(1, 0), Command: "find", NS: op.Namespace{DB: "s\xc0", Coll: coll}}
		st.Observe(o)
		st.Record(analysis.Report{Rule: &analysis.Analyzer{ID: "Q01"}, Finding: analysis.Finding{Reason: "x"}, Op: o, Time: o.Time, NS: o.NS, Shape: op.TextShape("{x}")})
	}
	m := NewMetrics("1.2.3", "abc")
	s := testSources(st.Findings()...)
	s.MaxFindings = 10
	m.Watch(s)
	code, body := get(t, started(t, Config{Registry: m.Registry()}).Addr(), "/metrics")
	if code != 200 || strings.Count(body, "mongoadvisor_finding_active{") != 3 {
		t.Errorf("%d, %d active findings", code, strings.Count(body, "mongoadvisor_finding_active{"))
	}
	lint(t, body)
}

func TestMetricsPassTheLinter(t *testing.T) {
	m := NewMetrics("1.2.3", "abc")
	m.Watch(testSources(finding("1", store.Open)))
	m.UpstreamUp("127.0.0.1:27217", true)
	m.Command(&op.Operation{Command: "find", Latency: time.Millisecond})
	code, body := get(t, started(t, Config{Registry: m.Registry()}).Addr(), "/metrics")
	if code != 200 || !strings.Contains(body, "mongoadvisor_upstream_up{listener=\"127.0.0.1:27217\"} 1") {
		t.Fatalf("%d: %.200s", code, body)
	}
	lint(t, body)
}

// lint runs promtool over an exposition.
func lint(t *testing.T, exposition string) {
	t.Helper()
	path, err := exec.LookPath("promtool")
	if err != nil {
		if os.Getenv("CI") != "" {
			t.Fatal("promtool is not installed")
		}
		t.Skip("promtool is not installed: the exposition is not linted")
	}
	cmd := exec.CommandContext(t.Context(), path, "check", "metrics")
	cmd.Stdin = strings.NewReader(exposition)
	if out, err := cmd.CombinedOutput(); err != nil || len(out) > 0 {
		t.Errorf("promtool: %v\n%s", err, out)
	}
}
