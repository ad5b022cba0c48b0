package engine

import (
	"testing"

	"mongoadvisor/internal/analysis"
	"mongoadvisor/internal/op"
)

// What the server refused is seen by rules that ask for it, and is no workload;
// what is no application's is seen by none.
func TestFailedOperations(t *testing.T) {
	failed := newRule("O04", always)
	failed.Failed = true
	e, r := newEngine(Config{Rules: []*analysis.Analyzer{newRule("Q01", always), failed}})
	refused := find("orders")
	refused.Reply = op.Reply{Seen: true, Code: 13}
	e.Judge(refused)
	if len(r.reports) != 1 || r.reports[0].Rule.ID != "O04" || r.observed != 0 {
		t.Errorf("%d reports, %d observed", len(r.reports), r.observed)
	}
	for _, o := range []*op.Operation{find("orders"), find("system.views")} {
		o.Reply = op.Reply{Seen: true, Code: 13}
		o.Conn = &op.Conn{App: map[bool]string{true: "mongodump"}[o.NS.Coll == "orders"]}
		e.Judge(o)
	}
	if len(r.reports) != 1 {
		t.Errorf("a tool's errors, or those of the server's collections, were judged: %d reports", len(r.reports))
	}
	e.Judge(find("orders"))
	if len(r.reports) != 3 || r.observed != 1 {
		t.Errorf("%d reports, %d observed", len(r.reports), r.observed)
	}
}
