package analyzers

import (
	"time"

	"go.mongodb.org/mongo-driver/v2/x/bsonx/bsoncore"

	"mongoadvisor/internal/analysis"
	"mongoadvisor/internal/op"
)

func recomputedAggregate() *analysis.Analyzer {
	return &analysis.Analyzer{
		ID: "A05", Name: "recomputed-aggregate", Since: "0.2.0", Severity: analysis.Medium,
		Title:    "The same sums computed at every read",
		Commands: []string{"aggregate", "find", "count", "distinct"}, Run: runRecomputedAggregate, State: sumState(),
		Reasons: []analysis.Reason{
			{Name: "repeated", Doc: "an aggregation runs often, and is slow"},
			{Name: "same-inputs", Doc: "it runs often, mostly asks the same again and gets the same, and takes much of the collection's time or is slow"},
			{Name: "materialise-per-request", Doc: "it stores its result by `$out` or `$merge`, and runs often all the same"},
		},
		Limits: []analysis.Limit{
			{Name: "per-hour", Default: 60, Unit: "operations", Doc: "calls of one shape within an hour from which it is often"},
			{Name: "slow", Default: 20, Unit: "milliseconds", Doc: "latency that one call in twenty has to reach: the 95th percentile"},
			{Name: "time-share", Default: 5, Unit: "%", Doc: "share of the time spent on the collection from which it is much"},
			{Name: "same-share", Default: 50, Unit: "%", Doc: "share of calls that repeat inputs and result, from which it is same-inputs"},
			{Name: "window", Default: 15, Unit: "minutes", Doc: "a `$match` on a date not longer ago is a window of the last minutes"},
			{Name: "window-per-hour", Default: 600, Unit: "operations", Doc: "calls within an hour from which such a window counts, too"},
		},
		Doc: analysis.Doc{
			What: "`$group` with accumulators, `$bucket`, `$bucketAuto`, `$sortByCount`, and `$facet` that holds one of them or `$count`, in the same shape again and again; also in views, and any pipeline that ends in `$out`. Inputs and results are compared by their hashes; the last 16 inputs of a shape are remembered.",
			Why: "Each call reads all documents of its groups. What is read often and changes seldom is cheaper to add up once, when a document is written. " +
				"Measured on MongoDB 6.0.5: the sum of 5,000 documents read 5,000 documents at each call, the stored one reads one.",
			Fix: "Keep the sums: change them by `$inc`, `$min` and `$max` with each write, in the document that is read beside them or in a collection of their own, or run the aggregation by the clock into one with `$merge`. The result is as old as the last change or run: say how old it may be.",
			Guards: "Below 60 calls within an hour; while fewer than one call in twenty takes 20 ms, or the other operations on the collection take more than half as long (the machine is busy then), unless at least half of the calls repeat inputs and result and they take 5 % of the collection's time; counts by a filter are judged by their latency alone, and half of them must be slow, since an index makes them quick; a full count is Q12's. " +
				"Silent for calls that fail; when the collection is written more often than it is read, since then each write would cost more than the reads save; for windows of the last 15 minutes below 600 an hour; and for applications that say they report. Wrong here when the result has to be exact at this moment.",
			Lesson: "Computed pattern: the lifetime total and the rating summary on every view.",
		},
	}
}

func runRecomputedAggregate(p *analysis.Pass) {
	statements := p.Op.Statements()
	for i := range statements {
		s := &statements[i]
		if len(s.Pipeline) == 0 || p.Op.Cut || reporting(p.Op.Conn) || p.Op.Reply.Seen && !p.Op.Reply.OK {
			continue
		}
		storing := stores(s.Pipeline)
		if countsAll(s.Pipeline) != "" || !aggregates(s.Pipeline) && !(storing && hasStage(s.Pipeline, "$out")) {
			continue
		}
		known := p.State().(*sums).of(s.ShapeID())
		perHour := known.take(p.Op, s.Pipeline, p.Now, time.Duration(p.Limit("slow"))*time.Millisecond)
		if perHour >= p.Limit("per-hour") {
			judgeSum(p, s, i, known, perHour, storing)
		}
	}
}

func judgeSum(p *analysis.Pass, s *op.Statement, statement int, known *sum, perHour int64, storing bool) {
	traffic := p.Env.Traffic(s.NS)
	slow := slowSum(known, traffic, countsSome(s.Pipeline))
	share := int64(0)
	if traffic.Latency > 0 {
		share = int64(100 * known.spent / traffic.Latency)
	}
	same := 100 * known.same / known.calls
	repeats := same >= p.Limit("same-share")
	if known.told != "" { // a share about the limit must not make two findings of one
		repeats = known.told == "same-inputs"
	}
	f := analysis.Finding{
		Reason: "repeated", Statement: statement, Fields: sumFields(s.Pipeline), Confidence: analysis.Observed,
		Message: "the same aggregation is computed again and again",
		Advice:  "Every call reads all documents of its groups, to compute what could be stored.",
		Caveat:  "the result may have to be exact at this moment",
		Fix:     sumFix(s),
		Evidence: []analysis.Evidence{
			{Name: "per_hour", Value: perHour, Limit: p.Limit("per-hour"), Unit: "operations"},
			{Name: "slow_calls", Value: 100 * known.slow / known.calls, Limit: 5, Unit: "%"},
			{Name: "share_of_time", Value: min(share, 100), Limit: p.Limit("time-share"), Unit: "%"},
			{Name: "same_result", Value: same, Limit: p.Limit("same-share"), Unit: "%"},
		},
	}
	switch {
	case storing:
		f.Reason, f.Message = "materialise-per-request", "an aggregation stores its result, and runs again and again all the same"
		f.Advice = "A stored result saves work when it is read more often than it is made."
		f.Fix = analysis.Fix{
			Text:    "Run it by the clock, from one place, and let the readers take what is stored. Or change the stored sums with each write.",
			Mongosh: coll(storedIn(s)) + ".find({})  // on each request",
		}
	case traffic.Writes > traffic.Reads,
		recentWindow(s.Pipeline, p.Now, time.Duration(p.Limit("window"))*time.Minute) && perHour < p.Limit("window-per-hour"),
		!slow && (!repeats || share < p.Limit("time-share") || countsSome(s.Pipeline)):
		return
	case repeats:
		f.Reason, f.Message = "same-inputs", "the same aggregation is computed again and again, and gives the same"
	}
	known.told = f.Reason
	p.Report(f)
}

// minOthers is how many operations of a collection must be seen beside an
// aggregation to compare it with them.
const minOthers = 20

// slowSum reports whether an aggregation is slow: one call in twenty, or of a
// count by a filter, which an index makes quick, every second. When the others of
// the collection take half as long, the machine is busy, and it is not.
func slowSum(known *sum, traffic analysis.Traffic, count bool) bool {
	if count && known.slow*2 < known.calls || known.slow*20 < known.calls {
		return false
	}
	others := traffic.Reads + traffic.Writes - known.calls
	return others < minOthers || known.spent/time.Duration(known.calls) >= 2*(traffic.Latency-known.spent)/time.Duration(others)
}

// storedIn is the collection that a pipeline writes its result to.
func storedIn(s *op.Statement) op.Namespace {
	last := s.Pipeline[len(s.Pipeline)-1]
	if merge := op.Get(last, "$merge"); op.Doc(merge) != nil {
		return mergeTarget(op.Doc(merge), s.NS)
	}
	target := op.Get(last, op.FirstKey(last))
	return mergeTarget(bsoncore.BuildDocument(nil, bsoncore.AppendValueElement(nil, "into", target)), s.NS)
}
