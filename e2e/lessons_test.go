package e2e

import (
	"slices"
	"strings"
	"testing"

	"mongoadvisor/analyzers"
	"mongoadvisor/internal/demo"
	"mongoadvisor/internal/demo/mongod/mongodtest"
)

// TestLessons runs both sides of every exercise through the proxy: each
// avoided side is flagged with its rule, namespace and field, and each
// preferred side stays silent.
func TestLessons(t *testing.T) {
	server := mongodtest.Start(t)
	if err := demo.Seed(t.Context(), connect(t, server.URI(), "seed")); err != nil {
		t.Fatal(err)
	}
	p := startProxy(t, server.Addr())
	before, after := connect(t, p.uri(""), "shop-before"), connect(t, p.uri(""), "shop-after")
	if err := demo.Run(t.Context(), before, after, 3, nil); err != nil {
		t.Fatal(err)
	}
	p.settled()
	found, coverage := p.report()
	built := map[string]bool{}
	for _, a := range analyzers.All() {
		built[a.ID] = true
	}
	checked := 0
	for _, e := range demo.Exercises() {
		for _, rule := range e.Rules {
			// the one run of the $expr join is below the floor of A01, and its own finding
			if !built[rule] {
				continue
			}
			checked++
			if !slices.ContainsFunc(found, func(f finding) bool {
				return f.Rule == rule && f.Namespace == demo.Database+"."+e.Namespace && (e.Field == "" || slices.Contains(f.Fields, e.Field))
			}) {
				t.Errorf("%s: no finding of %s on %s %s", e.Name, rule, e.Namespace, e.Field)
			}
		}
	}
	if checked < 35 {
		t.Errorf("only %d expectations were checked", checked)
	}
	for _, f := range found {
		for _, c := range f.Clients {
			if c.App == "shop-after" {
				t.Errorf("a preferred side was flagged: %s %s on %s %v: %s", f.Rule, f.Reason, f.Namespace, f.Fields, f.Message)
			}
		}
		if f.Fix.Text == "" {
			t.Errorf("%s on %s has no fix", f.Rule, f.Namespace)
		}
	}
	if coverage["ratio"] != 1.0 {
		t.Errorf("coverage %v, want all: %v", coverage["ratio"], coverage)
	}
	wantFix(t, found, "Q02", "shop.customers", "address.city", `createIndex({ "address.city": 1 }, { collation`, `.collation({ locale: "en", strength: 2 })`)
	wantFix(t, found, "W01", "shop.posts", "comments", "$each", "$slice", "db.comments.insertOne")
}

func wantFix(t *testing.T, found []finding, rule, ns, field string, parts ...string) {
	t.Helper()
	for _, f := range found {
		if f.Rule == rule && f.Namespace == ns && slices.Contains(f.Fields, field) {
			for _, part := range parts {
				if !strings.Contains(f.Fix.Mongosh, part) {
					t.Errorf("fix of %s on %s lacks %q: %s", rule, ns, part, f.Fix.Mongosh)
				}
			}
			return
		}
	}
	t.Errorf("no finding of %s on %s %s", rule, ns, field)
}
