package analyzers

import (
	"time"

	"mongoadvisor/internal/analysis"
	"mongoadvisor/internal/op"
)

func unindexedQuery() *analysis.Analyzer {
	return &analysis.Analyzer{
		ID: "Q10", Name: "unindexed-query", Since: "0.2.0", Severity: analysis.High, Needs: op.HasReply | op.HasLatency,
		Title:    "Queries that no index seems to serve",
		Commands: []string{"find", "aggregate", "count", "update", "delete", "findAndModify"}, Run: runUnindexedQuery,
		State: &analysis.StateSpec{Scope: analysis.ScopeNamespace, New: func() any { return newPace() }},
		Reasons: []analysis.Reason{
			{Name: "collscan", Doc: "no index starts with a field of the conditions, or none is known, and it takes long to find little"},
			{Name: "sort-in-memory", Doc: "no index gives the order, and it takes long to return little"},
			{Name: "or-branch", Doc: "one branch of an `$or` has no index, which makes the others useless"},
			{Name: "poor-targeting", Doc: "many times more documents are examined than returned (sources with execution statistics)"},
		},
		Limits: []analysis.Limit{
			{Name: "slow-ms", Default: 100, Unit: "milliseconds", Doc: "latency above the fastest operation of the collection from which a call is slow"},
			{Name: "few-documents", Default: 100, Unit: "documents", Doc: "documents up to which a reply is small"},
			{Name: "repeats", Default: 5, Unit: "calls", Doc: "slow calls of one statement from which it is reported"},
			{Name: "low-ratio", Default: 10, Unit: "documents", Doc: "documents examined for one returned above which targeting is poor, as low"},
			{Name: "medium-ratio", Default: 100, Unit: "documents", Doc: "documents examined for one returned above which it is medium"},
			{Name: "high-ratio", Default: 1000, Unit: "documents", Doc: "documents examined for one returned above which it is high"},
			{Name: "examined", Default: 500, Unit: "documents", Doc: "documents examined in vain up to which targeting is not looked at (Atlas: 500)"},
		},
		Doc: analysis.Doc{
			What: "A statement that needs long to return little, again and again, while none of the indexes that were seen could serve its conditions or its order. On the wire the server does not say how it ran, so this is a suspicion; logs and the profiler do say it, and then it is an observation.",
			Why: "Without an index every document is read, whatever is returned. Measured on MongoDB 6.0.5 with 100,000 documents of 86 bytes: a find by a field without an index read all of them to return 10, in 44 to 60 ms; with the index it read 10 keys and 10 documents, in 0.3 to 0.4 ms. " +
				"For the newest 20 without an index for the order all 100,000 were read and sorted, and 20 with it. An `$or` with an index for one of its two branches read all 100,000, and 20 with one for each.",
			Fix: "One index for conditions and order: fields compared by equality (and lists up to 200 values), then those of the order in its direction, then ranges. Four fields at most; an index that serves several statements is better than one for each. Each index is written with every document.",
			Guards: "Silent when Q01 to Q07 say why no index can help, and for a deep skip (Q08). Silent when an index that was seen starts with a field of the conditions; for `_id`; with a hint; for text and geo searches; for a reply that is not small, and for `$group` and counts of many, whose output says nothing of what was read. Where no index was ever seen, half of the calls must be slow, it is one step less severe, and writes are left out: they wait for the write concern, too. " +
				"What is fast in a small collection is not slow here. Silent when reads by `_id` in the same collection are slow, too: then the server or the network is. Wrong here when the index is there and was made before this proxy saw anything: `getIndexes()` tells.",
			Lesson: "Trees and patterns: COLLSCAN against IXSCAN; the manual's ESR guideline.",
		},
	}
}

// pace is how fast the statements of one collection are.
type pace struct {
	slow           *slowCalls
	fastest        time.Duration
	byID, byIDSlow int64
	wasteful       *slowCalls // those that examine much for little
}

func newPace() *pace { return &pace{slow: newSlowCalls(), wasteful: newSlowCalls()} }

func runUnindexedQuery(p *analysis.Pass) {
	o := p.Op
	statements := o.Statements()
	if len(statements) != 1 || !o.Reply.Seen || !o.Reply.OK {
		return
	}
	s := &statements[0]
	pace := p.State().(*pace)
	if o.Has&op.HasExec != 0 {
		judgeExamined(p, pace, s)
		return
	}
	n, slow := pace.take(p, s)
	if !slow || n.slow < p.Limit("repeats") || !n.oneInTwenty() || !littleBack(p, s) || explained(p, s) {
		return
	}
	w, ok := wantedIndex(s)
	if !ok || pace.byIDSlow*20 >= pace.byID && pace.byIDSlow > 0 {
		return
	}
	indexes, known := p.Env.Indexes(s.NS)
	if !known && (n.slow*2 < n.calls || o.Kind == op.KindWrite) {
		return
	}
	reason, branches := missingIndex(&w, indexes)
	if reason == "" {
		return
	}
	f := unindexedFinding(p, s, &w, reason, branches)
	f.Evidence = append([]analysis.Evidence{
		{Name: "slow_calls", Value: n.slow, Limit: p.Limit("repeats"), Unit: "calls"},
		{Name: "latency", Value: o.Latency.Milliseconds(), Limit: p.Limit("slow-ms"), Unit: "milliseconds"},
		{Name: "returned", Value: broughtBack(o), Limit: p.Limit("few-documents"), Unit: "documents"},
	}, f.Evidence...)
	p.Report(f)
}
