package op

import (
	"bytes"
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/x/bsonx/bsoncore"
)

// everyType has a field of each type that BSON knows.
func everyType() bsoncore.Document {
	return doc(d(
		"double", 1.5, "string", "text", "document", d("a", 1), "array", bson.A{1, "x"}, "binary", bson.Binary{Subtype: 4, Data: []byte("0123456789abcdef")},
		"undefined", bson.Undefined{}, "objectId", bson.NewObjectID(), "true", true, "date", bson.DateTime(5), "null", nil, "regex", re("^a", "i"),
		"pointer", bson.DBPointer{DB: "a.b"}, "code", bson.JavaScript("x"), "symbol", bson.Symbol("s"), "scope", bson.CodeWithScope{Code: "x", Scope: d("a", 1)},
		"int32", int32(1), "timestamp", bson.Timestamp{T: 1, I: 2}, "int64", int64(1), "decimal", bson.NewDecimal128(1, 2), "min", bson.MinKey{}, "max", bson.MaxKey{}, "", 1,
	))
}

// same compares our reading with bsoncore's, element by element.
func same(t *testing.T, b []byte) (n int) {
	t.Helper()
	rest := b[4 : len(b)-1]
	for key, v := range Fields(bsoncore.Document(b)) {
		elem, rem, ok := bsoncore.ReadElement(rest)
		if !ok || elem.Key() != key || bsoncore.Type(elem[0]) != v.Type || !bytes.Equal(elem[2+len(key):], v.Data) {
			t.Fatalf("element %d: %q of %s with %x, bsoncore has %x (%v)", n, key, v.Type, v.Data, []byte(elem), ok)
		}
		rest = rem
		n++
	}
	return n
}

func TestFieldsReadsEveryType(t *testing.T) {
	b := everyType()
	elements, err := b.Elements()
	if err != nil {
		t.Fatal(err)
	}
	if n := same(t, b); n != len(elements) || n < 22 {
		t.Errorf("%d of %d elements", n, len(elements))
	}
	for cut := range len(b) - 5 { // what is cut ends the walk, wherever
		same(t, append(b[:5+cut:5+cut], 0))
	}
}

// FuzzFields holds our reading of elements against bsoncore's: it may stop where
// bsoncore goes on, at lengths that no value can have, and never reads anything
// else.
func FuzzFields(f *testing.F) {
	f.Add([]byte(everyType()))
	f.Add([]byte{5, 0, 0, 0, 0})
	f.Fuzz(func(t *testing.T, b []byte) {
		if len(b) >= 5 {
			same(t, b)
		}
	})
}

func BenchmarkFields(b *testing.B) {
	doc := everyType()
	b.Run("ours", func(b *testing.B) {
		for b.Loop() {
			for range Fields(doc) {
			}
		}
	})
	b.Run("bsoncore", func(b *testing.B) {
		for b.Loop() {
			for rest := []byte(doc[4 : len(doc)-1]); len(rest) > 0; {
				elem, rem, ok := bsoncore.ReadElement(rest)
				if !ok {
					break
				}
				_ = elem.KeyBytes()
				rest = rem
			}
		}
	})
}
