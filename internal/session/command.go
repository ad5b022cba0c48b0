package session

import (
	"hash/fnv"
	"strings"

	"go.mongodb.org/mongo-driver/v2/x/bsonx/bsoncore"

	"mongoadvisor/internal/op"
)

// command fills an operation from a command document. db is the database of an
// OP_QUERY's namespace; OP_MSG names it in $db.
func (s *Session) command(o *op.Operation, body bsoncore.Document, db string) {
	sent := op.FirstKey(body)
	o.Command, o.Kind = op.Command(sent)
	if o.Kind == op.KindHandshake {
		s.conn = introduce(s.conn, body)
		o.Conn = s.conn
	}
	if o.Kind == op.KindHandshake || o.Kind == op.KindSecret {
		o.NS.DB = db // credentials may stand in it: nothing of the body is kept
		o.Seqs = nil
		return
	}
	o.Body = body
	for k, v := range op.Fields(body) {
		switch k {
		case "$db":
			db = op.Str(v)
		case "comment":
			o.Comment = op.Comment(v)
		case "lsid":
			o.Session.ID = sessionID(v)
		case "txnNumber":
			o.Session.Txn, _ = op.Int(v)
		case "startTransaction":
			o.Session.StartTxn = op.True(v)
		case "autocommit":
			o.Session.InTxn = !op.True(v)
		}
	}
	o.NS = op.Namespace{DB: db, Coll: collection(o.Command, sent, body)}
	if o.Comment == "" {
		o.Comment = filterComment(body)
	}
}

// collection finds the collection a command is about.
func collection(command, sent string, body bsoncore.Document) string {
	switch command {
	case "getMore":
		return op.Str(op.Get(body, "collection"))
	case "explain":
		inner := op.Doc(op.Get(body, sent))
		return op.Str(op.Get(inner, op.FirstKey(inner)))
	}
	return op.Str(op.Get(body, sent)) // a number for commands on the database
}

// filterComment reads the $comment some drivers and older code put in the filter.
func filterComment(body bsoncore.Document) string {
	for _, field := range []string{"filter", "query"} {
		if v := op.Get(op.Doc(op.Get(body, field)), "$comment"); v.Type != 0 {
			return op.Comment(v)
		}
	}
	return ""
}

// sessionID hashes a logical session id: only equality matters.
func sessionID(v bsoncore.Value) uint64 {
	h := fnv.New64a()
	_, _ = h.Write(v.Data)
	return h.Sum64() | 1
}

// commandDB is the database of "admin.$cmd", and whether the namespace is a
// command's at all.
func commandDB(collection string) (string, bool) {
	return strings.CutSuffix(collection, ".$cmd")
}

// unwrapQuery takes the command out of {$query: {…}, $readPreference: …}.
func unwrapQuery(body bsoncore.Document) bsoncore.Document {
	if first := op.FirstKey(body); first == "$query" || first == "query" {
		if inner := op.Doc(op.Get(body, first)); inner != nil {
			return inner
		}
	}
	return body
}
