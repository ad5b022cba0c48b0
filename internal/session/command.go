package session

import (
	"strings"

	"go.mongodb.org/mongo-driver/v2/x/bsonx/bsoncore"

	"mongoadvisor/internal/op"
)

// command fills an operation from a command document. db is the database of an
// OP_QUERY's namespace; OP_MSG names it in $db. Of a handshake it takes who the
// client is.
func (s *Session) command(o *op.Operation, body bsoncore.Document, db string) {
	o.Read(body, db)
	if o.Kind == op.KindHandshake {
		before := s.conn
		s.conn = introduce(s.conn, body)
		o.Conn, o.Introduces = s.conn, s.conn != before
	}
	if o.Kind == op.KindHandshake || o.Kind == op.KindSecret {
		o.X509 = byCertificate(body)
	}
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
