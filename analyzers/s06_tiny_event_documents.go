package analyzers

import (
	"time"

	"mongoadvisor/internal/analysis"
	"mongoadvisor/internal/op"
)

func tinyEventDocuments() *analysis.Analyzer {
	return &analysis.Analyzer{
		ID: "S06", Name: "tiny-event-documents", Since: "0.2.0", Severity: analysis.Low,
		Title:    "A document for each small event",
		Commands: []string{"insert", "update", "delete", "findAndModify", "bulkWrite", "find", "aggregate", "count", "create", "listCollections", "drop", "dropDatabase"},
		Run:      runTinyEventDocuments,
		Reasons: []analysis.Reason{
			{Name: "event-per-document", Doc: "small documents with a date and a source that repeats are inserted at a high rate"},
		},
		Limits: []analysis.Limit{
			{Name: "max-bytes", Default: 256, Unit: "bytes", Doc: "a document of fewer bytes is small"},
			{Name: "rate", Default: 50, Unit: "documents", Doc: "small events inserted in a second, kept up for the time below, from which it is reported"},
			{Name: "sustained", Default: 5, Unit: "seconds", Doc: "how long the rate must be kept up"},
			{Name: "documents", Default: 500, Unit: "documents", Doc: "small events without a pause before anything is said"},
			{Name: "documents-per-day", Default: 1_000_000, Unit: "documents", Doc: "small events within 24 hours from which it is reported whatever the rate, as medium"},
			{Name: "repeats", Default: 10, Unit: "documents", Doc: "documents for each value of a field, on average, from which the field can be the source"},
			{Name: "max-touched", Default: 10, Unit: "%", Doc: "documents read or changed one by one, of those inserted: above it they are no events"},
		},
		State: &analysis.StateSpec{Scope: analysis.ScopeGlobal, New: func() any { return newEventStreams() }},
		Doc: analysis.Doc{
			What: "Inserts (also many at a time, also in `bulkWrite`) of documents below 256 bytes that have a date and a field whose values repeat (a device, a user, a type), at 50 a second kept up for seconds, or a million in a day. It counts once a second while that lasts.",
			Why: "Each document carries its field names, an `_id` and an entry in every index. Measured on MongoDB 6.0.5 with 200,000 readings of 200 sensors: a document each, with an index on sensor and time, took 4.4 MB on disk and 6.8 MB of indexes; " +
				"as buckets of 360 the same took 2.3 MB and 0.05 MB, as a time-series collection 0.6 MB and no index. A question for one sensor and an hour read 360 documents.",
			Fix: "A time-series collection: the server makes the buckets, and queries stay as they are. Where that is not to be had, buckets of one's own: an upsert whose filter bounds the count.",
			Guards: "Silent for time-series and capped collections as far as their creation or a `listCollections` was seen, or their name ends in `_ts`; for documents with arrays, which are buckets already; when more than a tenth of the documents are read, changed or deleted one by one; for a burst, such as fixtures. Deleting all, and dropping, start the count anew; so does a gap, in which operations were left out under load, for the rate but not for the day. Inserts inside of a transaction are not counted. " +
				"Wrong here when each event is an entity of its own, or the collection is a time-series collection and nothing of that was seen.",
			Lesson: "Bucket pattern; the manual's pages on time-series collections.",
		},
	}
}

func runTinyEventDocuments(p *analysis.Pass) {
	if p.Op.Reply.Seen && !p.Op.Reply.OK {
		return
	}
	all := p.State().(*eventStreams)
	if p.Op.Kind == op.KindDDL {
		all.define(p.Op)
		return
	}
	statements := p.Op.Statements()
	batch := streamBatch{limit: int(p.Limit("max-bytes"))}
	for i := range statements {
		s := &statements[i]
		if s.Command != "insert" {
			all.touch(s)
			continue
		}
		if s.NS != batch.ns {
			judgeStream(p, all, &batch, i-1)
			batch = streamBatch{limit: batch.limit, ns: s.NS}
		}
		if !p.Op.Session.InTxn {
			batch.add(all, s)
		}
	}
	judgeStream(p, all, &batch, len(statements)-1)
}

