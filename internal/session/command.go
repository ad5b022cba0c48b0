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
		before := s.conn
		s.conn = introduce(s.conn, body)
		o.Conn, o.Introduces = s.conn, s.conn != before
	}
	if o.Kind == op.KindHandshake || o.Kind == op.KindSecret {
		o.X509 = byCertificate(body)
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
	o.NS = namespace(o, sent, db, body)
	if o.Comment == "" {
		o.Comment = filterComment(body)
	}
}

// namespace finds what a command is about. Only of commands that are known to
// name a collection is the operand believed to be one: that of eval is code.
func namespace(o *op.Operation, sent, db string, body bsoncore.Document) op.Namespace {
	ns := op.Namespace{DB: db}
	switch o.Kind {
	case op.KindRead, op.KindWrite, op.KindDDL, op.KindCursor:
	default:
		return ns
	}
	operand := op.Str(op.Get(body, sent)) // "" for commands on the database: they say 1
	switch o.Command {
	case "getMore":
		operand = op.Str(op.Get(body, "collection"))
	case "renameCollection":
		return op.ParseNamespace(operand)
	}
	ns.Coll = operand
	return ns
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
