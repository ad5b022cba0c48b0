// Package canary sends traffic that is full of tokens through everything that
// sees literals, and looks for the tokens in everything that leaves.
package canary

import (
	"bytes"
	"encoding/json"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"strings"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/x/bsonx/bsoncore"
	"go.uber.org/zap"
	"go.uber.org/zap/exp/zapslog"
	"go.uber.org/zap/zapcore"

	"mongoadvisor/analyzers"
	"mongoadvisor/internal/analysis/analysistest"
	"mongoadvisor/internal/engine"
	"mongoadvisor/internal/op"
	"mongoadvisor/internal/session"
	"mongoadvisor/internal/sink"
	"mongoadvisor/internal/store"
	"mongoadvisor/internal/web"
)

// outputs are the texts that leave, by where.
type outputs map[string]string

func raw(t testing.TB, x bson.D) bsoncore.Document {
	t.Helper()
	b, err := bson.Marshal(x)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// pass sends all traffic through and collects what leaves.
func pass(t *testing.T, tok *tokens) (outputs, []store.Entry) {
	t.Helper()
	var log bytes.Buffer
	logger := zap.New(zapcore.NewCore(zapcore.NewJSONEncoder(zap.NewProductionEncoderConfig()), zapcore.AddSync(&log), zapcore.DebugLevel))
	out := sink.NewLog(logger)
	st := store.New(store.Config{Profile: store.CI, Announce: func(e store.Entry) {
		if err := out.Emit(t.Context(), []store.Entry{e}); err != nil {
			t.Error(err)
		}
	}})
	limits := map[string]int64{
		"O05.require-comment": 1, "Q01.short-prefix": 3,
		"W04.bytes": 5000, "W05.writes": 1, "W07.hot-rate": 2, "W07.hot-seconds": 1, "W07.share": 0,
		"A04.per-minute": 3, "A05.per-hour": 3, "A05.slow": 0, "A07.medium-bytes": 1,
		"S06.documents-per-day": 4, "S06.repeats": 1,
	}
	maps.Copy(limits, operationLimits)
	eng := engine.New(engine.Config{Rules: analyzers.All(), Limits: limits, Listeners: func() []string { return []string{"127.0.0.1:1"} }, Recorder: st})
	metrics := web.NewMetrics("test", "test")
	stats := &session.Stats{}
	queue := session.NewQueue(1<<30, 0, stats)
	config := session.Config{
		Source: op.SourceProxy, Has: op.HasTraffic, Stats: stats,
		Cursors: session.NewCursors(1000, stats), Pending: session.NewPending(1 << 20),
		Emit: func(o *op.Operation) {
			metrics.Command(o)
			eng.Judge(o)
		},
	}
	stream := session.NewStream(queue, session.New(config, op.Conn{ID: 1, Client: "192.0.2.1:5"}), session.DefaultRequestLimit, session.DefaultReplyLimit)
	id := int32(0)
	for i, c := range tok.commands() {
		id += 2
		seqs := map[string][]bsoncore.Document{}
		for name, docs := range c.seqs {
			for _, x := range docs {
				seqs[name] = append(seqs[name], raw(t, x))
			}
		}
		stream.Client(analysistest.Message(id, 0, 0, raw(t, c.body), seqs))
		if c.reply == nil {
			c.reply = tok.reply(i)
		}
		stream.Server(analysistest.Message(id+1, id, 0, raw(t, c.reply), nil))
	}
	stream.Close()
	other := session.NewStream(queue, session.New(config, op.Conn{ID: 2}), 1<<10, 1<<10)
	other.Client([]byte("GET /" + tok.word() + " HTTP/1.1\r\nAuthorization: " + tok.word() + "\r\n\r\n"))
	other.Close()
	go queue.Run()
	if !queue.Close(time.Minute) {
		t.Fatal("the analysis did not end")
	}
	for _, s := range eng.Stats() {
		if s.Panics.Load() > 0 {
			t.Errorf("rule %s panicked", s.ID)
		}
	}
	if c := stats.Coverage(); c.Undecoded["panic"] > 0 || len(c.Shed) > 0 || c.Decoded < c.Messages-5 {
		t.Errorf("coverage %+v", c)
	}
	report := &sink.Report{
		Schema: store.Schema, Source: op.SourceProxy, Profile: store.CI, Coverage: stats.Coverage(), Totals: st.Totals(),
		NotJudged: []sink.NotJudged{}, Findings: st.Findings(), Rules: analyzers.All(),
	}
	for _, m := range eng.Marks() {
		report.Ignores = append(report.Ignores, sink.IdleIgnore{Mark: true, Rule: m.Rule, Namespace: m.Namespace.String(), Why: sink.IgnoreNoRule})
	}
	if len(report.Ignores) == 0 {
		t.Error("no mark was seen: the test has lost its traffic")
	}
	left := outputs{}
	for _, format := range sink.Formats {
		var b bytes.Buffer
		if err := report.Write(&b, format); err != nil {
			t.Fatal(err)
		}
		// the text report breaks lines; a token may not hide in that
		left[format] = b.String() + strings.Join(strings.Fields(b.String()), "")
	}
	var summary bytes.Buffer
	if err := report.Markdown(&summary); err != nil {
		t.Fatal(err)
	}
	left["markdown"] = summary.String()
	kept, err := json.Marshal(st.Save())
	if err != nil {
		t.Fatal(err)
	}
	left["snapshot"] = string(kept)
	serve(t, left, metrics, logger, report, st, eng, stats)
	left["log"] = log.String()
	return left, report.Findings
}

// serve collects what the web endpoint answers.
func serve(t *testing.T, out outputs, m *web.Metrics, logger *zap.Logger, report *sink.Report, st *store.Store, eng *engine.Engine, stats *session.Stats) {
	t.Helper()
	m.Watch(web.Sources{
		Rules: analyzers.All, Config: func() (bool, time.Time) { return true, time.Time{} }, Coverage: stats.Coverage, QueueBytes: func() int64 { return 0 }, Dropped: func(func(string, int64)) {}, Findings: st.Findings, Storage: func() (bool, int64, int64, time.Time) { return true, 0, 0, time.Time{} }, Occurrences: st.Occurrences,
		Untracked: func() int64 { return 0 }, MaxFindings: 10_000,
		Messages: func(each func(direction, opcode string, n int64)) {
			for d := range stats.Messages {
				for i, code := range session.OpCodes {
					each(session.Direction(d).String(), code.Label(), stats.Messages[d][i].Load())
				}
			}
		},
		Undecoded: func(func(string, int64)) {}, Shed: func(func(string, int64)) {}, Recognised: func() int64 { return 0 }, SampleRate: func() float64 { return 1 }, Notified: func(func(string, string, int64)) {},
		Topology: web.Topology{
			Members: func(func(string, int)) {}, Events: func(func(string, int64)) {},
			Messages: func(func(string, int64)) {}, Connections: func(func(string, int64)) {},
		},
		RuleWork: func(each func(string, int64, float64)) {
			for _, s := range eng.Stats() {
				each(s.ID, s.Panics.Load(), 0)
			}
		},
	})
	srv := web.New(web.Config{
		Listen: "127.0.0.1:0", Registry: m.Registry(), Logger: slog.New(zapslog.NewHandler(logger.Core())),
		API: map[string]func() any{"findings": func() any { return report }, "coverage": func() any { return stats.Coverage() }},
	})
	if err := srv.Start(); err != nil {
		t.Fatal(err)
	}
	defer srv.Shutdown(t.Context())
	for _, path := range []string{"/metrics", "/api/v1/findings", "/api/v1/coverage", "/"} {
		resp, err := http.Get("http://" + srv.Addr() + path)
		if err != nil {
			t.Fatal(err)
		}
		b, err := io.ReadAll(resp.Body)
		_ = resp.Body.Close()
		if err != nil || resp.StatusCode != http.StatusOK {
			t.Fatalf("%s: %d, %v", path, resp.StatusCode, err)
		}
		out[path] = string(b)
	}
}

// No literal leaves, whatever place it stands in.
func TestNoLiteralLeaves(t *testing.T) {
	tok := newTokens()
	out, findings := pass(t, tok)
	rules := map[string]int{}
	for _, f := range findings {
		rules[f.Rule]++
	}
	for _, a := range analyzers.All() {
		if rules[a.ID] == 0 {
			t.Errorf("no finding of %s: its texts were not searched", a.ID)
		}
	}
	if len(findings) < 100 || len(tok.texts) < 2000 {
		t.Errorf("%d findings from %d tokens: the test has lost its traffic", len(findings), len(tok.texts))
	}
	leaks, find := 0, tok.finder()
	for where, text := range out {
		if len(text) < 100 {
			t.Errorf("%s: only %q", where, text)
		}
		for _, hit := range find(text) {
			if leaks++; leaks <= 20 {
				t.Errorf("%s: a %s leaves: …%s…", where, tok.texts[text[hit[0]:hit[1]]], text[max(0, hit[0]-120):min(len(text), hit[1]+60)])
			}
		}
	}
	if leaks > 20 {
		t.Errorf("%d leaks in all", leaks)
	}
}

// The search finds what is there.
func TestNamesDoLeave(t *testing.T) {
	out, _ := pass(t, newTokens())
	for where, name := range map[string]string{"text": "people", "json": "\"namespace\": \"shop.people\"", "html": "<code dir=\"ltr\">shop.people</code>", "junit": "shop.people", "sarif": "\"fullyQualifiedName\": \"shop.people\"", "github": "%0Ain TestFind/<id>", "log": "\"finding\":{", "/metrics": "mongoadvisor_finding_active{", "/api/v1/findings": "shop.people", "snapshot": "\"collection\":\"people\""} {
		if !strings.Contains(out[where], name) {
			t.Errorf("%s does not mention %s", where, name)
		}
	}
}