// slotsOfRun is into how many parts the time is cut in which the rate must be
// kept up: each of them must have its share.
const slotsOfRun = 3

func judgeStream(p *analysis.Pass, all *eventStreams, b *streamBatch, statement int) {
	if b.events == 0 {
		return
	}
	x := all.collections.at(b.ns)
	if x.stretch.broken(p) {
		x.run = steadyRun{} // the collection may have been emptied
	}
	width := time.Duration(max(p.Limit("sustained"), 1)) * time.Second / slotsOfRun
	need := int64(float64(p.Limit("rate"))*width.Seconds() + 0.999)
	steady := x.run.add(p.Now, b.events, width, need) >= slotsOfRun && x.run.total >= p.Limit("documents")
	daily := x.today(p.Now, b.events)
	many := daily >= p.Limit("documents-per-day")
	if !steady && !many || x.stored || x.touched*100 > x.events*p.Limit("max-touched") {
		return
	}
	source := x.source(p.Limit("repeats"))
	if source == nil || !x.told.due(p.Now) {
		return
	}
	reportStream(p, x, source, b.ns, statement, many, daily)
}

func reportStream(p *analysis.Pass, x *eventStream, source *sourceField, ns op.Namespace, statement int, many bool, daily int64) {
	at, from := op.Path(x.dateField), op.Path(source.name)
	f := analysis.Finding{
		Reason: "event-per-document", Statement: statement, NS: ns, Fields: []string{at, from},
		Shape:   op.TextShape("{insert: an event a document}"),
		Message: "each event is a small document of its own (source " + from + ", time " + at + ")",
		Advice:  "Every one has its own field names, its own _id and an entry in each index, and a question about a span of time reads them one by one.",
		Caveat:  "each event may be an entity that is looked up by itself; or this is a time-series collection whose creation was not seen",
		Fix:     streamFix(ns, at, from),
		Evidence: []analysis.Evidence{
			{Name: "events_per_second", Value: x.run.perSecond(), Limit: p.Limit("rate"), Unit: "documents"},
			{Name: "events_in_24_hours", Value: daily, Limit: p.Limit("documents-per-day"), Unit: "documents"},
			{Name: "mean_size", Value: x.bytes / x.events, Limit: p.Limit("max-bytes"), Unit: "bytes"},
			{Name: "sources_at_least", Value: int64(len(source.values)), Unit: "values"},
			{Name: "reads_by_source_and_time", Value: source.reads, Unit: "operations"},
		},
	}
	if many {
		f.Severity, f.Override = analysis.Medium, true
	}
	if source.reads > 0 {
		f.Confidence = analysis.Observed
	}
	p.Report(f)
}

// streamFix lets the server make the buckets, or makes them by hand.
func streamFix(ns op.Namespace, at, from string) analysis.Fix {
	fix := analysis.Fix{
		Text: "Let a time-series collection hold the events: the server keeps them in buckets by source and time. Or keep buckets yourself: one document for a source and a day, with an upsert whose filter bounds the count. Copy the old events with $out or $merge.",
	}
	at, from = indexable(at), indexable(from)
	if at == "" || from == "" {
		return fix
	}
	event := "{ " + field(at) + ": <" + at + ">, " + field(from) + ": <" + from + ">, ...<event> }"
	fix.Mongosh = "db.createCollection(" + quote(ns.Coll+"_ts") + ", { timeseries: { timeField: " + quote(at) + ", metaField: " + quote(from) + ", granularity: \"seconds\" } })\n" +
		collName(ns.Coll+"_ts") + ".insertOne(" + event + ")\n" +
		"// or buckets of your own\n" +
		collName(ns.Coll+"_buckets") + ".updateOne({ " + field(from) + ": <" + from + ">, day: <day>, count: { $lt: 360 } }, { $push: { events: " + event + " }, $inc: { count: 1 } }, { upsert: true })"
	return fix
}
