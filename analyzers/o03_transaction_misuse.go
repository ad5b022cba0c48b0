package analyzers

import (
	"mongoadvisor/internal/analysis"
	"mongoadvisor/internal/op"
)

func transactionMisuse() *analysis.Analyzer {
	return &analysis.Analyzer{
		ID: "O03", Name: "transaction-misuse", Since: "0.2.0", Severity: analysis.Medium,
		Needs:    op.HasEvery,
		Title:    "Transactions that are too long, too large, in vain or not needed",
		Commands: append([]string{"commitTransaction", "abortTransaction", "insert", "getMore"}, filterCommands...), Run: runTransactionMisuse,
		State: &analysis.StateSpec{Scope: analysis.ScopeGlobal, New: func() any { return newTransactions() }},
		Reasons: []analysis.Reason{
			{Name: "idle-gap", Doc: "the client does something else between the statements of a transaction"},
			{Name: "many-documents", Doc: "a transaction reads or writes very many documents"},
			{Name: "long", Doc: "a transaction takes long"},
			{Name: "single-statement", Doc: "a transaction around one statement on one document, which is atomic by itself"},
			{Name: "conflicts", Doc: "many transactions end in a conflict and are run again"},
			{Name: "aborts", Doc: "many transactions are given up"},
		},
		Limits: []analysis.Limit{
			{Name: "seconds", Default: 10, Unit: "seconds", Doc: "duration from which a transaction is long, as medium"},
			{Name: "many-seconds", Default: 60, Unit: "seconds", Doc: "duration from which it is high: the server ends it by then (transactionLifetimeLimitSeconds)"},
			{Name: "documents", Default: 1000, Unit: "documents", Doc: "documents returned and written from which it is too large"},
			{Name: "gap-ms", Default: 1000, Unit: "milliseconds", Doc: "time between two statements from which the client is doing something else"},
			{Name: "repeats", Default: 3, Unit: "transactions", Doc: "transactions of one kind from which the first three reasons are reported"},
			{Name: "single", Default: 20, Unit: "transactions", Doc: "single-statement transactions of one kind from which they are reported"},
			{Name: "abort-percent", Default: 5, Unit: "%", Doc: "share of a kind's transactions that are given up from which they are reported"},
			{Name: "transactions", Default: 20, Unit: "transactions an hour", Doc: "transactions of one kind below which that share means nothing"},
			{Name: "aborts", Default: 5, Unit: "transactions an hour", Doc: "transactions given up below which it means nothing"},
		},
		Doc: analysis.Doc{
			What: "Transactions from their first statement to commit or abort, by session and number. Those made of the same statements on the same collections are one kind; to see how many are given up, those that begin with the same statement are, since one that is given up did not get to its others.",
			Why: "A transaction keeps what it wrote locked, and every version of a document that somebody changed meanwhile, until it ends; whoever else writes to one of its documents fails and starts again. After `transactionLifetimeLimitSeconds` (60, read from MongoDB 6.0.5) the server ends it. " +
				"One document is changed atomically without any: measured on MongoDB 6.0.5, a replica set of one member, 200 updates of one document took 212 ms, and 335 ms in a transaction each.",
			Fix:    "What must be consistent belongs into one document where it can: then no transaction is needed. Otherwise do all that can be done (calls of other services, computing) before the transaction or after it, touch few documents, and write those that others want, too, last.",
			Guards: "Silent when the first statement was not seen, or others may have been left out under load; below the limits; for kinds that were never committed, as tests do that take everything back. An idle gap that makes most of a long transaction is reported as the gap, and a large one as large. Wrong here for jobs that must change much at once, and for reads of several documents at one time (snapshot).",
			Lesson: "Patterns of reading: what must be consistent is one document, else a transaction.",
		},
	}
}

func runTransactionMisuse(p *analysis.Pass) {
	o := p.Op
	if !o.Session.InTxn || o.Session.ID == 0 {
		return
	}
	t := p.State().(*transactions)
	if o.Command != "commitTransaction" && o.Command != "abortTransaction" {
		t.take(o)
		return
	}
	x := t.end(o)
	if x == nil || len(x.parts) == 0 {
		return
	}
	shape, beginning := x.shape(), x.beginning()
	h, begun := t.habit(x, shape), t.habit(x, beginning)
	ended := begun.ended.Add(p.Now, 1)
	aborted := o.Command == "abortTransaction" || o.Reply.Seen && !o.Reply.OK
	if !aborted {
		begun.committed++
	}
	switch {
	case x.broken: // how it spent its time, and whether it met a conflict, is not known
	case judgeLong(p, x, h, shape):
	case aborted:
		judgeAborts(p, x, begun, beginning, ended)
	default:
		judgeSingle(p, x, h, shape)
	}
}
