package op

import (
	"bytes"
	"encoding/binary"
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
			end := 1 // keys are short: a loop is quicker than a call
			for end < len(rest) && rest[end] != 0 {
				end++
			}
			if end >= len(rest) {
				return
			}
			data := rest[end+1:]
			n := valueLength(bsoncore.Type(rest[0]), data)
			if n < 0 || n > len(data) {
				return
			}
			if !yield(alias(rest[1:end]), bsoncore.Value{Type: bsoncore.Type(rest[0]), Data: data[:n:n]}) {
				return
			}
			rest = data[n:]
		}
	}
}

// valueLength is how many bytes a value of a type takes, -1 when data cannot hold
// one. Every walk over every message comes through here; bsoncore's own reading of
// an element takes about twice as long, as it looks for the key's end again.
func valueLength(t bsoncore.Type, data []byte) int {
	switch t {
	case bsoncore.TypeNull, bsoncore.TypeUndefined, bsoncore.TypeMinKey, bsoncore.TypeMaxKey:
		return 0
	case bsoncore.TypeBoolean:
		return 1
	case bsoncore.TypeInt32:
		return 4
	case bsoncore.TypeInt64, bsoncore.TypeDouble, bsoncore.TypeDateTime, bsoncore.TypeTimestamp:
		return 8
	case bsoncore.TypeObjectID:
		return 12
	case bsoncore.TypeDecimal128:
		return 16
	case bsoncore.TypeString, bsoncore.TypeJavaScript, bsoncore.TypeSymbol:
		return declared(data, 1, 4)
	case bsoncore.TypeEmbeddedDocument, bsoncore.TypeArray, bsoncore.TypeCodeWithScope:
		return declared(data, 5, 0)
	case bsoncore.TypeBinary:
		return declared(data, 0, 5)
	case bsoncore.TypeDBPointer:
		return declared(data, 1, 4+12)
	case bsoncore.TypeRegex:
		pattern := bytes.IndexByte(data, 0) + 1
		options := bytes.IndexByte(data[pattern:], 0) + 1
		if pattern == 0 || options == 0 {
			return -1
		}
		return pattern + options
	}
	return -1
}

// declared is the length that the first four bytes state, and what comes on top.
func declared(data []byte, least, more int) int {
	if len(data) < 4 {
		return -1
	}
	n := int(int32(binary.LittleEndian.Uint32(data)))
	if n < least {
		return -1
	}
	return n + more
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
