// Package analysistest runs a rule over its data files, see package cases. A
// finding that is not expected fails as loudly as one that is missing.
package analysistest

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/x/bsonx/bsoncore"

	"mongoadvisor/internal/analysis"
	"mongoadvisor/internal/analysis/cases"
	"mongoadvisor/internal/engine"
	"mongoadvisor/internal/op"
	"mongoadvisor/internal/session"
	"mongoadvisor/internal/store"
	"mongoadvisor/wire"
)

// Run runs a rule over every file of its folder, named after its ID. It fails when
// an expectation of one does not hold, when bad.json or good.json are missing, a
// guard_*.json, or a limits*.json of a rule that has limits.
func Run(t *testing.T, testdata string, a *analysis.Analyzer) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(testdata, a.ID, "*.json"))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, path := range files {
		names = append(names, filepath.Base(path))
		t.Run(strings.TrimSuffix(filepath.Base(path), ".json"), func(t *testing.T) {
			f, err := cases.Load(path)
			if err != nil {
				t.Fatal(err)
			}
			RunFile(t, f, a)
		})
	}
	need := []string{"bad.json", "good.json", "guard_*.json"}
	if len(a.Limits) > 0 {
		need = append(need, "limits*.json")
	}
	for _, pattern := range need {
		if !slices.ContainsFunc(names, func(name string) bool {
			ok, _ := filepath.Match(pattern, name)
			return ok
		}) {
			t.Errorf("%s: rule %s has no %s", testdata, a.ID, pattern)
		}
	}
}

// RunFile runs a rule over one file through session, engine and store.
func RunFile(t *testing.T, f *cases.File, a *analysis.Analyzer) {
	t.Helper()
	got, st, err := Replay(f, []*analysis.Analyzer{a})
	if err != nil {
		t.Fatal(err)
	}
	for i, step := range f.Operations {
		compare(t, fmt.Sprintf("operation %d", i), step, got[i])
	}
	if f.Findings != nil {
		compareShown(t, f.Findings, st.Findings())
	}
}

// Replay sends the operations of a file through session and engine. The
// reports come per step.
func Replay(f *cases.File, rules []*analysis.Analyzer) ([][]analysis.Report, *store.Store, error) {
	return ReplayAs(f, rules, func(*op.Operation) {})
}

// ReplayAs is Replay with operations as another source would make them: change is
// called with each before it is judged.
func ReplayAs(f *cases.File, rules []*analysis.Analyzer, change func(*op.Operation)) ([][]analysis.Report, *store.Store, error) {
	limits, err := engine.ParseLimits(rules, f.Limits)
	if err != nil {
		return nil, nil, err
	}
	st := store.New(store.Config{Profile: store.CI})
	rec := &recorder{store: st}
	eng := engine.New(engine.Config{Rules: rules, Limits: limits, Bounded: f.Bounded, Listeners: func() []string { return f.Listeners }, Recorder: rec})
	stats := &session.Stats{}
	player := player{sessions: map[string]*session.Session{}, now: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)}
	player.config = session.Config{
		Source: op.SourceProxy, Has: op.HasTraffic, Stats: stats,
		Cursors: session.NewCursors(1000, stats), Pending: session.NewPending(64 << 20),
		Emit: func(o *op.Operation) {
			o.Sample.Stretch = player.stretch
			change(o)
			eng.Judge(o)
		},
	}
	start := player.now
	got := make([][]analysis.Report, len(f.Operations))
	for i, step := range f.Operations {
		if step.At > 0 {
			player.now = start.Add(step.At)
		}
		rec.reports = nil
		for range step.Repeat {
			player.play(step)
		}
		got[i] = rec.reports
	}
	for _, s := range eng.Stats() {
		if n := s.Panics.Load(); n > 0 {
			return nil, nil, fmt.Errorf("rule %s panicked %d times", s.ID, n)
		}
	}
	return got, st, nil
}

// recorder keeps the reports of one step and passes everything on.
type recorder struct {
	store   *store.Store
	reports []analysis.Report
}

