package engine

import (
	"strconv"
	"strings"
	"testing"

	"go.mongodb.org/mongo-driver/v2/x/bsonx/bsoncore"

	"mongoadvisor/internal/op"
)

// TestIndexTableIsBounded: names of any length and collections without end are
// learnt only as far as there is room, and what is dropped gives it back.
func TestIndexTableIsBounded(t *testing.T) {
	table := newIndexTable()
	spec := func(name string) bsoncore.Document {
		key := bsoncore.AppendDocumentElement(nil, "key", bsoncore.BuildDocument(nil, bsoncore.AppendInt32Element(nil, "a", 1)))
		return bsoncore.BuildDocument(nil, bsoncore.AppendStringElement(nil, "name", name), key)
	}
	for c := range maxIndexedCollections + 100 {
		for n := range maxIndexes + 10 {
			table.add(op.Namespace{DB: "d", Coll: strconv.Itoa(c)}, spec(strings.Repeat("x", 200)+strconv.Itoa(n)), false)
		}
		if table.bytes > maxIndexBytes {
			t.Fatalf("%d bytes of indexes after %d collections", table.bytes, c)
		}
	}
	if len(table.byNS) > maxIndexedCollections {
		t.Errorf("%d collections", len(table.byNS))
	}
	for _, indexes := range table.byNS {
		if len(indexes) > maxIndexes {
			t.Fatalf("%d indexes of one collection", len(indexes))
		}
	}
	table.learn(&op.Operation{Kind: op.KindDDL, Command: "dropDatabase", NS: op.Namespace{DB: "d"}})
	if table.bytes != 0 || len(table.byNS) != 0 {
		t.Errorf("%d bytes in %d collections after the drop", table.bytes, len(table.byNS))
	}
}

// TestIndexTableKnowsWhenItIsComplete: after a whole list, and not after an index
// that was made, half a list, or a drop that does not name one.
func TestIndexTableKnowsWhenItIsComplete(t *testing.T) {
	spec := func(name string) bsoncore.Document {
		key := bsoncore.AppendDocumentElement(nil, "key", bsoncore.BuildDocument(nil, bsoncore.AppendInt32Element(nil, name, 1)))
		return bsoncore.BuildDocument(nil, bsoncore.AppendStringElement(nil, "name", name), key)
	}
	ns := op.Namespace{DB: "d", Coll: "c"}
	list := func(r op.Reply) *op.Operation {
		r.Seen, r.OK, r.Docs = true, true, []bsoncore.Document{spec("_id"), spec("a")}
		return &op.Operation{Kind: op.KindDDL, Command: "listIndexes", NS: ns, Reply: r}
	}
	table := newIndexTable()
	for i, step := range []struct {
		o    *op.Operation
		want bool
	}{
		{list(op.Reply{Returned: -1}), false},
		{list(op.Reply{Returned: 2, CursorID: 5}), false},
		{list(op.Reply{Returned: 2}), true},
		{&op.Operation{Kind: op.KindDDL, Command: "dropIndexes", NS: ns, Body: bsoncore.BuildDocument(nil, bsoncore.AppendStringElement(nil, "index", "a"))}, true},
		{&op.Operation{Kind: op.KindDDL, Command: "dropIndexes", NS: ns, Body: bsoncore.BuildDocument(nil, bsoncore.AppendStringElement(nil, "index", "*"))}, false},
		{list(op.Reply{Returned: 2}), true},
		{&op.Operation{Kind: op.KindDDL, Command: "drop", NS: ns}, false},
		{creation(ns, spec("a"), 3), false}, // there are others that nobody has seen
		{creation(ns, spec("b"), 3), true},
	} {
		if table.learn(step.o); table.complete[ns] != step.want {
			t.Errorf("step %d: complete is %v", i, !step.want)
		}
	}
}

// creation is a createIndexes after which the collection has so many.
func creation(ns op.Namespace, spec bsoncore.Document, after int) *op.Operation {
	list := bsoncore.BuildDocument(nil, bsoncore.AppendDocumentElement(nil, "0", spec))
	body := bsoncore.BuildDocument(nil, bsoncore.AppendArrayElement(nil, "indexes", bsoncore.Array(list)))
	return &op.Operation{Kind: op.KindDDL, Command: "createIndexes", NS: ns, Body: body, Reply: op.Reply{Seen: true, OK: true, Indexes: after}}
}
