package main

import (
	"encoding/binary"
	"fmt"

	"go.mongodb.org/mongo-driver/v2/bson"
)

// flags are all 32 bits of an OP_MSG.
func flags() []test {
	var all []test
	for bit := range 32 {
		all = append(all, test{name: fmt.Sprintf("flag/%d", bit), run: func(x *session) {
			x.send(msg(1, 1<<bit, body(ping)))
			if 1<<bit != moreToCome {
				x.answer()
			}
			x.alive()
			x.finish()
		}})
	}
	return append(all, test{name: "flag/all", run: func(x *session) { x.send(msg(1, 0xffffffff, body(ping))); x.finish() }})
}

// sections are arrangements of an OP_MSG's sections.
func sections() []test {
	insert := on("insert", "sections")
	a, b := doc(e("_id", "a")), doc(e("_id", "b"))
	docs := func(d ...[]byte) []byte { return sequence("documents", d...) }
	size := func(s []byte, n int32) []byte {
		binary.LittleEndian.PutUint32(s[1:], uint32(n))
		return s
	}
	var all []test
	for _, t := range []struct {
		name     string
		sections [][]byte
	}{
		{"kind 0, then 1", [][]byte{insert, docs(a)}},
		{"kind 1, then 0", [][]byte{docs(b), insert}},
		{"kind 1 twice, other names", [][]byte{insert, docs(a), sequence("other", b)}},
		{"kind 1 twice, same name", [][]byte{insert, docs(a), docs(b)}},
		{"kind 1 and the array too", [][]byte{on("insert", "sections", e("documents", bson.A{bson.D{}})), docs(a)}},
		{"kind 0 twice", [][]byte{insert, insert}},
		{"kind 1 alone", [][]byte{docs(a)}},
		{"kind 1 empty", [][]byte{insert, docs()}},
		{"kind 1 without name", [][]byte{insert, sequence("", a)}},
		{"kind 1 dotted name", [][]byte{insert, sequence("a.b", a)}},
		{"kind 1 size 0", [][]byte{insert, size(docs(a), 0)}},
		{"kind 1 size 3", [][]byte{insert, size(docs(a), 3)}},
		{"kind 1 size -1", [][]byte{insert, size(docs(a), -1)}},
		{"kind 1 size too large", [][]byte{insert, size(docs(a), 1000)}},
		{"kind 1 size too small", [][]byte{insert, size(docs(a), 17)}},
		{"kind 1 cut document", [][]byte{insert, docs(a[:len(a)-2])}},
		{"kind 2", [][]byte{body(ping), append([]byte{2}, doc()...)}},
		{"kind 3", [][]byte{append([]byte{3}, doc()...)}},
		{"kind 255", [][]byte{append([]byte{255}, doc()...)}},
		{"none", nil},
		{"one byte", [][]byte{{0}}},
		{"byte after", [][]byte{body(ping), {0}}},
		{"no $db", [][]byte{section0(doc(e("ping", 1)))}},
		{"$db first", [][]byte{section0(doc(e("$db", "admin"), e("ping", 1)))}},
		{"$db twice", [][]byte{section0(doc(e("ping", 1), e("$db", "admin"), e("$db", "admin")))}},
		{"empty document", [][]byte{section0(doc())}},
		{"unknown command", [][]byte{body("noSuchCommand")}},
		{"unknown option", [][]byte{body(ping, e("noSuchOption", 1))}},
		{"invalid UTF-8", [][]byte{body(ping, e("comment", "\xff\xfe"))}},
		{"$readPreference", [][]byte{body(ping, e("$readPreference", bson.D{e("mode", "secondaryPreferred")}))}},
		{"API version", [][]byte{body(ping, e("apiVersion", "1"), e("apiStrict", true))}},
		{"API version 2", [][]byte{body(ping, e("apiVersion", "2"))}},
	} {
		all = append(all, test{name: "section/" + t.name, run: func(x *session) { x.send(msg(1, 0, t.sections...)); x.answer(); x.alive(); x.finish() }})
	}
	return all
}
