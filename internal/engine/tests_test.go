package engine

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"mongoadvisor/internal/analysis"
	"mongoadvisor/internal/op"
)

// suite sends markers and finds over connections of one application.
type suite struct {
	engine   *Engine
	recorder *recorder
	now      time.Time
	app      string
}

func newSuite() *suite {
	e, r := newEngine(Config{Rules: []*analysis.Analyzer{newRule("Q01", always)}})
	return &suite{e, r, start, "tests"}
}

func (s *suite) send(conn uint64, o *op.Operation) {
	s.now = s.now.Add(time.Millisecond)
	o.Time = s.now
	o.Conn = &op.Conn{ID: conn, App: s.app, Driver: "driver 1", Client: fmt.Sprintf("192.0.2.1:%d", conn)}
	s.engine.Judge(o)
}

func (s *suite) ping(conn uint64, comment string) {
	s.send(conn, command(d("ping", 1, "comment", comment)))
}

// step is "2 begin A" for a marker on connection 2, and "2" for a find on it, which
// gives the tests it is found in.
func (s *suite) step(text string) string {
	var conn uint64
	if _, err := fmt.Sscan(text, &conn); err != nil {
		panic(err)
	}
	if _, what, marker := strings.Cut(text, " "); marker {
		s.ping(conn, "mongoadvisor:"+what)
		return ""
	}
	before := len(s.recorder.reports)
	names := ""
	s.engine.recorder = keepTests{s.recorder, &names}
	s.send(conn, find("orders"))
	if len(s.recorder.reports) != before+1 {
		panic("no finding")
	}
	return names
}

// keepTests reads the tests of a report while they are valid.
type keepTests struct {
	*recorder
	names *string
}

func (k keepTests) Record(r analysis.Report) {
	*k.names = strings.Join(r.Tests, ",")
	k.recorder.Record(r)
}

func TestFindingsAreOfTheOpenTests(t *testing.T) {
	for name, c := range map[string][]string{
		"none":                    {"1="},
		"over the pool":           {"1 begin A", "2=A", "1=A", "1 end A", "2="},
		"in sequence":             {"1 begin A", "1=A", "1 end A", "1 begin B", "2=B", "1 end B", "1="},
		"end without a name":      {"1 begin A", "1 end", "1=", "2 begin B", "1=B", "1 end", "1="},
		"in parallel":             {"1 begin A", "2 begin B", "3=A,B", "1 end A", "3=B", "2 end B", "3="},
		"ends out of order":       {"1 begin A", "2 begin B", "2 end A", "3=B"},
		"own end first":           {"1 begin A", "2 begin B", "1 end", "3=B"},
		"same name twice":         {"1 begin A", "2 begin A", "3=A", "1 end A", "3=A", "2 end A", "3="},
		"begun again":             {"1 end", "1 begin A", "1 begin A", "1 end A", "1="},
		"no ends, one connection": {"1 begin A", "1=A", "1 begin B", "1=B", "2=B"},
		"no ends, known at last": {
			"1 begin 1", "2 begin 2", "3 begin 3", "4 begin 4", "9=1,2,3,4", "5 begin 5", "6 begin 6", "7 begin 7", "8 begin 8", "1 begin 9", "9=9", "2 begin 10", "9=10",
		},
		"ends come later":            {"1 begin A", "1 begin B", "1=B", "2 end B", "1=A", "1 end A", "1="},
		"an end first":               {"1 end", "1 begin A", "1 begin B", "1=A,B"},
		"more than are named":        {"1 end", "1 begin A", "1 begin B", "1 begin C", "1 begin D", "1 begin E", "1=B,C,D,E"},
		"end of a test nobody began": {"1 begin A", "1 end B", "1=A"},
		"no name":                    {"1 begin", "1=", "1 begin  ", "1="},
		"other marks":                {"1 beginning A", "1=", "1 ignore Q01 x", "1="},
		"cleaned":                    {"1 begin TestFind/alice@example.com", "1=TestFind/<id>", "1 end TestFind/bob@example.com", "1="},
	} {
		s := newSuite()
		for _, text := range c {
			step, want, asks := strings.Cut(text, "=")
			if got := s.step(step); asks && got != want {
				t.Errorf("%s: at %q: %q", name, text, got)
			}
		}
	}
}

