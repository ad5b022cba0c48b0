package engine

import (
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"

	"mongoadvisor/internal/analysis"
	"mongoadvisor/internal/op"
)

func TestPanicCostsOneRuleOneOperation(t *testing.T) {
	n := 0
	broken := newRule("Q01", func(*analysis.Pass) {
		if n++; n == 2 {
			panic("broken")
		}
	})
	e, r := newEngine(Config{Rules: []*analysis.Analyzer{broken, newRule("Q02", always)}})
	for range 3 {
		e.Judge(find("orders"))
	}
	if s := e.Stats(); s[0].Panics.Load() != 1 || s[1].Panics.Load() != 0 || s[0].ID != "Q01" {
		t.Errorf("panics %d and %d", s[0].Panics.Load(), s[1].Panics.Load())
	}
	if n != 3 || len(r.reports) != 3 || r.observed != 3 {
		t.Errorf("%d calls, %d reports, %d observed", n, len(r.reports), r.observed)
	}
}

func TestUndeclaredLimitIsAPanicOfItsRule(t *testing.T) {
	e, _ := newEngine(Config{Rules: []*analysis.Analyzer{newRule("Q01", func(p *analysis.Pass) { p.Limit("absent") })}})
	e.Judge(find("orders"))
	if e.Stats()[0].Panics.Load() != 1 {
		t.Error("no panic was counted")
	}
}

func TestLimitsInForce(t *testing.T) {
	var got []int64
	ask := newRule("Q01", func(p *analysis.Pass) { got = append(got, p.Limit("most")) })
	ask.MinCount = 3
	a, _ := newEngine(Config{Rules: []*analysis.Analyzer{ask}})
	b, _ := newEngine(Config{Rules: []*analysis.Analyzer{ask}, Limits: map[string]int64{"Q01.most": 9}})
	a.Judge(find("x"))
	b.Judge(find("x"))
	if len(got) != 2 || got[0] != 7 || got[1] != 9 {
		t.Errorf("limits %v", got)
	}
}

func TestFindingIsCompleted(t *testing.T) {
	two := newRule("Q01", func(p *analysis.Pass) {
		p.Report(analysis.Finding{Reason: "seen", Statement: 1})
		p.Report(analysis.Finding{Reason: "seen", Statement: 1}) // the same again is one
		p.Report(analysis.Finding{Reason: "own", NS: op.Namespace{DB: "x", Coll: "y"}, Shape: op.TextShape("{own}"), Severity: analysis.High, Override: true, Confidence: analysis.Observed})
		p.Report(analysis.Finding{Reason: "beyond", Statement: 99})
	})
	two.MinCount = 4
	e, r := newEngine(Config{Rules: []*analysis.Analyzer{two}})
	e.Judge(command(d("update", "orders", "updates", bson.A{d("q", d("a", 1), "u", d("$set", d("b", 1))), d("q", d("c", 1), "u", d("$set", d("b", 1)))})))
	if len(r.reports) != 3 {
		t.Fatalf("%d reports", len(r.reports))
	}
	x, own := r.reports[0], r.reports[1]
	if x.NS.String() != "shop.orders" || x.Shape.Text != "{filter: {c: <number>}, update: {$set: {b: <number>}}}" || x.Severity != analysis.Medium ||
		x.Confident != analysis.Suspected || x.MinCount != 4 || x.Command != "update" || !x.Time.Equal(start) {
		t.Errorf("%+v", x)
	}
	if own.NS.String() != "x.y" || own.Shape.Text != "{own}" || own.Severity != analysis.High || own.Confident != analysis.Observed {
		t.Errorf("%+v", own)
	}
}

func TestBounded(t *testing.T) {
	e, _ := newEngine(Config{Bounded: []string{"tags", "shop.customers.addresses"}, Listeners: func() []string { return []string{"a:1"} }})
	shop := op.Namespace{DB: "shop", Coll: "customers"}
	if !e.Bounded(shop, "tags") || !e.Bounded(shop, "addresses") || e.Bounded(op.Namespace{DB: "shop", Coll: "x"}, "addresses") || e.Bounded(shop, "log") {
		t.Error("Bounded")
	}
	if len(e.Listeners()) != 1 {
		t.Error("Listeners")
	}
}

