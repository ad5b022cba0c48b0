package engine

import (
	"sync"
	"testing"
	"time"

	"mongoadvisor/internal/analysis"
	"mongoadvisor/internal/op"
)

// counting is a rule that reports when it has seen a collection more often than its
// limit says.
func counting(id, shared string) *analysis.Analyzer {
	a := newRule(id, func(p *analysis.Pass) {
		n := p.State().(*int64)
		if *n++; *n > p.Limit("most") {
			p.Report(analysis.Finding{Reason: "seen", Message: "m"})
		}
	})
	a.State = &analysis.StateSpec{Scope: analysis.ScopeNamespace, Shared: shared, New: func() any { return new(int64) }}
	return a
}

// TestConfigureKeepsWhatWasLearnt: the count goes on over changes of limits and of other
// rules, and what the traffic told of indexes, too.
func TestConfigureKeepsWhatWasLearnt(t *testing.T) {
	rules := func(also ...*analysis.Analyzer) []*analysis.Analyzer {
		return append([]*analysis.Analyzer{counting("W01", "")}, also...)
	}
	e, r := newEngine(Config{Rules: rules()})
	for range 5 {
		e.Judge(find("orders"))
	}
	e.Judge(command(d("createIndexes", "orders", "indexes", []any{d("key", d("a", 1), "name", "a_1")})))
	if len(r.reports) != 0 {
		t.Fatalf("%d reports below the limit", len(r.reports))
	}
	e.Configure(Config{Rules: rules(newRule("Q01", always)), Limits: map[string]int64{"W01.most": 5}})
	e.Judge(find("orders"))
	if len(r.reports) != 2 || r.reports[0].Rule.ID != "W01" || r.reports[1].Rule.ID != "Q01" {
		t.Fatalf("%d reports with the sixth operation, the new limit and the new rule", len(r.reports))
	}
	if _, known := e.Indexes(find("orders").NS); !known {
		t.Error("the indexes are forgotten")
	}
	e.Configure(Config{Rules: rules()}) // the default of 7 again
	e.Judge(find("orders"))
	if len(r.reports) != 2 {
		t.Error("the seventh operation is reported although seven are allowed again")
	}
	if e.Judge(find("orders")); len(r.reports) != 3 {
		t.Error("the eighth operation is not reported")
	}
}

// TestRuleOffAndOn: a rule that was off has missed operations, so it starts afresh; its
// counters only grow.
func TestRuleOffAndOn(t *testing.T) {
	on := []*analysis.Analyzer{counting("W01", ""), newRule("Q01", func(*analysis.Pass) { panic("broken") })}
	e, r := newEngine(Config{Rules: on})
	for range 7 {
		e.Judge(find("orders"))
	}
	e.Configure(Config{Rules: nil})
	e.Judge(find("orders"))
	if got := e.Ignored(&analysis.Report{Rule: on[0], NS: find("orders").NS}); got != ruleOff {
		t.Errorf("findings of a rule that is off are muted by %q", got)
	}
	e.Configure(Config{Rules: on})
	e.Judge(find("orders"))
	if len(r.reports) != 0 {
		t.Error("a rule that was off went on counting")
	}
	stats := e.Stats()
	if len(stats) != 2 || stats[1].ID != "Q01" || stats[1].Panics.Load() != 8 {
		t.Errorf("%d counters, %d panics", len(stats), stats[1].Panics.Load())
	}
}

// TestSharedStateOutlivesOneOfItsRules: two rules share what they have learnt, and it
// stays as long as one of them is on.
func TestSharedStateOutlivesOneOfItsRules(t *testing.T) {
	a, b := counting("S01", "arrays"), counting("W01", "arrays")
	e, _ := newEngine(Config{Rules: []*analysis.Analyzer{a, b}})
	e.Judge(find("orders")) // counted by both
	e.Configure(Config{Rules: []*analysis.Analyzer{b}})
	e.Judge(find("orders"))
	e.Configure(Config{Rules: []*analysis.Analyzer{a, b}})
	e.Judge(find("orders"))
	e.keys.reset(find("orders"))
	for _, r := range e.current.rules {
		if n := *r.states.get(&e.keys).(*int64); n != 5 {
			t.Errorf("%s counts %d, want 5", r.analyzer.ID, n)
		}
	}
}

