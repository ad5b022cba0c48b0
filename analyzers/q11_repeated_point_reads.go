package analyzers

import (
	"strings"
	"time"

	"mongoadvisor/internal/analysis"
	"mongoadvisor/internal/op"
)

func repeatedPointReads() *analysis.Analyzer {
	return &analysis.Analyzer{
		ID: "Q11", Name: "repeated-point-reads", Since: "0.2.0", Severity: analysis.Medium,
		Title:    "One query per row of another query (N+1)",
		Commands: []string{"find", "aggregate", "getMore"}, Run: runRepeatedPointReads, State: trailState(),
		Reasons: []analysis.Reason{
			{Name: "fan-out", Doc: "many queries that differ in one value, taken from one reply, or sent in one transaction or request"},
			{Name: "duplicate", Doc: "the same, and the values repeat: the same document is read again and again"},
		},
		Limits: []analysis.Limit{
			{Name: "burst", Default: 10, Unit: "queries", Doc: "queries for different values within a second from which it is reported; 5 suits tests, whose lists are short"},
			{Name: "high-burst", Default: 50, Unit: "queries", Doc: "queries for different values of one reply from which it is high"},
			{Name: "matched", Default: 80, Unit: "percent", Doc: "share of these queries whose value stood in such replies, and share of a reply's values, from the first to the last one asked for, that were asked for"},
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
				"The reason `duplicate` needs a list of at least the limit's length whose rows repeat their values, and nothing else in between. Wrong here when the driver's batches are what you see: check that the values are not asked for on purpose one by one.",
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
	case b.told == 0 && int64(t.link.Use.distinct) < limit && int64(b.reads) >= limit && t.rowByRow():
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

// judgeGroup judges queries whose values come from nowhere.
func judgeGroup(p *analysis.Pass, t *trail) {
	group := t.group(p.Op)
	unlinked := p.Limit("unlinked")
	if group == 0 && unlinked == 0 {
		return
	}
	s := &p.Op.Statements()[0]
	conditions, n := comparisons(p.Op)
	if n != 1 || predicates(p.Op) != 1 {
		return
	}
	asked := conditions[0]
	k := burstKey{group: group, query: s.Shape().ID}
	b := t.burstOf(k)
	if p.Op.Time.Sub(b.last) > burstTime {
		*b = burst{key: k, writes: p.Env.Traffic(s.NS).Writes}
	}
	place, ok := b.place(asked.Value)
	if !ok {
		return
	}
	b.add(p.Op, place)
	limit := p.Limit("burst")
	if group == 0 {
		limit = unlinked
	}
	var f analysis.Finding
	switch {
	case b.told != 0:
		return
	case b.together() >= limit:
		b.told |= toldBurst
		f = fanOut(p, b, asked.Field)
	case group != 0 && int64(b.seen[place]) >= p.Limit("duplicate") && b.last.Sub(b.first) <= burstTime && b.writes == p.Env.Traffic(s.NS).Writes:
		b.told |= toldDuplicate
		f = duplicates(p, b, asked.Field)
	default:
		return
	}
	if group != 0 {
		f.Confidence = analysis.Observed
	} else {
		f.Severity, f.Override = analysis.Info, true
	}
	p.Report(f)
}

// predicates counts the conditions of a query.
func predicates(o *op.Operation) (n int) {
	for range (op.Filter{Doc: firstFilter(o)}).Predicates() {
		n++
	}
	return n
}

func fanOut(p *analysis.Pass, b *burst, by string) analysis.Finding {
	s, field := &p.Op.Statements()[0], op.Path(by)
	f := analysis.Finding{
		Reason: "fan-out", Shape: appShape(p.Op), Fields: []string{field},
		Message: op.Path(s.NS.Coll) + " is read one document at a time, by " + field + b.source(),
		Advice:  "Each of these queries is a round trip of its own, and one query could ask for all of them.",
		Caveat:  "the queries may belong to different users who look at the same list",
		Fix:     togetherFix(p, b, field),
		Evidence: []analysis.Evidence{
			{Name: "queries", Value: int64(b.reads), Limit: p.Limit("burst"), Unit: "queries"},
			{Name: "values_asked_for", Value: b.share(), Limit: p.Limit("matched"), Unit: "percent"},
			{Name: "added_latency", Value: int64(b.latency / time.Microsecond), Unit: "microseconds"},
		},
	}
	if b.from == nil {
		f.Caveat = "several parts of a program may ask for one document each"
	}
	return f
}

func duplicates(p *analysis.Pass, b *burst, by string) analysis.Finding {
	s, field := &p.Op.Statements()[0], op.Path(by)
	return analysis.Finding{
		Reason: "duplicate", Shape: appShape(p.Op), Fields: []string{field}, Severity: analysis.Info, Override: true,
		Message: op.Path(s.NS.Coll) + " is asked for the same documents again and again, by " + field + b.source(),
		Advice:  "The answer was there already: each of these queries is a round trip for what the client knows.",
		Caveat:  "the document may have to be fresh at each look",
		Fix: analysis.Fix{
			Text:    "Ask once for the different values, and keep what was read for as long as the page or request takes. A document that all requests read belongs in a cache of the application.",
			Mongosh: oneQuery(s, field, "<the different values>"),
		},
		Evidence: []analysis.Evidence{
			{Name: "queries", Value: int64(b.reads), Unit: "queries"},
			{Name: "different_values", Value: int64(b.distinct), Unit: "values"},
			{Name: "added_latency", Value: int64(b.latency / time.Microsecond), Unit: "microseconds"},
		},
	}
}

// source words where the values come from.
func (b *burst) source() string {
	if b.from == nil {
		return ""
	}
	return " taken from " + op.Path(b.from.ns.Coll+"."+b.path)
}

// togetherFix asks for all values at once.
func togetherFix(p *analysis.Pass, b *burst, by string) analysis.Fix {
	s := &p.Op.Statements()[0]
	values := "all values of " + by
	if b.from != nil && indexable(op.Path(b.path)) != "" {
		values = "all " + indexable(op.Path(b.path)) + " of " + op.Path(b.from.ns.Coll)
	}
	fix := analysis.Fix{
		Text:    "Collect the values and ask once with $in, keeping the other conditions; in the program, put the answers beside their rows by that field. Or join once with $lookup. When only a few fields that seldom change are needed, copy them beside the reference (extended reference).",
		Mongosh: oneQuery(s, by, "<"+values+">"),
	}
	if p.Op.Conn != nil && strings.Contains(p.Op.Conn.Driver, "Mongoose") {
		fix.Text += " With Mongoose, call populate on the whole list and not in a loop: it sends one $in."
	}
	return fix
}

func oneQuery(s *op.Statement, by, values string) string {
	path := indexable(by)
	if path == "" {
		return ""
	}
	filter := "{ " + field(path) + ": { $in: [" + values + "] } }"
	if s.Command == "aggregate" {
		return coll(s.NS) + ".aggregate([{ $match: " + filter + " }, <the other stages, grouped by " + path + ">])"
	}
	return query("find", s.NS, filter, "")
}

// appShape keys a finding by the query and the application: those of two are
// never added up.
func appShape(o *op.Operation) op.Shape {
	text := o.Shape().Text
	if o.Conn != nil && o.Conn.App != "" {
		text += " by " + appName(o.Conn.App)
	}
	return op.TextShape(text)
}

// appName cleans an application's name: what parts its words is a hyphen.
func appName(app string) string {
	return op.Name(strings.Map(func(c rune) rune {
		if c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' {
			return c
		}
		return '-'
	}, app))
}
