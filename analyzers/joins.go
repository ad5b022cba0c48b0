package analyzers

import (
	"time"

	"go.mongodb.org/mongo-driver/v2/x/bsonx/bsoncore"

	"mongoadvisor/internal/analysis"
	"mongoadvisor/internal/op"
	"mongoadvisor/internal/sketch"
)

// joins counts what is joined by the reads of one collection: the most frequent
// pairs are kept.
type joins struct {
	byKey *sketch.Top[*joined]
}

// joined is one pair of collections, or one chain of them.
type joined struct {
	calls   int64
	rate    *sketch.Rate // of the last minute
	longest int          // the longest joined array a reply showed
	deepest int          // levels of a $graphLookup a reply showed
}

// maxJoins bounds the pairs kept of one collection.
const maxJoins = 128

func joinState() *analysis.StateSpec {
	return &analysis.StateSpec{Scope: analysis.ScopeNamespace, Max: 256, New: func() any { return &joins{byKey: sketch.NewTop[*joined](maxJoins)} }}
}

// count takes one call in.
func (j *joins) count(key uint64, at time.Time) (known *joined, perMinute int64) {
	item := j.byKey.Add(key, 1)
	if item.Value == nil {
		item.Value = &joined{rate: sketch.NewRate(time.Minute)}
	}
	item.Value.calls++
	return item.Value, item.Value.rate.Add(at, 1)
}

// joinWeight is how much of a collection's reads a join is, and what that means.
type joinWeight struct {
	severity analysis.Severity
	evidence []analysis.Evidence
	// stale: the joined collection is written so often that copies of it would be
	// out of date most of the time.
	stale bool
}

// weighJoin counts a call and judges its share and its rate. Below min-reads a share
// says nothing.
func weighJoin(p *analysis.Pass, key uint64, local, from op.Namespace) (joinWeight, *joined) {
	known, perMinute := p.State().(*joins).count(key, p.Now)
	w := joinWeight{severity: analysis.Medium, evidence: []analysis.Evidence{
		{Name: "calls_beside_atlas", Value: known.calls, Limit: atlasLookups, Unit: "operations"},
		{Name: "per_minute", Value: perMinute, Limit: p.Limit("high-rate"), Unit: "operations"},
	}}
	reads := p.Env.Traffic(local).Reads
	if reads >= p.Limit("min-reads") {
		share := min(100*known.calls/reads, 100)
		w.evidence = append(w.evidence, analysis.Evidence{Name: "share_of_reads", Value: share, Limit: p.Limit("high-share"), Unit: "%"})
		switch {
		case share >= p.Limit("high-share"):
			w.severity = analysis.High
		case share < p.Limit("medium-share"):
			w.severity = analysis.Low
		}
		// what is new has no copies that could go stale
		if writes := p.Env.Traffic(from).Changes; from.Coll != "" && 100*writes > p.Limit("stale-writes")*reads {
			w.stale = true
			w.evidence = append(w.evidence, analysis.Evidence{Name: "changes_per_100_reads", Value: 100 * writes / reads, Limit: p.Limit("stale-writes"), Unit: "operations"})
		}
	}
	if perMinute >= p.Limit("high-rate") {
		w.severity = analysis.High
	}
	if w.stale {
		w.severity = w.severity.Lower()
	}
	return w, known
}

// atlasLookups is the number of queries with a $lookup beyond which Atlas advises.
const atlasLookups = 100

// maxReplyDocs is how many documents of a reply are looked into.
const maxReplyDocs = 16

// longestArray is the longest array at a field of the documents of a reply.
func longestArray(r op.Reply, name string) int {
	longest := 0
	for _, d := range r.Docs[:min(len(r.Docs), maxReplyDocs)] {
		if v := op.Get(d, name); v.Type == bsoncore.TypeArray {
			longest = max(longest, op.Len(v))
		}
	}
	return longest
}