// TestIgnoreStartsAndEnds: an entry that stays goes on counting, also with another reason
// and in another place; one that comes mutes, one that goes does not any more.
func TestIgnoreStartsAndEnds(t *testing.T) {
	rules := []*analysis.Analyzer{newRule("Q01", always)}
	orders := Ignore{Rule: "Q01", Namespace: "shop.orders", Reason: "known", Until: start.AddDate(1, 0, 0)}
	items := Ignore{Rule: "Q01", Namespace: "shop.items", Reason: "known, too"}
	e, r := newEngine(Config{Rules: rules, Ignore: []Ignore{orders}})
	judge := func(coll, want string) {
		t.Helper()
		e.Judge(find(coll))
		if got := r.reports[len(r.reports)-1].Silenced; got != want {
			t.Errorf("%s is silenced by %q, want %q", coll, got, want)
		}
	}
	judge("orders", "known")
	judge("items", "")
	orders.Reason = "until the redesign"
	e.Configure(Config{Rules: rules, Ignore: []Ignore{items, orders}})
	if use := e.Ignores(); len(use) != 2 || use[0].Silenced != 0 || use[1].Silenced != 1 { // before any operation
		t.Errorf("%+v", use)
	}
	if got := e.Ignored(&analysis.Report{Rule: rules[0], NS: op.Namespace{DB: "shop", Coll: "items"}, Time: start}); got != "known, too" {
		t.Errorf("what was found before is muted by %q", got)
	}
	if use := e.Ignores(); use[0].Silenced != 1 {
		t.Errorf("an entry that mutes what was found before silences nothing: %+v", use)
	}
	judge("orders", "until the redesign")
	judge("items", "known, too")
	e.Configure(Config{Rules: rules, Ignore: []Ignore{orders}})
	judge("items", "")
	if use := e.Ignores(); len(use) != 1 || use[0].Silenced != 2 {
		t.Errorf("%+v", use)
	}
}

func TestBoundedArraysChange(t *testing.T) {
	var bounded []bool
	ask := newRule("W01", func(p *analysis.Pass) { bounded = append(bounded, p.Env.Bounded(p.Op.NS, "tags")) })
	e, _ := newEngine(Config{Rules: []*analysis.Analyzer{ask}, Listeners: func() []string { return []string{"a:1"} }})
	e.Judge(find("orders"))
	e.Configure(Config{Rules: []*analysis.Analyzer{ask}, Bounded: []string{"tags"}})
	e.Judge(find("orders"))
	if len(bounded) != 2 || bounded[0] || !bounded[1] || len(e.Listeners()) != 1 {
		t.Errorf("bounded %v, listeners %v", bounded, e.Listeners())
	}
}

// TestConfigureBesideJudging: configurations change while operations are judged and the
// counters read. The change takes effect between two operations: all rules of one belong
// to the same configuration.
func TestConfigureBesideJudging(t *testing.T) {
	var limits [2]int64
	ask := func(i int) *analysis.Analyzer {
		return newRule([]string{"Q01", "Q02"}[i], func(p *analysis.Pass) { limits[i] = p.Limit("most") })
	}
	rules := []*analysis.Analyzer{ask(0), ask(1), counting("W01", "")}
	adopted := 0
	e, _ := newEngine(Config{Rules: rules})
	var wg sync.WaitGroup
	done := make(chan struct{})
	wg.Go(func() {
		for n := int64(1); ; n++ {
			select {
			case <-done:
				return
			default:
			}
			e.Configure(Config{
				Rules: rules[:2+n%2], Limits: map[string]int64{"Q01.most": n, "Q02.most": n},
				Ignore: []Ignore{{Rule: "W01", Reason: "r"}}, Adopted: func() { adopted++ }, // on the goroutine of Judge
			})
			e.Stats()
			e.Ignores()
		}
	})
	for i := 0; i < 20_000 || adopted < 10; i++ {
		e.Judge(find("orders"))
		if limits[0] != limits[1] {
			t.Fatalf("one operation was judged with the limits %d and %d", limits[0], limits[1])
		}
		if i%1000 == 0 {
			time.Sleep(time.Microsecond) // let the other one run, on one processor too
		}
	}
	close(done)
	wg.Wait()
}
