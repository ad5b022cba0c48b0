package main

import (
	"bytes"
	"encoding/binary"

	"go.mongodb.org/mongo-driver/v2/bson"
)

// documents are malformed, and odd but well-formed, BSON.
func documents() []test {
	good := doc(e("ping", 1), e("s", "text"), e("$db", "admin"))
	at := func(i int, v int32) []byte {
		b := bytes.Clone(good)
		binary.LittleEndian.PutUint32(b[i:], uint32(v))
		return b
	}
	n := int32(len(good))
	text := bytes.Index(good, []byte("text")) - 4 // where its length is
	typed := func(kind byte) []byte {
		b := bytes.Clone(good)
		b[bytes.Index(b, []byte("s\x00"))-1] = kind
		return b
	}
	open := bytes.Clone(good)
	open[len(open)-1] = 1 // where the terminator was
	var all []test
	for _, t := range []struct {
		name string
		doc  []byte
	}{
		{"length 0", at(0, 0)},
		{"length 4", at(0, 4)},
		{"length 5", at(0, 5)},
		{"length -1", at(0, -1)},
		{"length 50 more", at(0, n+50)},
		{"length one less", at(0, n-1)},
		{"length one more", at(0, n+1)},
		{"length 2 GB", at(0, 1<<31-1)},
		{"no terminator", open},
		{"string of length 0", at(text, 0)},
		{"string of length -1", at(text, -1)},
		{"string of 2 GB", at(text, 1<<31-1)},
		{"string one less", at(text, 4)},
		{"string one more", at(text, 6)},
		{"type 0x55", typed(0x55)},
		{"type 0x00", typed(0)},
		{"type 0xff", typed(0xff)},
		{"type 0x7f", typed(0x7f)},
		{"type array", typed(4)},
		{"type binary", typed(5)},
		{"nested 100", nested(100)},
		{"nested 190", nested(190)},
		{"nested 250", nested(250)},
		{"nested 100000", nested(100_000)},
		{"same key twice", doc(e("ping", 1), e("a", 1), e("a", 2), e("$db", "admin"))},
		{"NUL in a string", doc(e("ping", 1), e("comment", "a\x00b"), e("$db", "admin"))},
		{"empty key", doc(e("ping", 1), e("", 1), e("$db", "admin"))},
		{"all types", doc(e("ping", 1), e("comment", every), e("$db", "admin"))},
	} {
		all = append(all, test{name: "document/" + t.name, run: func(x *session) { x.send(msg(1, 0, section0(t.doc))); x.answer(); x.alive(); x.finish() }})
	}
	return append(all, test{name: "document/every type, stored and read", run: func(x *session) {
		x.send(msg(1, 0, on("insert", "types"), sequence("documents", doc(e("_id", 1), e("v", every)))))
		x.answer()
		x.send(msg(2, 0, on("find", "types")))
		x.answer()
	}})
}

var every = bson.D{
	e("double", 1.5), e("string", "ü"), e("document", bson.D{e("a", 1)}), e("array", bson.A{1, "b"}),
	e("binary", bson.Binary{Subtype: 0x80, Data: []byte{1, 2, 3}}), e("undefined", bson.Undefined{}),
	e("id", bson.ObjectID{1, 2, 3}), e("true", true), e("date", bson.DateTime(1)), e("null", nil),
	e("regex", bson.Regex{Pattern: "^a", Options: "i"}), e("pointer", bson.DBPointer{DB: "a.b"}), e("code", bson.JavaScript("1")),
	e("symbol", bson.Symbol("s")), e("scope", bson.CodeWithScope{Code: "1", Scope: bson.D{}}), e("int32", int32(1)),
	e("stamp", bson.Timestamp{T: 1, I: 2}), e("int64", int64(1)), e("decimal", bson.NewDecimal128(0x3040000000000000, 1)),
	e("min", bson.MinKey{}), e("max", bson.MaxKey{}),
}

// nested is a command with a document that many levels deep, put together by hand:
// marshalers recurse.
func nested(depth int) []byte {
	const open, key = "\x03a\x00", "comment\x00"
	inner := make([]byte, 0, depth*8+5)
	for i := range depth {
		inner = int32le(inner, int32((depth-i)*8+5))
		inner = append(inner, open...)
	}
	inner = append(int32le(inner, 5), make([]byte, depth+1)...)
	rest := doc(e("$db", "admin"))
	b := append([]byte("\x10ping\x00\x01\x00\x00\x00\x03"), key...)
	b = append(append(b, inner...), rest[4:]...)
	return append(int32le(nil, int32(len(b)+4)), b...)
}