// TestTestsOfOthers: what is open holds for one application, driver and host.
func TestTestsOfOthers(t *testing.T) {
	s := newSuite()
	s.step("1 begin A")
	s.app = "other"
	if got := s.step("1"); got != "" {
		t.Errorf("another application: %q", got)
	}
	s.step("1 begin B")
	s.app = "tests"
	if got := s.step("2"); got != "A" {
		t.Errorf("%q", got)
	}
	o := command(d("find", "orders"))
	for what, c := range map[string]*op.Conn{
		"driver": {ID: 3, App: "tests", Driver: "driver 2", Client: "192.0.2.1:3"}, "host": {ID: 3, App: "tests", Driver: "driver 1", Client: "192.0.2.2:3"}, "nobody": nil,
	} {
		o.Conn = c
		if got := s.engine.tests.during(o); len(got) > 0 {
			t.Errorf("another %s: %q", what, got)
		}
	}
}

// TestMarkersAreNoWorkload: nothing counts them, and nothing is found in them.
func TestMarkersAreNoWorkload(t *testing.T) {
	s := newSuite()
	s.step("1 begin A")
	s.step("1 end A")
	if s.recorder.observed != 0 || len(s.recorder.reports) != 0 {
		t.Errorf("%d observed, %d findings", s.recorder.observed, len(s.recorder.reports))
	}
}

func TestTestsAreBounded(t *testing.T) {
	s := newSuite()
	s.step("1 end")
	for i := range 2 * maxOpenTests {
		s.step(fmt.Sprintf("1 begin Test%d", i))
	}
	scope := testScope{"tests", "driver 1", "192.0.2.1"}
	if open := s.engine.tests.byScope[scope].Value.(*scopeTests).open; len(open) != maxOpenTests || open[0].name != "Test64" {
		t.Errorf("%d are open, from %q on", len(open), open[0].name)
	}
	if s.now = s.now.Add(maxTestTime); s.step("1") != "" {
		t.Error("a test whose end never came is open for ever")
	}
	for i := range 2 * maxTestScopes {
		s.app = fmt.Sprint("app", i)
		s.step("1 begin A")
	}
	if n := len(s.engine.tests.byScope); n != maxTestScopes || s.engine.tests.order.Len() != n {
		t.Errorf("%d scopes", n)
	}
	if _, there := s.engine.tests.byScope[scope]; there {
		t.Error("the scope that was marked first is still there")
	}
}

// TestMarksAreAccountedFor: what marks name, silence, and do not explain.
func TestMarksAreAccountedFor(t *testing.T) {
	e, _ := newEngine(Config{Rules: []*analysis.Analyzer{newRule("Q01", always)}})
	for _, comment := range []string{"mongoadvisor:ignore Q01 a reason", "mongoadvisor:ignore Q01,Q99", "mongoadvisor:ignore", "nothing"} {
		o := find("orders")
		o.Comment = comment
		e.Judge(o)
	}
	shop := op.Namespace{DB: "shop", Coll: "orders"}
	want := []MarkUse{{shop, "", 0, true}, {shop, "Q01", 2, true}, {shop, "Q99", 0, true}}
	if got := e.Marks(); !slices.Equal(got, want) {
		t.Errorf("%+v", got)
	}
	for i := range 2 * maxMarks {
		o := find(fmt.Sprint("orders", i))
		o.Comment = "mongoadvisor:ignore Q01 x"
		e.Judge(o)
	}
	if n := len(e.Marks()); n != maxMarks {
		t.Errorf("%d marks", n)
	}
}
