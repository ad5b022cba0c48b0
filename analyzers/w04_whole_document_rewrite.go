package analyzers

import (
	"mongoadvisor/internal/analysis"
	"mongoadvisor/internal/op"
)

func wholeDocumentRewrite() *analysis.Analyzer {
	return &analysis.Analyzer{
		ID: "W04", Name: "whole-document-rewrite", Since: "0.2.0", Severity: analysis.Low, Needs: op.HasEvery,
		Title:    "Documents written as a whole for the change of a part",
		Commands: []string{"find", "update", "findAndModify", "bulkWrite"}, Run: runWholeDocumentRewrite,
		State: &analysis.StateSpec{Scope: analysis.ScopeNamespace, Max: 192, New: func() any { return newRewrites() }},
		Reasons: []analysis.Reason{
			{Name: "noop", Doc: "what is written is what was written before"},
			{Name: "replace-large", Doc: "large documents, or most of their fields, are written again and again"},
			{Name: "save-after-read", Doc: "documents are read by `_id` and then replaced as a whole"},
		},
		Limits: []analysis.Limit{
			{Name: "bytes", Default: 16 << 10, Unit: "bytes", Doc: "size from which a document that is written as a whole is large"},
			{Name: "medium-bytes", Default: 64 << 10, Unit: "bytes", Doc: "size from which it is medium"},
			{Name: "fields", Default: 20, Unit: "fields", Doc: "fields at the top that one `$set` writes from which it is as a whole"},
			{Name: "rewrites", Default: 3, Unit: "writes", Doc: "such writes of one document, after the first, from which it is reported"},
			{Name: "noops", Default: 20, Unit: "writes", Doc: "writes of a collection that changed nothing from which it is reported"},
			{Name: "noop-share", Default: 50, Unit: "%", Doc: "least share of those among its writes of whole documents that had one before"},
			{Name: "saves", Default: 50, Unit: "documents", Doc: "documents that were read and then replaced from which it is reported"},
			{Name: "save-bytes", Default: 1 << 10, Unit: "bytes", Doc: "least size of those"},
		},
		Doc: analysis.Doc{
			What: "Replacements (`replaceOne`, `findOneAndReplace`, `save()` of an object mapper) and updates that `$set` most of a document, told apart by the `_id` in their filter. Contents are compared by their hashes and never kept.",
			Why: "All of the document goes over the network; a replacement goes into the oplog as a whole, too, and what somebody else wrote in the meantime is lost. " +
				"Measured on MongoDB 6.0.5, median: replacing a document of 64 KB took 0.51 ms, one of 1 MB 3.4 ms; `$set` of one field in them 0.26 and 0.42 ms. " +
				"Of a document of 20 KB with one field changed, the replacement made an oplog entry of 20,299 bytes, a `$set` of that field, or of all fields, one of 309. A replacement by the same content is said to have modified the document and makes the same entry; a `$set` of the same values makes none.",
			Fix: "Send what has changed: `$set` of those fields, `$inc` and `$push` instead of read, compute and write. Compare before writing. Where a document must be replaced, put the version that was read into the filter. " +
				"A replacement that cannot be avoided can be sent as a pipeline, `[{ $replaceWith: { $literal: <document> } }]`: its entry was the one of 309 bytes, too.",
			Guards: "Silent for upserts that make documents, for migrations, which take each document once, for small documents, and after a read when the filter has a version beside `_id`: nothing is lost then. Wrong here when most of a document really changes each time.",
			Lesson: "How documents are stored; the manual's page on updates.",
		},
	}
}

func runWholeDocumentRewrite(p *analysis.Pass) {
	statements := p.Op.Statements()
	if writeFailed(p.Op) {
		return // sent again, it is the same content, and the first that is written
	}
	for i := range statements {
		s := &statements[i]
		if s.Command == "find" {
			if op.Get(s.Filter, "_id").Type == 0 {
				continue
			}
			if id, ok := target(s); ok {
				rewritesOf(p).read(p.Op, id)
			}
			continue
		}
		w, ok := rewriteOf(p, s)
		if !ok {
			continue
		}
		known := rewritesOf(p)
		d, content := known.at(w)
		switch {
		case made(p.Op): // an upsert made it
		case d.lost(p.Op):
		case known.same(p.Op, w, d.content, content):
			judgeNoop(p, i, w, known)
		case w.large:
			d.large++
			judgeLarge(p, i, w, d)
		case w.replaces && w.bytes >= p.Limit("save-bytes") && !w.versioned && known.wasRead(p.Op, w.id):
			known.saved.Add(w.id)
			judgeSaves(p, i, w, known)
		}
		d.content, d.stretch = content, p.Op.Sample.Stretch
	}
}

