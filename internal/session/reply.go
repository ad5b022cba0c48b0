package session

import (
	"strings"

	"go.mongodb.org/mongo-driver/v2/x/bsonx/bsoncore"

	"mongoadvisor/internal/op"
	"mongoadvisor/wire"
)

// readReply takes what rules need from the reply to a command.
func readReply(command string, body bsoncore.Document) op.Reply {
	r := op.Reply{Seen: true}
	for k, v := range op.Fields(body) {
		switch k {
		case "ok":
			r.OK = op.True(v)
		case "code":
			n, _ := op.Int(v)
			r.Code = int32(n)
		case "codeName":
			r.CodeName = codeName(op.Str(v))
		case "n":
			r.N, _ = op.Int(v)
		case "nModified":
			r.Modified, _ = op.Int(v)
		case "numIndexesAfter":
			n, _ := op.Int(v)
			r.Indexes = int(n)
		case "upserted":
			r.Upserted = op.Len(v)
		case "cursor":
			readCursor(&r, op.Doc(v))
		case "writeErrors":
			docs := op.Docs(v)
			if r.Errors = len(docs); r.Errors > 0 {
				n, _ := op.Int(op.Get(docs[0], "code"))
				r.Code = int32(n)
			}
		case "writeConcernError":
			if r.Code == 0 {
				n, _ := op.Int(op.Get(op.Doc(v), "code"))
				r.Code = int32(n)
			}
		case "errorLabels":
			r.Transient = hasLabel(v, "TransientTransactionError")
		case "value":
			if d := op.Doc(v); d != nil && command == "findAndModify" {
				r.Docs, r.Returned = []bsoncore.Document{d}, 1
			}
		case "values":
			r.Returned = op.Len(v)
		}
	}
	return r
}

func hasLabel(v bsoncore.Value, label string) bool {
	if arr := op.Arr(v); arr != nil {
		for item := range op.Items(arr) {
			if op.Str(item) == label {
				return true
			}
		}
	}
	return false
}

func readCursor(r *op.Reply, cursor bsoncore.Document) {
	for k, v := range op.Fields(cursor) {
		switch k {
		case "id":
			r.CursorID, _ = op.Int(v)
		case "firstBatch", "nextBatch":
			r.Docs = op.Docs(v)
			r.Returned = len(r.Docs)
		}
	}
}

// cutReply is what is known of a reply whose batch was longer than what is kept.
func cutReply(c wire.CutReply) op.Reply {
	return op.Reply{
		Seen: true, OK: c.OK || !c.HasOK, Code: c.Code, CodeName: codeName(c.CodeName),
		Returned: -1, CursorID: c.CursorID, Docs: c.Docs, Torn: torn(c.Torn),
	}
}

func torn(t wire.Torn) op.Torn {
	out := op.Torn{Size: t.Size}
	for _, f := range t.Fields {
		if f.Value != nil {
			out.ID = bsoncore.Value{Type: bsoncore.Type(f.Kind), Data: f.Value}
		}
		out.Fields = append(out.Fields, op.TornField{
			Name: strings.ToValidUTF8(f.Name, "?"), Type: bsoncore.Type(f.Kind), Size: f.Size, Elements: f.Elements, First: bsoncore.Type(f.First),
		})
	}
	return out
}

// codeName keeps a name of letters and digits: error texts can carry values,
// code names cannot.
func codeName(s string) string {
	if len(s) > 64 {
		return ""
	}
	for i := range len(s) {
		c := s[i]
		if !(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9') {
			return ""
		}
	}
	return strings.Clone(s)
}
