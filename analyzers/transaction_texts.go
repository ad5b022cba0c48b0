package analyzers

import (
	"mongoadvisor/internal/analysis"
	"mongoadvisor/internal/op"
)

// transactionTexts are message, advice, caveat and fix of each reason.
var transactionTexts = map[string][4]string{
	"idle-gap": {
		"the client does something else between the statements of a transaction",
		"What the transaction wrote stays locked for that time, and others that want it fail.",
		"a person or another service may have to decide in between",
		"Do everything else before the first statement or after the commit: call other services, compute, wait for people.",
	},
	"many-documents": {
		"a transaction reads or writes very many documents",
		"All of them stay locked and kept in old versions until the commit, which then has to write them at once.",
		"they may have to change at the same moment",
		"Work in ranges of _id, each with a transaction of its own or none, and make each step such that it can be repeated.",
	},
	"long": {
		"a transaction takes long",
		"What it wrote stays locked until it ends, and the server gives up on transactions that live too long.",
		"a job at a quiet time may take it",
		"See what its statements wait for (an index, a lock), and shorten it: fewer statements, none that can be done before or after.",
	},
	"single-statement": {
		"a transaction is made around one statement on one document",
		"One document is changed atomically anyway; the commit is another round trip.",
		"a later version may add the second statement",
		"Send the statement without a transaction. Retryable writes keep it safe against a lost connection.",
	},
	"conflicts": {
		"many transactions end in a conflict and are run again",
		"Each of them did its work in vain, and its next attempt meets the same rivals.",
		"a burst of writers to one document may pass",
		"Keep what many change out of the transaction ($inc by itself, a document for each writer), or write it as its last statement so that it is locked for a moment only.",
	},
	"aborts": {
		"many transactions are given up",
		"Their statements ran and were taken back.",
		"the business may want to give them up",
		"Check what makes them end before the first statement, or put the check into the filter of the write: then nothing is written that must be taken back.",
	},
}

func transactionFinding(x *transaction, shape op.Shape, reason string) analysis.Finding {
	texts := transactionTexts[reason]
	return analysis.Finding{
		Reason: reason, NS: x.ns, Shape: shape, Fields: []string{}, Confidence: analysis.Observed,
		Message: texts[0], Advice: texts[1], Caveat: texts[2],
		Fix: analysis.Fix{Text: texts[3] + " What must be consistent is best kept in one document.", Mongosh: transactionFix(x, reason)},
	}
}

// transactionFix writes what replaces the transaction.
func transactionFix(x *transaction, reason string) string {
	switch {
	case reason == "many-documents":
		return coll(x.ns) + ".updateMany({ _id: { $gte: <from>, $lt: <to> } }, <update>)"
	case reason == "single-statement" && x.single == "insert":
		return coll(x.ns) + ".insertOne(<document>)"
	case reason == "single-statement":
		return query(x.single, x.ns, "<filter>", "")
	}
	return coll(x.ns) + ".updateOne(<filter>, <update of all that changes together>)"
}
