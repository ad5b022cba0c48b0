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
			table.add(op.Namespace{DB: "d", Coll: strconv.Itoa(c)}, spec(strings.Repeat("x", 200)+strconv.Itoa(n)))
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
