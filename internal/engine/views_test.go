package engine

import (
	"fmt"
	"strings"
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"

	"mongoadvisor/internal/analysis"
	"mongoadvisor/internal/op"
)

// viewEngine runs a rule that keeps what it saw of the last read.
func viewEngine() (*Engine, *recorder, func() op.Statement) {
	var last op.Statement
	rule := newRule("A01", func(p *analysis.Pass) {
		last = p.Op.Statements()[0]
		always(p)
	})
	rule.Commands = []string{"find", "aggregate", "count"}
	e, r := newEngine(Config{Rules: []*analysis.Analyzer{rule}})
	return e, r, func() op.Statement { return last }
}

func lookupView(name string) bson.D {
	return d("create", name, "viewOn", "orders", "pipeline", bson.A{d("$lookup", d("from", "users", "localField", "u", "foreignField", "_id", "as", "user"))})
}

// TestViewsAreReadThrough: the stages of a view are those of every read of it.
func TestViewsAreReadThrough(t *testing.T) {
	e, r, last := viewEngine()
	e.Judge(command(lookupView("wide")))
	e.Judge(command(d("create", "wider", "viewOn", "wide", "pipeline", bson.A{d("$match", d("open", true))})))
	e.Judge(find("wider"))
	s := last()
	var stages []string
	for st := range s.Stages() {
		stages = append(stages, st.Name)
	}
	if s.NS.Coll != "orders" || s.View != "wider" || strings.Join(stages, " ") != "$lookup $match $match" || s.Filter != nil {
		t.Errorf("on %s through %q: %v, filter %v", s.NS, s.View, stages, s.Filter)
	}
	if got := r.reports[0]; got.NS.Coll != "orders" || !strings.HasSuffix(got.Finding.Message, "through the view wider") {
		t.Errorf("%s: %s", got.NS, got.Finding.Message)
	}
	if n := e.Traffic(op.Namespace{DB: "shop", Coll: "orders"}).Reads; n != 1 {
		t.Errorf("%d reads of the collection below", n)
	}
	e.Judge(command(d("collMod", "wide", "viewOn", "orders", "pipeline", bson.A{d("$match", d("x", 1))})))
	e.Judge(find("wide"))
	if s := last(); s.Filter == nil || op.FirstKey(s.Pipeline[0]) != "$match" {
		t.Errorf("a filter on a view that only filters is no filter of the collection any more")
	}
	e.Judge(command(d("drop", "wide")))
	e.Judge(find("wide"))
	if s := last(); s.View != "" || s.NS.Coll != "wide" {
		t.Errorf("a view that was dropped is read through")
	}
}

func TestViewsOfListCollections(t *testing.T) {
	e, _, last := viewEngine()
	list := command(d("listCollections", 1))
	raw, err := bson.Marshal(d("name", "wide", "type", "view", "options", d("viewOn", "orders", "pipeline", bson.A{d("$match", d("x", 1))})))
	if err != nil {
		t.Fatal(err)
	}
	list.NS.Coll = ""
	list.Reply.Docs = append(list.Reply.Docs, raw)
	e.Judge(list)
	e.Judge(find("wide"))
	if s := last(); s.View != "wide" {
		t.Errorf("on %s", s.NS)
	}
}

// TestViewsAreBounded: views of a loop end, and there is a cap.
func TestViewsAreBounded(t *testing.T) {
	e, _, _ := viewEngine()
	e.Judge(command(d("create", "a", "viewOn", "b", "pipeline", bson.A{})))
	e.Judge(command(d("create", "b", "viewOn", "a", "pipeline", bson.A{})))
	e.Judge(find("a"))
	for i := range maxViews + 10 {
		e.Judge(command(lookupView(fmt.Sprintf("v%d", i))))
		e.Judge(command(lookupView(fmt.Sprintf("v%d", i/2))))
	}
	if n := len(e.views.byNS); n != maxViews {
		t.Errorf("%d views are kept", n)
	}
	e.Judge(command(d("dropDatabase", 1)))
	if len(e.views.byNS) != 0 || e.views.bytes != 0 {
		t.Errorf("%d views with %d bytes are left", len(e.views.byNS), e.views.bytes)
	}
}

// TestSharedStateIsOne: rules that name the same state see the same.
func TestSharedStateIsOne(t *testing.T) {
	seen := 0
	count := func(p *analysis.Pass) {
		n := p.State().(*int)
		*n++
		seen = *n
	}
	spec := func() *analysis.StateSpec {
		return &analysis.StateSpec{Scope: analysis.ScopeNamespace, Shared: "count", New: func() any { return new(int) }}
	}
	a, b := newRule("Q01", count), newRule("Q02", count)
	a.State, b.State = spec(), spec()
	e, _ := newEngine(Config{Rules: []*analysis.Analyzer{a, b}})
	e.Judge(find("orders"))
	e.Judge(find("orders"))
	if seen != 4 {
		t.Errorf("the shared state counted %d of 4 calls", seen)
	}
}

// TestClientScope: one application on one host is one client, whatever the port.
func TestClientScope(t *testing.T) {
	seen := map[string]int{}
	rule := newRule("Q11", func(p *analysis.Pass) {
		n := p.State().(*int)
		*n++
		seen[p.Op.Conn.App] = max(seen[p.Op.Conn.App], *n)
	})
	rule.State = &analysis.StateSpec{Scope: analysis.ScopeClient, New: func() any { return new(int) }}
	e, _ := newEngine(Config{Rules: []*analysis.Analyzer{rule}})
	for _, c := range []op.Conn{{App: "web", Client: "10.0.0.1:1"}, {App: "web", Client: "10.0.0.1:2"}, {App: "web", Client: "10.0.0.2:1"}, {App: "batch", Client: "10.0.0.1:3"}} {
		o := find("orders")
		o.Conn = &c
		e.Judge(o)
	}
	if seen["web"] != 2 || seen["batch"] != 1 {
		t.Errorf("most calls per client %v", seen)
	}
}

// TestViewOfTheSource: a log says what a view stands on, whatever the engine knows.
func TestViewOfTheSource(t *testing.T) {
	e, r, last := viewEngine()
	e.Judge(command(lookupView("wide")))
	o := find("wide")
	o.View = &op.View{Name: "wide", On: "other"}
	e.Judge(o)
	if s := last(); s.NS.Coll != "other" || s.View != "wide" || r.reports[0].NS.Coll != "other" {
		t.Errorf("on %s through %q, reported on %s", s.NS, s.View, r.reports[0].NS)
	}
}
