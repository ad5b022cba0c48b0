package op

import (
	"iter"
	"strings"
	"unsafe"

	"go.mongodb.org/mongo-driver/v2/x/bsonx/bsoncore"
)

// Fields yields a document's fields in order. Keys and values alias the
// document; a malformed rest ends the walk (documents from the wire were
// validated before they got here, so that is the end of the document).
func Fields(doc bsoncore.Document) iter.Seq2[string, bsoncore.Value] {
	return func(yield func(string, bsoncore.Value) bool) {
		if len(doc) < 5 {
			return
		}
		rest := []byte(doc[4 : len(doc)-1])
		for len(rest) > 0 {
			elem, rem, ok := bsoncore.ReadElement(rest)
			if !ok {
				return
			}
			key := elem.KeyBytes()
			value := bsoncore.Value{Type: bsoncore.Type(elem[0]), Data: elem[2+len(key):]}
			if !yield(alias(key), value) {
				return
			}
			rest = rem
		}
	}
}

// Items yields the values of an array.
func Items(arr bsoncore.Array) iter.Seq[bsoncore.Value] {
	return func(yield func(bsoncore.Value) bool) {
		for _, v := range Fields(bsoncore.Document(arr)) {
			if !yield(v) {
				return
			}
		}
	}
}

// alias views bytes as a string without copying: the bytes of a message are
// never written again once it is decoded.
func alias(b []byte) string {
	if len(b) == 0 {
		return ""
	}
	return unsafe.String(&b[0], len(b))
}

// Get returns the value of a top-level field; its Type is 0 when there is none.
func Get(doc bsoncore.Document, key string) bsoncore.Value {
	for k, v := range Fields(doc) {
		if k == key {
			return v
		}
	}
	return bsoncore.Value{}
}

// Doc returns a value as a document, or nil.
func Doc(v bsoncore.Value) bsoncore.Document {
	if v.Type != bsoncore.TypeEmbeddedDocument {
		return nil
	}
	return bsoncore.Document(v.Data)
}

// Arr returns a value as an array, or nil.
func Arr(v bsoncore.Value) bsoncore.Array {
	if v.Type != bsoncore.TypeArray {
		return nil
	}
	return bsoncore.Array(v.Data)
}

// Str returns a value as a string that aliases the document, or "".
func Str(v bsoncore.Value) string {
	if v.Type != bsoncore.TypeString || len(v.Data) < 5 {
		return ""
	}
	return alias(v.Data[4 : len(v.Data)-1])
}

// Int returns a numeric value as an integer.
func Int(v bsoncore.Value) (int64, bool) {
	return v.AsInt64OK()
}

// True reports whether a value is true, or a number other than 0, as commands
// accept it.
func True(v bsoncore.Value) bool {
	if b, ok := v.BooleanOK(); ok {
		return b
	}
	n, ok := v.AsFloat64OK()
	return ok && n != 0
}

// Docs returns the documents of an array, leaving out anything else.
func Docs(v bsoncore.Value) []bsoncore.Document {
	arr := Arr(v)
	if arr == nil {
		return nil
	}
	var out []bsoncore.Document
	for item := range Items(arr) {
		if d := Doc(item); d != nil {
			out = append(out, d)
		}
	}
	return out
}

// Len counts the elements of an array or the fields of a document.
func Len(v bsoncore.Value) int {
	n := 0
	if v.Type == bsoncore.TypeArray || v.Type == bsoncore.TypeEmbeddedDocument {
		for range Fields(bsoncore.Document(v.Data)) {
			n++
		}
	}
	return n
}

// FirstKey returns the name of a document's first field, or "".
func FirstKey(doc bsoncore.Document) string {
	for k := range Fields(doc) {
		return k
	}
	return ""
}

// IsOperators reports whether a document holds operators ({$gt: …}) and is not
// a literal to compare with.
func IsOperators(doc bsoncore.Document) bool {
	return strings.HasPrefix(FirstKey(doc), "$")
}