func TestStatesAreBoundedAndKeptApart(t *testing.T) {
	made := 0
	counting := func(scope analysis.Scope) *analysis.Analyzer {
		a := newRule("Q01", func(p *analysis.Pass) { *p.State().(*int)++ })
		a.State = &analysis.StateSpec{Scope: scope, Max: 3, New: func() any { made++; return new(int) }}
		return a
	}
	for _, c := range []struct {
		scope   analysis.Scope
		made    int
		evicted int64
	}{{analysis.ScopeGlobal, 1, 0}, {analysis.ScopeNamespace, 4, 1}, {analysis.ScopeConn, 5, 2}, {analysis.ScopeApp, 2, 0}} {
		made = 0
		e, _ := newEngine(Config{Rules: []*analysis.Analyzer{counting(c.scope)}})
		for i := range 4 {
			o := find([]string{"a", "b", "c", "d"}[i])
			o.Conn = &op.Conn{ID: uint64(i + 1), App: []string{"x", "y"}[i%2]}
			e.Judge(o)
		}
		o := find("d") // used last
		o.Conn = &op.Conn{ID: 99, App: "y"}
		e.Judge(o)
		if made != c.made || e.Stats()[0].Evicted.Load() != c.evicted {
			t.Errorf("scope %d: %d made, %d evicted, want %d and %d", c.scope, made, e.Stats()[0].Evicted.Load(), c.made, c.evicted)
		}
	}
	// a source without connections
	e, _ := newEngine(Config{Rules: []*analysis.Analyzer{counting(analysis.ScopeConn)}})
	o := find("a")
	o.Conn = nil
	e.Judge(o)
	if e.Stats()[0].Panics.Load() != 0 {
		t.Error("an operation without a connection is a panic")
	}
}

func TestLeastRecentlyUsedStateGoesFirst(t *testing.T) {
	a := newRule("Q01", func(p *analysis.Pass) { *p.State().(*int)++ })
	a.State = &analysis.StateSpec{Scope: analysis.ScopeNamespace, Max: 2, New: func() any { return new(int) }}
	e, _ := newEngine(Config{Rules: []*analysis.Analyzer{a}})
	for _, coll := range []string{"keep", "b", "keep", "c", "keep", "d"} {
		e.Judge(find(coll))
	}
	e.keys.reset(find("keep"))
	if n := *e.current.rules[0].states.get(&e.keys).(*int); n != 3 {
		t.Errorf("the state in use counts %d, want 3", n)
	}
}

// The same finding twice in one operation is one, also among thousands, and a
// batch of many statements takes no time that grows with its square.
func TestFindingsOfOneOperationAreTakenOnce(t *testing.T) {
	const statements = 20_000
	rule := newRule("Q01", func(p *analysis.Pass) {
		for i := range statements {
			for range 2 {
				p.Report(analysis.Finding{Reason: "seen", NS: op.Namespace{DB: "d", Coll: "c"}, Shape: op.Shape{ID: uint64(i) + 1}})
			}
		}
	})
	e, r := newEngine(Config{Rules: []*analysis.Analyzer{rule}})
	for range 2 {
		r.reports = nil
		e.Judge(find("c"))
		if len(r.reports) != statements {
			t.Errorf("%d reports", len(r.reports))
		}
	}
}

// A rule is not asked about what its source does not tell; an operation without a
// source is one of a test.
func TestNeedsAreMet(t *testing.T) {
	rule := newRule("Q01", always)
	rule.Needs = op.HasReply | op.HasEvery
	for has, want := range map[op.Has]int{0: 1, op.HasTraffic: 1, op.HasReply | op.HasEvery: 1, op.HasReply | op.HasExec: 0, op.HasEvery: 0} {
		e, r := newEngine(Config{Rules: []*analysis.Analyzer{rule}})
		o := find("orders")
		o.Has = has
		e.Judge(o)
		if len(r.reports) != want {
			t.Errorf("%s: %d reports, want %d", has, len(r.reports), want)
		}
	}
}