func (r *recorder) Observe(o *op.Operation) { r.store.Observe(o) }
func (r *recorder) Record(x analysis.Report) {
	r.reports = append(r.reports, x)
	r.store.Record(x)
}

// player sends steps over their connections.
type player struct {
	config   session.Config
	sessions map[string]*session.Session
	now      time.Time
	id       int32
	stretch  uint64
}

func (p *player) play(step cases.Step) {
	s := p.sessions[step.Conn]
	if s == nil {
		s = session.New(p.config, op.Conn{ID: uint64(len(p.sessions) + 1), Client: "192.0.2.1:50000"})
		p.sessions[step.Conn] = s
	}
	p.now = p.now.Add(max(step.After, time.Millisecond))
	if step.Gap {
		p.stretch++
	}
	p.id += 2
	var flags wire.MsgFlags
	if step.NoReply {
		flags = wire.MoreToCome
	}
	if notice := op.Str(op.Get(step.Command, op.Notice)); notice != "" {
		s.Notice(p.now, op.NoticeKind(notice))
		return
	}
	s.Request(p.now, parsed(Message(p.id, 0, flags, step.Command, step.Sequences)))
	if step.NoReply {
		return
	}
	reply := step.Reply
	if reply == nil {
		reply = bsoncore.BuildDocument(nil, bsoncore.AppendDoubleElement(nil, "ok", 1))
	}
	s.Reply(p.now.Add(step.Latency), parsed(Message(p.id+1, p.id, 0, reply, nil)))
}

// compare matches expected and reported findings of one step in any order.
func compare(t *testing.T, where string, step cases.Step, got []analysis.Report) {
	t.Helper()
	var missing []cases.Want
	left := slices.Clone(got)
	for _, w := range step.Want {
		for range step.Repeat {
			i := slices.IndexFunc(left, func(r analysis.Report) bool { return matches(w, r) })
			if i < 0 {
				missing = append(missing, w)
				break
			}
			left = slices.Delete(left, i, i+1)
		}
	}
	for _, w := range missing {
		t.Errorf("%s: missing finding %+v", where, w)
	}
	for _, r := range left {
		t.Errorf("%s: unexpected finding %s/%s %v on %s, %s: %s", where, r.Rule.ID, r.Finding.Reason, r.Finding.Fields, r.NS, r.Severity, r.Finding.Message)
	}
}

func matches(w cases.Want, r analysis.Report) bool {
	return w.Reason == r.Finding.Reason &&
		(w.Fields == nil || slices.Equal(w.Fields, r.Finding.Fields)) &&
		(w.Namespace == "" || w.Namespace == r.NS.String()) &&
		(w.Severity == "" || w.Severity == r.Severity.String()) &&
		(w.Statement == nil || *w.Statement == r.Finding.Statement)
}

func compareShown(t *testing.T, want []cases.Shown, got []store.Entry) {
	t.Helper()
	left := slices.Clone(got)
	for _, w := range want {
		i := slices.IndexFunc(left, func(e store.Entry) bool {
			return w.Reason == e.Reason && (w.Namespace == "" || w.Namespace == e.Namespace) &&
				(w.Count == 0 || w.Count == e.Count) && (w.Severity == "" || w.Severity == e.Severity.String()) &&
				(w.Status == "" || w.Status == string(e.Status))
		})
		if i < 0 {
			t.Errorf("report: missing %+v", w)
			continue
		}
		left = slices.Delete(left, i, i+1)
	}
	for _, e := range left {
		t.Errorf("report: unexpected %s on %s, %d times, %s, %s", e.Reason, e.Namespace, e.Count, e.Severity, e.Status)
	}
}

// Files lists the data files below a folder, for tests over all rules.
func Files(root string) ([]string, error) {
	var out []string
	err := filepath.WalkDir(root, func(path string, d os.DirEntry, err error) error {
		if err == nil && filepath.Ext(path) == ".json" {
			out = append(out, path)
		}
		return err
	})
	return out, err
}
