package store

import (
	"testing"
	"time"

	"mongoadvisor/internal/analysis"
	"mongoadvisor/internal/op"
)

// Findings and sums count what an operation stands for; latencies what was measured.
func TestCountsOfSamples(t *testing.T) {
	s := New(Config{Profile: Staging})
	o := &op.Operation{
		Time: start, NS: op.Namespace{DB: "shop", Coll: "orders"}, Latency: 20 * time.Millisecond,
		Sample: op.Sample{Weight: 30}, Reply: op.Reply{Seen: true, OK: true, Bytes: 100, Returned: 2},
	}
	s.Observe(o)
	s.Record(analysis.Report{Rule: &analysis.Analyzer{ID: "Q01"}, Op: o, Time: start, NS: o.NS, Count: 30})
	f := s.Findings()
	if len(f) != 1 || f[0].Count != 30 || f[0].Clients[0].Count != 30 {
		t.Fatalf("findings %+v", f)
	}
	for _, e := range f[0].Evidence {
		if e.Name == "returned_bytes" && e.Value != 3000 {
			t.Errorf("%+v", e)
		}
	}
	if got := s.Totals(); got.Operations != 30 || got.Occurrences != 30 {
		t.Errorf("totals %+v", got)
	}
	for _, e := range s.entries {
		if e.latency.n != 1 || e.latency.sum != 30*o.Latency {
			t.Errorf("%d latencies, sum %s", e.latency.n, e.latency.sum)
		}
	}
	if sum := s.namespaces[o.NS].latency; sum != 30*o.Latency {
		t.Errorf("the namespace took %s", sum)
	}
}
