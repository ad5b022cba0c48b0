package session

import (
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"
)

func TestNamespaceOfEachKindOfCommand(t *testing.T) {
	db := bson.E{Key: "$db", Value: "shop"}
	for want, d := range map[string]bson.D{
		"shop.orders":  find("orders"),
		"shop.carts":   {{Key: "getMore", Value: int64(7)}, {Key: "collection", Value: "carts"}, db},
		"shop":         {{Key: "aggregate", Value: 1}, {Key: "pipeline", Value: bson.A{}}, db},
		"shop.a.b":     {{Key: "createIndexes", Value: "a.b"}, {Key: "indexes", Value: bson.A{}}, db},
		"other.things": {{Key: "renameCollection", Value: "other.things"}, {Key: "to", Value: "other.x"}, {Key: "$db", Value: "admin"}},
	} {
		r := newRig(t)
		r.client(opMsg(1, 0, 0, d))
		r.session.Close()
		if got := r.ops[0].NS.String(); got != want {
			t.Errorf("%v: %q, want %q", d[0], got, want)
		}
	}
}

// The operand of a command that names no collection is not taken for one: it
// can be code, or anything.
func TestOperandOfOtherCommandsIsNoName(t *testing.T) {
	for _, name := range []string{"eval", "$eval", "setParameter", "getParameter", "newCommandOf2030", "explain", "validate"} {
		r := newRig(t)
		r.client(opMsg(1, 0, 0, bson.D{{Key: name, Value: "function() { return 'hunter2' }"}, {Key: "$db", Value: "shop"}}))
		r.session.Close()
		if got := r.ops[0].NS; got.Coll != "" {
			t.Errorf("%s: namespace %q", name, got)
		}
	}
}

func TestTransactionAndRetryFieldsAreRead(t *testing.T) {
	r := newRig(t)
	session := bson.E{Key: "lsid", Value: bson.D{{Key: "id", Value: bson.Binary{Subtype: 4, Data: make([]byte, 16)}}}}
	r.client(opMsg(1, 0, 0, append(find("a"), session, bson.E{Key: "txnNumber", Value: int64(3)}, bson.E{Key: "autocommit", Value: false}, bson.E{Key: "startTransaction", Value: true})))
	r.client(opMsg(2, 0, 0, append(find("a"), session, bson.E{Key: "txnNumber", Value: int64(4)})))
	r.client(opMsg(3, 0, 0, find("a")))
	r.session.Close()
	a, b, c := r.ops[0].Session, r.ops[1].Session, r.ops[2].Session
	if a.ID == 0 || a.ID != b.ID || a.Txn != 3 || !a.InTxn || !a.StartTxn || b.InTxn || b.Txn != 4 || c.ID != 0 {
		t.Errorf("%+v, %+v, %+v", a, b, c)
	}
}

func TestCommentIsReadFromCommandOrFilter(t *testing.T) {
	r := newRig(t)
	r.client(opMsg(1, 0, 0, append(find("a"), bson.E{Key: "comment", Value: "route=/orders/66a1b2c3d4e5f60718293a4b"})))
	r.client(opMsg(2, 0, 0, bson.D{{Key: "find", Value: "a"}, {Key: "filter", Value: bson.D{{Key: "$comment", Value: "job=nightly"}}}, {Key: "$db", Value: "shop"}}))
	r.session.Close()
	if r.ops[0].Comment != "route=/orders/<id>" || r.ops[1].Comment != "job=nightly" {
		t.Errorf("%q, %q", r.ops[0].Comment, r.ops[1].Comment)
	}
}
