package main

import (
	"bytes"
	"encoding/binary"
	"strings"

	"go.mongodb.org/mongo-driver/v2/bson"
)

// exhaust are requests with many answers.
func exhaust() []test {
	cursor := func(x *session, coll string) int64 {
		var docs [][]byte
		for i := range 7 {
			docs = append(docs, doc(e("_id", i)))
		}
		x.send(msg(1, 0, on("insert", coll), sequence("documents", docs...)))
		x.answer()
		x.send(msg(2, 0, on("find", coll, e("batchSize", 2), e("sort", bson.D{e("_id", 1)}))))
		b := x.answer()
		if len(b) < 21 {
			return 0
		}
		id, _ := bson.Raw(b[21:]).Lookup("cursor", "id").Int64OK()
		return id
	}
	more := func(id int64, coll string) []byte {
		return section0(doc(e("getMore", id), e("collection", coll), e("batchSize", 2), e("$db", "wire")))
	}
	// stream asks for a streaming hello and reads n answers.
	stream := func(x *session, n int, wrap func([]byte) []byte) {
		x.send(msg(1, 0, body("hello", e("compression", []string{"zlib"}))))
		b := x.answer()
		if len(b) < 21 {
			return
		}
		version := bson.Raw(b[21:]).Lookup("topologyVersion")
		// the first answer comes after maxAwaitTimeMS, unless something changes
		x.send(wrap(msg(2, exhaustAllowed, body("hello", e("topologyVersion", version), e("maxAwaitTimeMS", 50)))))
		for range n {
			x.answer()
		}
	}
	same := func(b []byte) []byte { return b }
	return []test{
		{name: "exhaust/cursor", run: func(x *session) {
			id := cursor(x, "exhausts")
			x.send(msg(3, exhaustAllowed, more(id, "exhausts")))
			for b := x.answer(); b != nil && binary.LittleEndian.Uint32(b[16:])&moreToCome != 0; {
				b = x.answer()
			}
			x.alive()
		}},
		{name: "exhaust/cursor, not allowed", run: func(x *session) {
			id := cursor(x, "exhausts not")
			for i := range int32(4) {
				x.send(msg(3+i, 0, more(id, "exhausts not")))
				x.answer()
			}
		}},
		{name: "exhaust/cursor, client leaves", run: func(x *session) {
			id := cursor(x, "exhausts left")
			x.send(msg(3, exhaustAllowed, more(id, "exhausts left")))
			x.answer()
			x.dial()
			x.alive()
		}},
		{name: "exhaust/streaming hello", run: func(x *session) { stream(x, 4, same) }},
		{name: "exhaust/streaming hello, compressed", run: func(x *session) {
			stream(x, 4, func(b []byte) []byte { return compressed(2, b) })
		}},
		{name: "exhaust/awaited hello", run: func(x *session) {
			stream(x, 1, func(b []byte) []byte {
				b = bytes.Clone(b)
				binary.LittleEndian.PutUint32(b[16:], 0)
				return b
			})
			x.alive()
		}},
		{name: "exhaust/ping", run: func(x *session) { x.ask(msg(1, exhaustAllowed, body(ping))) }},
	}
}

// bulk are large messages, both ways.
func bulk() []test {
	return []test{
		{name: "bulk/47 MB insert", long: true, run: func(x *session) {
			var docs [][]byte
			for i := range 3 {
				docs = append(docs, doc(e("_id", i), e("x", strings.Repeat("z", 15_700_000))))
			}
			x.ask(msg(1, 0, on("insert", "bulk"), sequence("documents", docs...)))
			x.send(msg(2, 0, on("find", "bulk", e("filter", bson.D{e("_id", 1)}))))
			x.answer()
		}},
		{name: "bulk/100000 documents", long: true, run: func(x *session) {
			var docs [][]byte
			for i := range 100_000 {
				docs = append(docs, doc(e("_id", i)))
			}
			x.ask(msg(1, 0, on("insert", "many"), sequence("documents", docs...)))
			x.send(msg(2, 0, on("find", "many", e("batchSize", 100_000), e("sort", bson.D{e("_id", 1)}))))
			x.answer()
		}},
		{name: "bulk/document too large", long: true, run: func(x *session) {
			x.ask(msg(1, 0, on("insert", "bulk"), sequence("documents", doc(e("x", strings.Repeat("z", 17<<20))))))
		}},
		{name: "bulk/300 deletes and updates", run: func(x *session) {
			var updates, deletes [][]byte
			for i := range 300 {
				updates = append(updates, doc(e("q", bson.D{e("_id", i)}), e("u", bson.D{e("$inc", bson.D{e("n", 1)})}), e("upsert", i%2 == 0)))
				deletes = append(deletes, doc(e("q", bson.D{e("_id", i)}), e("limit", 1)))
			}
			x.send(msg(1, 0, on("update", "bulk3"), sequence("updates", updates...)))
			x.answer()
			x.send(msg(2, 0, on("delete", "bulk3"), sequence("deletes", deletes...)))
			x.answer()
		}},
	}
}
