package analyzers

import (
	"mongoadvisor/internal/analysis"
)

func repeatedPointReads() *analysis.Analyzer {
	return &analysis.Analyzer{
		ID: "Q11", Name: "repeated-point-reads", Since: "0.2.0", Severity: analysis.Medium,
		Title:    "One query per row of another query (N+1)",
		Commands: []string{"find", "aggregate", "getMore"}, Run: runRepeatedPointReads, State: trailState(),
		Reasons: []analysis.Reason{
			{Name: "fan-out", Doc: "many queries that differ in one value, taken from one reply, or sent in one transaction or request"},
			{Name: "duplicate", Doc: "as many queries from one reply, transaction or request for few values: the same documents are read again and again"},
		},
		Limits: []analysis.Limit{
			{Name: "burst", Default: 10, Unit: "queries", Doc: "queries for different values within a second from which it is reported; 5 suits tests, whose lists are short"},
			{Name: "high-burst", Default: 50, Unit: "queries", Doc: "queries for different values of one reply from which it is high"},
			{Name: "matched", Default: 80, Unit: "%", Doc: "share of these queries whose value stood in such replies, and share of a reply's values, from the first to the last one asked for, that were asked for"},
			{Name: "duplicate", Default: 3, Unit: "queries", Doc: "queries for one value within a second of one transaction or request from which they are duplicates"},
			{Name: "unlinked", Default: 0, Unit: "queries", Doc: "queries for different values within a second of one application on one host, wherever the values come from, that are reported as info; 0 reports none"},
		},
		Doc: analysis.Doc{
			What: "A `find` or an `aggregate` that compares a field with one value, sent again and again, where the values stood in one reply to the same client up to five seconds before: a list, and then one query for each of its rows. " +
				"All connections of an application from one host count together, so queries sent in parallel are one burst; two applications are two findings. A value alone in an `$in`, as Mongoose's populate sends it for one document, counts as well. " +
				"Numbers and short strings are followed only between fields and collections whose names agree (`orders.userId` and `users._id`), and count only when the queries are at least half of what the client read since and nothing is written to the collection meanwhile. A burst is counted when it reaches the limit, and once more when it is high. " +
				"Without such a reply, queries of one transaction, or under a comment with the identifier of one request, are a burst, too.",
			Why: "Every query is a round trip and is parsed, planned and answered by itself: the page waits for as many round trips as it has rows. One query with all values needs one.",
			Fix: "Collect the values and ask once, with `$in`. Or join once with `$lookup`. When only a few fields that seldom change are shown, copy them beside the reference (extended reference), and there is nothing to ask.",
			Guards: "Silent for getMores, for `$in` with more than one value, for writes; when less than the limit's share of such queries ask for values of such replies, or when they leave out many of the values between the first and the last one, which is how people pick from a list; " +
				"when they look again at documents that were just read; and when the values come from nowhere (many users, a cache that fills, polling), unless the limit `unlinked` is set. Steps through a tree are S07's, joins A01's. " +
				"The reason `duplicate` needs a list of at least the limit's length whose rows repeat their values, and nothing else in between. List and queries must come without a gap: what came before operations were left out under load explains nothing after. Wrong here when the queries belong to different users who look at the same list, or when rows are loaded one by one on purpose, as they come into view.",
			Lesson: "Separating data that is accessed together: the joins on every page view; extended reference.",
		},
	}
}

func runRepeatedPointReads(p *analysis.Pass) {
	t := follow(p)
	switch {
	case p.Op.Command == "getMore":
	case t.link == nil:
		judgeGroup(p, t)
	case !t.link.tree():
		judgeFanOut(p, t)
	}
}

// judgeFanOut judges queries whose values stood in one reply.
func judgeFanOut(p *analysis.Pass, t *trail) {
	b, limit := t.burst, p.Limit("burst")
	high := int64(b.distinct) >= p.Limit("high-burst")
	switch {
	case b.share() < p.Limit("matched") || t.matched(p.Op) < p.Limit("matched") || !t.link.Sure && !t.busyWith(p, b):
	case b.told&toldBurst == 0 && b.together() >= limit, b.told&toldBurst != 0 && b.told&toldHigh == 0 && high:
		b.told |= toldBurst
		f := fanOut(p, b, t.link.Field)
		f.Confidence = analysis.Observed
		if high {
			b.told |= toldHigh
			f.Severity, f.Override = analysis.High, true
		}
		p.Report(f)
	case b.told == 0 && int64(t.link.Use.distinct) < limit && int64(b.reads) >= limit && predicates(p.Op) == 1 && t.rowByRow():
		b.told |= toldDuplicate
		f := duplicates(p, b, t.link.Field)
		f.Confidence = analysis.Observed
		p.Report(f)
	}
}

// busyWith reports whether a burst is at least half of what the client read since
// the reply, and nothing wrote to the collection meanwhile: numbers that run from
// one up are in many replies, and a loop over others would fit.
func (t *trail) busyWith(p *analysis.Pass, b *burst) bool {
	return 2*uint64(b.reads) >= t.calls-t.link.From.call && b.writes == p.Env.Traffic(t.link.Child.ns).Writes
}

// rowByRow reports whether a burst is what the client did since the reply, one
// query for each row at most.
func (t *trail) rowByRow() bool {
	b := t.burst
	return t.calls-t.link.From.call == uint64(b.reads) && b.reads <= int(t.link.Use.rows) && b.last.Sub(b.first) <= burstTime
}
