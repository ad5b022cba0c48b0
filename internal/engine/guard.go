package engine

import (
	"strings"

	"go.mongodb.org/mongo-driver/v2/x/bsonx/bsoncore"

	"mongoadvisor/internal/op"
)

// application reports whether an operation is an application's: not on the
// server's own collections, not a tool's, not a wait for changes.
func application(o *op.Operation) bool {
	if o.Command != "bulkWrite" && o.NS.Internal() {
		return false
	}
	return !tool(o.Conn) && !waiting(o)
}

// workload reports whether an application's operation is work: the server did
// not refuse to run it as it was sent.
func workload(o *op.Operation) bool { return !refused(o.Reply) && !refusedWrite(o) }

// refusedWrite reports whether the only statement of a write was refused: the
// reply says ok and lists the error beside it.
func refusedWrite(o *op.Operation) bool {
	r := o.Reply
	if o.Kind != op.KindWrite || !r.Seen || !r.OK || r.Code == 0 || len(o.Statements()) != 1 {
		return false
	}
	r.OK = false
	return refused(r)
}

// tools are the beginnings of application names of what copies, watches or
// explores a database on purpose.
var tools = []string{
	"mongodump", "mongorestore", "mongoexport", "mongoimport", "mongosync", "mongomirror", "mongostat", "mongotop",
	"MongoDB Compass", "MongoDB Automation Agent", "MongoDB Monitoring Module", "MongoDB Backup Module",
	"mongodb_exporter", "QAN-mongodb", "mongodb-agent", "datadog-agent", "Studio 3T", "NoSQLBooster", "Robo 3T",
	"pbm-agent", "mongoadvisor",
}

func tool(c *op.Conn) bool {
	if c == nil || c.App == "" {
		return false
	}
	for _, t := range tools {
		if strings.HasPrefix(c.App, t) {
			return true
		}
	}
	return false
}

// waiting reports whether an operation is a change stream or tails a capped
// collection: its time is spent waiting.
func waiting(o *op.Operation) bool {
	switch o.Command {
	case "find":
		return op.True(op.Get(o.Body, "tailable"))
	case "aggregate":
		for _, d := range op.Docs(op.Get(o.Body, "pipeline")) {
			return op.FirstKey(d) == "$changeStream"
		}
	case "getMore":
		return op.Get(o.Body, "maxTimeMS").Type != bsoncore.Type(0) // only awaitData cursors take it
	}
	return false
}

// refused reports whether the server did not run the command because of what
// it says: a wrong operator, a bad pattern, no permission. It is no workload.
// An unknown command is judged all the same: the next server may know it.
func refused(r op.Reply) bool {
	if !r.Seen || r.OK {
		return false
	}
	switch r.Code {
	case 2, 9, 13, 14, 18, 26, 28, 40, 52, 72, 73: // BadValue, FailedToParse, Unauthorized, TypeMismatch, …
		return true
	case 16819, 16820, 16945, 17217, 17419, 17420, 4031700: // memory and size limits: it ran
		return false
	}
	return r.Code >= 15000
}

// retryGuard counts a retried write once: the driver repeats it with the same
// session and transaction number.
type retryGuard struct {
	recent [1024]retryKey // ring
	next   int
	index  map[retryKey]bool
}

type retryKey struct {
	session uint64
	txn     int64
}

func newRetryGuard() *retryGuard { return &retryGuard{index: map[retryKey]bool{}} }

func (g *retryGuard) seen(o *op.Operation) bool {
	if o.Kind != op.KindWrite || o.Session.ID == 0 || o.Session.Txn == 0 || o.Session.InTxn {
		return false
	}
	key := retryKey{o.Session.ID, o.Session.Txn}
	if g.index[key] {
		return true
	}
	delete(g.index, g.recent[g.next])
	g.recent[g.next] = key
	g.next = (g.next + 1) % len(g.recent)
	g.index[key] = true
	return false
}
