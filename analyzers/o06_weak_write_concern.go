package analyzers

import (
	"time"

	"go.mongodb.org/mongo-driver/v2/x/bsonx/bsoncore"

	"mongoadvisor/internal/analysis"
	"mongoadvisor/internal/op"
)

func weakWriteConcern() *analysis.Analyzer {
	return &analysis.Analyzer{
		ID: "O06", Name: "weak-write-concern", Since: "0.2.0", Severity: analysis.Low, Off: true,
		Title:    "Writes that nobody knows the outcome of, and reads that may miss one's own write",
		Commands: []string{"insert", "update", "delete", "findAndModify", "bulkWrite", "find"}, Run: runWeakWriteConcern,
		Reasons: []analysis.Reason{
			{Name: "unacknowledged", Doc: "a write with w: 0: no answer says whether it was done"},
			{Name: "no-journal", Doc: "a write with j: false: acknowledged before it is in the journal"},
			{Name: "stale-read", Doc: "a document is read from a secondary right after the same client wrote it, outside of a causally consistent session"},
		},
		Limits: []analysis.Limit{
			{Name: "read-after-write", Default: 1000, Unit: "milliseconds", Doc: "a read of the same _id within this time of the write counts as right after it"},
		},
		State: &analysis.StateSpec{Scope: analysis.ScopeClient, Max: 256, New: func() any { return &ownWrites{} }},
		Doc: analysis.Doc{
			What:   "`writeConcern` with `w: 0` or `j: false` in the command, and a `find` by `_id` with the read preference `secondary` or `secondaryPreferred` right after a write of that `_id` by the same application on the same host, without `afterClusterTime` in its `readConcern`.",
			Why:    "Measured on MongoDB 6.0.5: an insert with `w: 0` whose `_id` is there already is dropped, and the client learns nothing. With `j: false` a crash of the server can lose what was acknowledged. A secondary applies a write some time after the primary: a read in between finds the document as it was, or not at all.",
			Fix:    "`w: \"majority\"`, which is the default since 5.0: leave the write concern away. For reads of one's own writes, the primary, or a causally consistent session, whose reads wait for its writes.",
			Guards: "Off unless asked for. Silent for collections and applications whose name says that they take logs, metrics, traces or statistics, where a lost line does no harm. Wrong here where a write may be lost by agreement.",
			Lesson: "The manual's pages on write concern and on causal consistency.",
		},
	}
}

func runWeakWriteConcern(p *analysis.Pass) {
	if lossy(p.Op.NS.Coll) || p.Op.Conn != nil && lossy(p.Op.Conn.App) {
		return
	}
	writes := p.State().(*ownWrites)
	statements := p.Op.Statements()
	if p.Op.Command == "find" {
		within := time.Duration(p.Limit("read-after-write")) * time.Millisecond
		if id, ok := readsFromSecondary(p.Op); ok {
			if ago, own := writes.recent(p.Op.NS, id, p.Now, within); own {
				reportStaleRead(p, ago)
			}
		}
		return
	}
	concern := op.Doc(op.Get(p.Op.Body, "writeConcern"))
	previous := op.Namespace{}
	for i := range statements {
		s := &statements[i]
		if i < maxOwnStatements {
			writes.note(s, p.Now)
		}
		if concern != nil && s.NS != previous && !lossy(s.NS.Coll) {
			reportConcern(p, i, concern)
			previous = s.NS
		}
	}
}

func reportConcern(p *analysis.Pass, statement int, concern bsoncore.Document) {
	s := &p.Op.Statements()[statement]
	w, numeric := op.Int(op.Get(concern, "w"))
	f := analysis.Finding{
		Reason: "unacknowledged", Statement: statement, NS: s.NS, Fields: []string{}, Severity: analysis.Medium, Override: true,
		Shape:   op.TextShape("{" + s.Command + ": {writeConcern: {w: 0}}}"),
		Message: "written with w: 0: the client does not learn whether it was done",
		Advice:  "A duplicate key, a validation error or a failover loses the write, and no error says so.",
		Caveat:  "these writes may be lost by agreement, as with counters of visits",
		Fix:     concernFix(s),
	}
	if !numeric || w != 0 {
		if j := op.Get(concern, "j"); j.Type == 0 || op.True(j) {
			return
		}
		f.Reason, f.Severity = "no-journal", analysis.Low
		f.Shape = op.TextShape("{" + s.Command + ": {writeConcern: {j: false}}}")
		f.Message = "written with j: false: acknowledged before it is in the journal"
		f.Advice = "If the server stops before the next flush of the journal, the write is gone although it was acknowledged."
	}
	p.Report(f)
}

// concernFix is the same call with the write concern that is the default.
func concernFix(s *op.Statement) analysis.Fix {
	const concern = `{ writeConcern: { w: "majority" } }`
	with := string(call(s))
	arguments := map[string]string{
		"insert": "<document>, ", "updateOne": "<filter>, <update>, ", "updateMany": "<filter>, <update>, ", "findOneAndUpdate": "<filter>, <update>, ",
		"replaceOne": "<filter>, <document>, ", "findOneAndReplace": "<filter>, <document>, ",
	}[with]
	if arguments == "" {
		arguments = "<filter>, "
	}
	if with == "insert" {
		with = "insertOne"
	}
	return analysis.Fix{
		Text:    "Leave the write concern away, so that the server's default holds (majority since 5.0), or ask for it by name.",
		Mongosh: coll(s.NS) + "." + with + "(" + arguments + concern + ")",
	}
}

func reportStaleRead(p *analysis.Pass, ago time.Duration) {
	ns := p.Op.Statements()[0].NS
	p.Report(analysis.Finding{
		Reason: "stale-read", NS: ns, Fields: []string{"_id"}, Shape: op.TextShape("{find: {_id: <just written>}, from: secondary}"),
		Message: "a document is read from a secondary right after it was written",
		Advice:  "The secondary may not have the write yet, and the read then finds the document as it was before, or not at all.",
		Caveat:  "the reader may not mind an older state",
		Fix: analysis.Fix{
			Text:    "Read what was just written from the primary, or do both in a causally consistent session: its reads wait until the secondary has its writes.",
			Mongosh: "// or in a session: db.getMongo().startSession({ causalConsistency: true })\n" + coll(ns) + ".find({ _id: <id> }).readPref(\"primary\")",
		},
		Evidence: []analysis.Evidence{{Name: "after_the_write", Value: ago.Milliseconds(), Limit: p.Limit("read-after-write"), Unit: "milliseconds"}},
	})
}
