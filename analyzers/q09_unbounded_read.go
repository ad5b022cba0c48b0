package analyzers

import (
	"go.mongodb.org/mongo-driver/v2/x/bsonx/bsoncore"

	"mongoadvisor/internal/analysis"
	"mongoadvisor/internal/op"
)

func unboundedRead() *analysis.Analyzer {
	return &analysis.Analyzer{
		ID: "Q09", Name: "unbounded-read", Since: "0.2.0", Severity: analysis.Medium, Needs: op.HasReply,
		Title:    "Reads that return a collection, or much of it, again and again",
		Commands: append([]string{"update", "bulkWrite"}, cursorCommands...), Run: runUnboundedRead,
		State: &analysis.StateSpec{Scope: analysis.ScopeGlobal, New: func() any { return newLargeReads() }},
		Reasons: []analysis.Reason{
			{Name: "no-filter", Doc: "a find without filter and limit returns a whole collection that is not small"},
			{Name: "drained", Doc: "a find or an aggregation is read until very many documents or bytes were returned"},
		},
		Limits: []analysis.Limit{
			{Name: "small-collection", Default: 1000, Unit: "documents", Doc: "documents from which a read without filter counts"},
			{Name: "documents", Default: 10_000, Unit: "documents", Doc: "documents of one cursor, over all its batches, from which any read counts"},
			{Name: "bytes", Default: 16 << 20, Unit: "bytes", Doc: "bytes of one cursor's replies from which any read counts"},
			{Name: "repeats", Default: 3, Unit: "times an hour", Doc: "such reads of one shape from which they are reported"},
		},
		Doc: analysis.Doc{
			What: "A `find` with an empty filter and no limit over a collection that is not small, and any `find` or `aggregate` whose cursor brings very many documents or bytes. The batches of a cursor are added up, over whichever connection they come. Each such read beyond the limit counts once, when it crosses the limit. " +
				"The finding says when a scan is followed by a replace of each document.",
			Why:    "What is returned is read, sent, decoded and kept, however little of it is used, and the work grows with the collection although the code stays the same: a screen or a job that was quick with a thousand documents is not with a million.",
			Fix:    "Ask for a page (`limit`, and a range behind the last value seen) and for the fields that are used. A job that looks for what is new reads what changed since its last run, by an indexed date. Who only counts takes `estimatedDocumentCount()`, and sums are the server's to make (`$group`). Copies that are changed one by one are better changed by one `updateMany` with a pipeline.",
			Guards: "Silent below the limits, and below three an hour of one shape: one load at start-up is none. Silent for applications that say they report, export or analyse; for reads that ask for a secondary with tags; for pipelines that end in `$out` or `$merge`; for change streams and tailable cursors; for `singleBatch`. Where a batch was too long to be kept, its documents are estimated by the size of those that were. Wrong here for a job that has to see everything, and for caches that are filled on purpose.",
			Lesson: "Data that is accessed together is stored together: fetch what is read; a real case of start-up scans that wrote every document back.",
		},
	}
}

func runUnboundedRead(p *analysis.Pass) {
	reads := p.State().(*largeReads)
	if reads.stretch.broken(p) {
		reads.interrupt()
	}
	switch p.Op.Command {
	case "update", "bulkWrite":
		reads.written(p.Op)
		return
	case "find", "aggregate":
		if r := &p.Op.Reply; r.CursorID == 0 && r.Returned >= 0 && int64(r.Returned) < least(p) && int64(r.Bytes) < p.Limit("bytes") {
			return // the usual case
		}
		if excused(p.Op) {
			return
		}
	}
	c := reads.open.follow(p.Op)
	if c == nil || c.counted {
		return
	}
	reason := ""
	switch {
	case c.whole && (c.docs >= p.Limit("small-collection") || c.bytes >= p.Limit("bytes")):
		reason = "no-filter"
	case c.docs >= p.Limit("documents") || c.bytes >= p.Limit("bytes"):
		reason = "drained"
	default:
		return
	}
	c.counted = true
	if c.shape.IsZero() {
		c.shape = p.Op.Shape()
	}
	times, before := reads.count(c, p.Now)
	if times >= p.Limit("repeats") {
		p.Report(largeFinding(p, c, reason, times, before))
	}
}

// least is the number of documents below which nothing counts.
func least(p *analysis.Pass) int64 { return min(p.Limit("small-collection"), p.Limit("documents")) }

// excused reports whether a large read is asked for on purpose.
func excused(o *op.Operation) bool {
	if reporting(o.Conn) || op.True(op.Get(o.Body, "singleBatch")) || stores(o.Statements()[0].Pipeline) {
		return true
	}
	preference := op.Doc(op.Get(o.Body, "$readPreference"))
	switch op.Str(op.Get(preference, "mode")) {
	case "secondary", "secondaryPreferred":
		return op.Len(op.Get(preference, "tags")) > 0
	}
	return false
}

func largeFinding(p *analysis.Pass, c *cursor, reason string, times int64, before largeScan) analysis.Finding {
	f := analysis.Finding{
		Reason: reason, NS: c.ns, Shape: c.shape, Fields: []string{}, Confidence: analysis.Observed,
		Message: "a find without filter and limit returns the whole collection, again and again",
		Advice:  "Every document is read, sent and decoded each time, and the cost grows with the collection.",
		Caveat:  "a job may have to see every document; say so in its application name",
		Fix:     largeFix(c, changed(p.Op.Reply.Docs)),
		Evidence: []analysis.Evidence{
			{Name: "documents_so_far", Value: c.docs, Limit: p.Limit("documents"), Unit: "documents"},
			{Name: "bytes_so_far", Value: c.bytes, Limit: p.Limit("bytes"), Unit: "bytes"},
			{Name: "reads_last_hour", Value: times, Limit: p.Limit("repeats"), Unit: "reads"},
		},
	}
	if reason == "no-filter" {
		f.Evidence[0].Limit = p.Limit("small-collection")
	} else {
		f.Message = "a very large part of the collection is returned, again and again"
	}
	if before.docs > 0 && before.replaced*2 >= before.docs {
		f.Message += ", and its documents are then replaced one by one"
		f.Fix.Text += " To change what is stored, send one updateMany with a pipeline, and only for the documents that need it."
		f.Evidence = append(f.Evidence, analysis.Evidence{Name: "replaced_after_the_scan_before", Value: before.replaced, Unit: "documents"})
	}
	return f
}

// changed names the field that holds the date of the last change, as the
// returned documents have it.
func changed(docs []bsoncore.Document) string {
	if len(docs) == 0 {
		return ""
	}
	for name, v := range op.Fields(docs[0]) {
		switch name {
		case "updatedAt", "updated_at", "modifiedAt", "modified_at", "lastModified", "lastUpdated", "updated", "modified":
			if v.Type == bsoncore.TypeDateTime {
				return name
			}
		}
	}
	return ""
}

func largeFix(c *cursor, date string) analysis.Fix {
	name := date
	if date == "" {
		name = "<date of the last change>"
	}
	return analysis.Fix{
		Text:    "Read a page of the fields that are used, or what changed since the last run, by an indexed date. If it is only counted, estimatedDocumentCount() answers from metadata.",
		Mongosh: coll(c.ns) + ".createIndex({ " + name + ": 1 })\n" + coll(c.ns) + ".find({ " + name + ": { $gt: <last run> } }, { <field>: 1 }).sort({ " + name + ": 1 }).limit(<page size>)",
	}
}
