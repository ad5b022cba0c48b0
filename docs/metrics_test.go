package docs_test

import (
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	dto "github.com/prometheus/client_model/go"

	"mongoadvisor/analyzers"
	"mongoadvisor/internal/analysis"
	"mongoadvisor/internal/op"
	"mongoadvisor/internal/store"
	"mongoadvisor/internal/web"
)

// TestMetrics compares metrics.md with what a process exposes: names, types
// and labels.
func TestMetrics(t *testing.T) {
	documented := map[string]string{}
	for _, cells := range rows(read(t, "metrics.md")) {
		if name := strings.Trim(cells[0], "`"); strings.HasPrefix(name, "mongoadvisor_") && len(cells) == 4 {
			var names []string
			for _, m := range code.FindAllStringSubmatch(cells[2], -1) {
				names = append(names, m[1])
			}
			slices.Sort(names)
			documented[name] = cells[1] + " " + strings.Join(names, ",")
		}
	}
	exposed := exposition(t)
	for _, name := range slices.Sorted(maps.Keys(exposed)) {
		switch is := exposed[name]; documented[name] {
		case is:
		case "":
			t.Errorf("metrics.md lacks %s: %s", name, is)
		default:
			t.Errorf("metrics.md has %s as %q, it is %q", name, documented[name], is)
		}
	}
	for name := range documented {
		if exposed[name] == "" {
			t.Errorf("metrics.md has %s, which does not exist", name)
		}
	}
}

// exposition is "type label,label" by name, of a process with one finding.
func exposition(t *testing.T) map[string]string {
	t.Helper()
	m := web.NewMetrics("1.2.3", "abc")
	m.Refusable("limit")
	m.UpstreamUp("127.0.0.1:27217", true)
	m.Watch(web.Sources{
		Rules: analyzers.All, Storage: func() (bool, int64, int64, time.Time) { return true, 0, 0, time.Time{} }, Config: func() (bool, time.Time) { return true, time.Time{} },
		Coverage:   func() op.Coverage { return op.Coverage{} },
		QueueBytes: func() int64 { return 0 }, Dropped: func(each func(string, int64)) { each("cursor", 0) },
		Messages:   func(each func(direction, opcode string, n int64)) { each("client", "OP_MSG", 0) },
		Undecoded:  func(each func(reason string, n int64)) { each("malformed", 0) },
		Recognised: func() int64 { return 0 }, SampleRate: func() float64 { return 1 },
		Shed: func(each func(reason string, n int64)) { each("queue_full", 0) },
		Findings: func() []store.Entry {
			return []store.Entry{{Rule: "Q01", Status: store.Open, Severity: analysis.Low, Namespace: "a.b"}}
		},
		Occurrences: func() map[store.Occurrence]int64 { return nil },
		Untracked:   func() int64 { return 0 },
		RuleWork:    func(each func(rule string, panics int64, seconds float64)) { each("Q01", 0, 0) },
		Notified:    func(each func(sink, outcome string, n int64)) { each("log", "delivered", 0) },
		Topology: web.Topology{
			Members: func(each func(string, int)) { each("listening", 0) }, Events: func(each func(string, int64)) { each("joined", 0) },
			Messages: func(each func(string, int64)) { each("rewritten", 0) }, Connections: func(each func(string, int64)) { each("unframed", 0) },
		},
		MaxFindings: 1,
	})
	families, err := m.Registry().Gather()
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	for _, f := range families {
		if strings.HasPrefix(f.GetName(), "mongoadvisor_") {
			out[f.GetName()] = strings.ToLower(f.GetType().String()) + " " + labels(f.GetMetric()[0])
		}
	}
	return out
}

func labels(m *dto.Metric) string {
	var names []string
	for _, l := range m.GetLabel() {
		names = append(names, l.GetName())
	}
	slices.Sort(names)
	return strings.Join(names, ",")
}