// rewritesOf is what is known of the collection.
func rewritesOf(p *analysis.Pass) *rewrites {
	known := p.State().(*rewrites)
	if known.stretch.broken(p) {
		known.interrupt()
	}
	return known
}

// made reports whether the reply tells of a document that an upsert made, or of
// none that was found.
func made(o *op.Operation) bool {
	r := o.Reply
	return r.Upserted > 0 || o.Command == "update" && r.Seen && r.N == 0
}

func judgeNoop(p *analysis.Pass, statement int, w rewrite, known *rewrites) {
	share := known.noops * 100 / max(known.compared, 1)
	if known.noops < p.Limit("noops") || share < p.Limit("noop-share") {
		return
	}
	f := analysis.Finding{
		Reason: "noop", Confidence: analysis.Observed,
		Message: "most of a document is set to what is in it already",
		Advice:  "The server finds nothing to change, but all of it is sent and compared each time.",
		Caveat:  "the write may be wanted for its own sake, as a sign of life: then a field with its time is enough",
		Evidence: []analysis.Evidence{
			{Name: "writes_without_change", Value: known.noops, Limit: p.Limit("noops"), Unit: "writes"},
			{Name: "share_without_change", Value: share, Limit: p.Limit("noop-share"), Unit: "%"},
		},
	}
	if w.replaces {
		f.Severity, f.Override = analysis.Medium, true
		f.Message = "documents are replaced by what is in them already"
		f.Advice = "The server does not notice: it writes the document, and its whole content goes into the oplog."
	}
	reportRewrite(p, statement, f, "Compare with what was read before writing, and send only the fields that differ.")
}

func judgeLarge(p *analysis.Pass, statement int, w rewrite, d *rewritten) {
	if d.large <= p.Limit("rewrites") {
		return
	}
	f := analysis.Finding{
		Reason:  "replace-large",
		Message: "a large document is written as a whole again and again",
		Advice:  "All of it goes over the network and into the oplog, where a part may have changed.",
		Caveat:  "most of the document may really change each time",
		Evidence: []analysis.Evidence{
			{Name: "bytes", Value: w.bytes, Limit: p.Limit("bytes"), Unit: "bytes"},
			{Name: "fields", Value: w.fields, Limit: p.Limit("fields"), Unit: "fields"},
			{Name: "writes_of_one_document", Value: d.large, Limit: p.Limit("rewrites"), Unit: "writes"},
		},
	}
	if !w.replaces {
		f.Message = "most of a document is set again and again"
		f.Advice = "All of it goes over the network, and what others changed in the meantime is set back."
	}
	if w.bytes >= p.Limit("medium-bytes") {
		f.Severity, f.Override = analysis.Medium, true
	}
	reportRewrite(p, statement, f, "Send only the fields that have changed, and $inc, $push and the like for what is computed from the old value.")
}

func judgeSaves(p *analysis.Pass, statement int, w rewrite, known *rewrites) {
	if int64(known.saved.Len()) < min(p.Limit("saves"), maxSaved) {
		return
	}
	reportRewrite(p, statement, analysis.Finding{
		Reason:  "save-after-read",
		Message: "documents are read and then replaced as a whole",
		Advice:  "What somebody else wrote between the two is lost, and all of the document is sent for the change of a part.",
		Caveat:  "nobody else may write these documents",
		Evidence: []analysis.Evidence{
			{Name: "documents", Value: int64(known.saved.Len()), Limit: p.Limit("saves"), Unit: "documents"},
			{Name: "bytes", Value: w.bytes, Limit: p.Limit("save-bytes"), Unit: "bytes"},
		},
	}, "Send only the fields that have changed; or put the version that was read into the filter, and count it up.")
}

// reportRewrite completes a finding: it belongs to the collection, however the
// writes look.
func reportRewrite(p *analysis.Pass, statement int, f analysis.Finding, fix string) {
	s := &p.Op.Statements()[statement]
	form := "<document>"
	if s.Update.Replacement == nil {
		form = "{$set: <most of it>}"
	}
	f.Statement, f.NS, f.Fields = statement, s.NS, []string{}
	f.Shape = op.TextShape("{filter: {_id: <id>}, update: " + form + "}")
	f.Fix = analysis.Fix{Text: fix, Mongosh: coll(s.NS) + ".updateOne({ _id: <_id> }, { $set: { <changed field>: <value> } })"}
	p.Report(f)
}
