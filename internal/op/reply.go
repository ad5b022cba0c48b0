package op

import "go.mongodb.org/mongo-driver/v2/x/bsonx/bsoncore"

// Reply is what the server answered, as far as it was seen.
type Reply struct {
	Seen     bool // a reply was paired with the request
	OK       bool
	Code     int32  // 0 when OK
	CodeName string // the server's name of Code, letters only
	Returned int    // documents in the batch; -1 when that is not known: the batch was cut, or a log does not say
	N        int64  // n: documents matched, counted, inserted or deleted; -1 when that is not known
	Modified int64  // nModified
	Upserted int    // documents an upsert made
	Indexes  int    // numIndexesAfter of createIndexes: all that the collection has
	Errors   int    // writeErrors: statements that failed; Code is that of the first
	// Transient says that the reply is labelled a transient transaction error: the
	// driver runs the whole transaction again.
	Transient bool
	CursorID  int64 // 0 when the cursor is exhausted
	Bytes     int   // size of the reply message
	// Docs are the documents of the batch that were kept, in order; fewer than
	// Returned when the message was cut.
	Docs []bsoncore.Document
	// Torn is what is known of the document after these when the message was cut.
	Torn Torn
}

// Torn is a document of which only the beginning was kept.
type Torn struct {
	Size   int            // in bytes, of all of it; 0 when there is none
	ID     bsoncore.Value // its _id, for Hash and nothing else: it was not checked
	Fields []TornField
}

// TornField is one top-level field of a torn document, as far as it began in
// what was kept.
type TornField struct {
	Name     string
	Type     bsoncore.Type
	Size     int           // of its value in bytes
	Elements int           // of an array: it has at least as many
	First    bsoncore.Type // of the first of them
}

// Exec is what the server says of the execution. It is not on the wire: logs
// and the profiler carry it.
type Exec struct {
	KeysExamined, DocsExamined int64
	Plan                       string // "IXSCAN", "COLLSCAN", …
	SortInMemory               bool
}

// Session is the logical session of an operation.
type Session struct {
	ID       uint64 // hash of lsid; 0 without a session
	Txn      int64  // txnNumber; 0 without
	InTxn    bool   // part of a multi-statement transaction
	StartTxn bool
}
