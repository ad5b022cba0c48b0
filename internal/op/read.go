package op

import (
	"hash/fnv"

	"go.mongodb.org/mongo-driver/v2/x/bsonx/bsoncore"
)

// Read fills an operation from a command document, which it keeps. db is the
// database where body does not name it in $db. Of commands that carry
// credentials only the name is kept: neither body nor sequences.
func (o *Operation) Read(body bsoncore.Document, db string) {
	sent := FirstKey(body)
	o.Command, o.Kind = Command(sent)
	if o.Kind == KindHandshake || o.Kind == KindSecret {
		o.NS.DB = db
		o.Seqs = nil
		return
	}
	o.Body = body
	for k, v := range Fields(body) {
		switch k {
		case "$db":
			db = Str(v)
		case "comment":
			o.Comment = Comment(v)
		case "lsid":
			o.Session.ID = sessionID(v)
		case "txnNumber":
			o.Session.Txn, _ = Int(v)
		case "startTransaction":
			o.Session.StartTxn = True(v)
		case "autocommit":
			o.Session.InTxn = !True(v)
		}
	}
	o.NS = o.named(sent, db)
	if o.Comment == "" {
		o.Comment = filterComment(body)
	}
}

// named finds what a command is about. Only of commands that are known to
// name a collection is the operand believed to be one: that of eval is code.
func (o *Operation) named(sent, db string) Namespace {
	ns := Namespace{DB: db}
	switch o.Kind {
	case KindRead, KindWrite, KindDDL, KindCursor:
	default:
		return ns
	}
	operand := Str(Get(o.Body, sent)) // "" for commands on the database: they say 1
	switch o.Command {
	case "getMore":
		operand = Str(Get(o.Body, "collection"))
	case "renameCollection":
		return ParseNamespace(operand)
	}
	ns.Coll = operand
	return ns
}

// filterComment reads the $comment some drivers and older code put in the filter.
func filterComment(body bsoncore.Document) string {
	for _, field := range []string{"filter", "query"} {
		if v := Get(Doc(Get(body, field)), "$comment"); v.Type != 0 {
			return Comment(v)
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
