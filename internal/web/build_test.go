package web

import (
	"io"
	"log/slog"
	"net/http"
	"testing"
	"time"

	"mongoadvisor/internal/analysis"
	"mongoadvisor/internal/op"
	"mongoadvisor/internal/store"
)

var rules = []*analysis.Analyzer{{ID: "Q01"}, {ID: "W02"}}

// sources are those of a process that has seen nothing but findings.
func testSources(findings ...store.Entry) Sources {
	return Sources{
		Rules: func() []*analysis.Analyzer { return rules }, Coverage: func() op.Coverage { return op.Coverage{Ratio: 1} }, QueueBytes: func() int64 { return 0 },
		Dropped: func(each func(string, int64)) { each("cursor", 0) },
		Messages: func(each func(direction, opcode string, n int64)) {
			each("client", "OP_MSG", 0)
			each("server", "OP_MSG", 0)
		},
		Undecoded:  func(each func(reason string, n int64)) { each("malformed", 0) },
		Recognised: func() int64 { return 0 }, SampleRate: func() float64 { return 1 },
		Shed:     func(each func(reason string, n int64)) { each("queue_full", 0) },
		Findings: func() []store.Entry { return findings }, Occurrences: func() map[store.Occurrence]int64 { return nil },
		Untracked: func() int64 { return 3 },
		RuleWork: func(each func(rule string, panics int64, seconds float64)) {
			for _, r := range rules {
				each(r.ID, 0, 0)
			}
		},
		Notified: func(each func(sink, outcome string, n int64)) { each("log", "delivered", 0) },
		Storage:  func() (bool, int64, int64, time.Time) { return true, 7, 1, time.Unix(1_700_000_000, 0) },
		Topology: Topology{
			Members: func(each func(string, int)) { each("listening", 0) }, Events: func(each func(string, int64)) { each("joined", 0) },
			Messages: func(each func(string, int64)) { each("rewritten", 0) }, Connections: func(each func(string, int64)) { each("unframed", 0) },
		},
		Config: func() (bool, time.Time) { return true, time.Unix(1_700_000_000, 0) }, MaxFindings: 2,
	}
}

// started is a server on a free port.
func started(t *testing.T, c Config) *Server {
	t.Helper()
	c.Listen = "127.0.0.1:0"
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	if c.Registry == nil {
		m := NewMetrics("1.2.3", "abc")
		m.Watch(testSources())
		c.Registry = m.Registry()
	}
	s := New(c)
	if err := s.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Shutdown(t.Context()) })
	return s
}

// get asks for a path and returns status and body.
func get(t *testing.T, address, path string, change ...func(*http.Request)) (int, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+address+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range change {
		f(req)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(b)
}
