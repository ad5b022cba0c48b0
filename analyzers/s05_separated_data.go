package analyzers

import (
	"strings"
	"time"

	"mongoadvisor/internal/analysis"
	"mongoadvisor/internal/op"
)

func separatedData() *analysis.Analyzer {
	return &analysis.Analyzer{
		ID: "S05", Name: "separated-data", Since: "0.2.0", Severity: analysis.Medium, Needs: op.HasReply | op.HasConn | op.HasDocuments | op.HasEvery,
		Title:    "Two documents that are always read together",
		Commands: []string{"find", "aggregate", "getMore"}, Run: runSeparatedData, State: trailState(),
		Reasons: []analysis.Reason{
			{Name: "read-together", Doc: "a document is read, and at once another one that it refers to"},
		},
		Limits: []analysis.Limit{
			{Name: "pairs", Default: 20, Unit: "pairs", Doc: "pairs of queries within a minute from which each is reported"},
			{Name: "share", Default: 80, Unit: "%", Doc: "share of the first collection's queries that are followed by the second"},
			{Name: "alone", Default: 30, Unit: "%", Doc: "share of the second collection's queries from which being read without the first keeps it apart"},
			{Name: "shared", Default: 50, Unit: "%", Doc: "share of pairs whose second document was read before, beyond which it belongs to many"},
			{Name: "writes", Default: 20, Unit: "%", Doc: "share of writes in the second collection's operations beyond which it changes too often to be copied"},
			{Name: "large", Default: 16 << 10, Unit: "bytes", Doc: "size of a reply beyond which the second document is too large to be part of the first"},
		},
		Doc: analysis.Doc{
			What: "A query for one document (or two), and within a second a query of the same client to another collection for a value that stood in the reply, again and again. " +
				"All connections of an application from one host count together. Each pair beyond the limit counts.",
			Why: "What is read together is stored apart: one screen waits for two round trips, the second of which cannot start before the first is over. One document would have brought both. " +
				"Atlas advises when half of the reads, or more than 100, are `$lookup`; Compass at any `$lookup`; neither sees joins made by the application. Ours: 20 pairs a minute that are 80 % of the first collection's reads.",
			Fix: "Copy the few fields that the screen shows beside the reference (extended reference) and update the copies when they change, which is seldom for stable fields. Or embed the whole document when nobody reads it alone. A `$lookup` saves the round trip and keeps the join.",
			Guards: "Silent below 20 pairs a minute or 80 % of the first collection's reads; when the second query brings several documents (children of their own collection), when its document is large, is one of few that many refer to, is mostly read alone, or changes often. " +
				"A query for each row of a list is Q11's, `$lookup` is A01's. Wrong here when both must be exact at every read, or when the second is kept apart for the sake of access rights or erasure.",
			Lesson: "Separating data that is accessed together; extended reference.",
		},
	}
}

func runSeparatedData(p *analysis.Pass) {
	t := follow(p)
	if p.Op.Command == "getMore" {
		return
	}
	pair := t.together(p.Op)
	if pair == nil || !pair.separate(p.Limit("shared")) || int64(pair.bytes) > p.Limit("large") {
		return
	}
	l, now := t.link, p.Op.Time
	n := pair.recent.Count(now)
	share := percent(n, l.From.space.reads.Count(now))
	if n < p.Limit("pairs") || share < p.Limit("share") {
		return
	}
	apart := l.Child.reads.Count(now)
	if percent(apart-min(apart, l.Child.linked.Count(now)), apart) >= p.Limit("alone") {
		return
	}
	traffic := p.Env.Traffic(l.Child.ns)
	if percent(traffic.Writes, traffic.Reads+traffic.Writes) > p.Limit("writes") {
		return
	}
	reportPair(p, pair, l, n, share)
}

func percent(part, whole int64) int64 {
	if whole <= 0 {
		return 0
	}
	return 100 * part / whole
}

func reportPair(p *analysis.Pass, pair *pair, l *link, n, share int64) {
	from, child, path, by := op.Path(l.From.space.ns.Coll), op.Path(l.Child.ns.Coll), op.Path(l.Path), op.Path(l.Field)
	p.Report(analysis.Finding{
		Reason: "read-together", Confidence: analysis.Observed, NS: l.From.space.ns, Fields: []string{path},
		Shape:   op.TextShape("{read: " + from + "." + path + ", then: " + child + "." + by + "}"),
		Message: "a document of " + child + " is read right after each of " + from + ", by " + by + " taken from " + path,
		Advice:  "What is read together is stored apart: every reading waits for two round trips, and one document could have brought both.",
		Caveat:  "both may have to be exact at every read, or be kept apart for access rights or erasure",
		Fix:     pairFix(l, path),
		Evidence: []analysis.Evidence{
			{Name: "pairs_per_minute", Value: n, Limit: p.Limit("pairs"), Unit: "pairs"},
			{Name: "share_of_reads", Value: share, Limit: p.Limit("share"), Unit: "%"},
			{Name: "added_latency", Value: int64(pair.latency/time.Microsecond) / pair.queries, Unit: "microseconds per pair"},
		},
	})
}

// pairFix copies a few fields of the second document into the first.
func pairFix(l *link, path string) analysis.Fix {
	fix := analysis.Fix{Text: "Copy the few fields that are shown beside the reference (extended reference), and update the copies when the original changes, which is seldom for stable fields. If nobody reads the second document alone, embed it whole. A $lookup saves one round trip, and is a join at each reading."}
	as := embeddedName(l, path)
	id := "<" + singular(op.Path(l.Child.ns.Coll)) + " id>"
	c := coll(l.From.space.ns)
	fix.Mongosh = c + ".updateOne({ _id: <id> }, { $set: { " + field(as) + ": { _id: " + id + ", name: <name> } } })\n" +
		c + ".createIndex({ " + quote(as+"._id") + ": 1 })  // to update the copies when the original changes\n" +
		c + ".find({ _id: <id> })"
	return fix
}

// embeddedName is a name for the copy: that of the reference without its mark, or
// else of the collection it refers to, and never one that is there.
func embeddedName(l *link, path string) string {
	for _, mark := range referenceMarks {
		if cut, ok := strings.CutSuffix(path, mark); ok && identifier(cut) {
			return cut
		}
	}
	name := singular(op.Path(l.Child.ns.Coll))
	if indexable(name) == "" {
		name = "reference"
	}
	if path == "_id" {
		return name
	}
	return name + "Copy"
}
