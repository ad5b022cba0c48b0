package main

import (
	"fmt"
	"strings"

	"go.mongodb.org/mongo-driver/v2/bson"
)

// compression is OP_COMPRESSED: each compressor, agreed on or not, and what can be
// wrong with it.
func compression() []test {
	plain := msg(2, 0, body(ping))
	agree := func(x *session, names ...string) {
		x.send(msg(1, 0, body("hello", e("compression", names))))
		x.answer()
	}
	names := []string{"noop", "snappy", "zlib", "zstd"}
	var all []test
	for by, name := range names {
		by := byte(by)
		add := func(what string, run func(*session)) {
			all = append(all, test{name: fmt.Sprintf("compression/%s, %s", name, what), run: func(x *session) { run(x); x.alive(); x.finish() }})
		}
		agreed := func(what string, m []byte) {
			add(what, func(x *session) { agree(x, name); x.send(m); x.answer() })
		}
		agreed("agreed", compressed(by, plain))
		add("not agreed", func(x *session) { x.send(compressed(by, plain)); x.answer() })
		agreed("checksum inside", compressed(by, msg(2, checksum, body(ping))))
		agreed("a bulk", compressed(by, msg(2, 0, on("insert", "compressed "+name), sequence("documents",
			doc(e("_id", 1), e("x", strings.Repeat("abc", 100_000))), doc(e("_id", 2))))))
		agreed("OP_QUERY inside", compressed(by, message(2, opQuery, query("admin.$cmd", -1, doc(e("isMaster", 1))))))
		add("nested", func(x *session) { agree(x, name); x.send(compressed(by, compressed(by, plain))) }) // ignored
		agreed("unknown opcode inside", compressed(by, message(2, 9999, int32le(nil, 0))))
		agreed("malformed inside", compressed(by, msg(2, 0, []byte{7})))
		agreed("says less", compressedAs(by, plain, int32(len(plain)-16-5), pack(by, plain[16:])))
		add("says more", func(x *session) { // the server reads on in what its memory held before
			agree(x, name)
			x.send(compressedAs(by, plain, int32(len(plain)-16+5), pack(by, plain[16:])))
			x.unread()
		})
		agreed("says 0", compressedAs(by, plain, 0, pack(by, plain[16:])))
		agreed("says -1", compressedAs(by, plain, -1, pack(by, plain[16:])))
		agreed("says 2 GB", compressedAs(by, plain, 1<<31-1, pack(by, plain[16:])))
		agreed("garbage", compressedAs(by, plain, int32(len(plain)-16), []byte("this is no compressed data")))
		agreed("nothing", compressedAs(by, plain, int32(len(plain)-16), nil))
		agreed("bytes after", compressedAs(by, plain, int32(len(plain)-16), append(pack(by, plain[16:]), 1, 2, 3)))
		add("reply of some size", func(x *session) {
			agree(x, name)
			x.send(compressed(by, msg(2, 0, on("find", "compressed "+name, e("sort", bson.D{e("_id", 1)})))))
			x.answer()
		})
		add("moreToCome inside", func(x *session) {
			agree(x, name)
			x.send(compressed(by, msg(2, moreToCome, on("insert", "compressed w0", e("writeConcern", bson.D{e("w", 0)})), sequence("documents", doc()))))
		})
		add("hello inside", func(x *session) {
			agree(x, name)
			x.send(compressed(by, msg(2, 0, body("hello"))))
			x.answer()
		})
	}
	return append(all,
		test{name: "compression/unknown compressor", run: func(x *session) {
			agree(x, "snappy")
			x.send(compressedAs(9, plain, int32(len(plain)-16), plain[16:]))
			x.finish()
		}},
		test{name: "compression/all offered", run: func(x *session) { agree(x, "zstd", "zlib", "snappy", "noop", "other"); x.alive() }},
		test{name: "compression/only unknown offered", run: func(x *session) { agree(x, "lz4"); x.alive() }},
		test{name: "compression/header cut", run: func(x *session) { x.send(message(1, opCompressed, []byte{1, 2, 3, 4})); x.finish() }},
		test{name: "compression/mixed", run: func(x *session) {
			agree(x, "snappy", "zlib", "zstd")
			for by := range byte(4) {
				x.send(compressed(by, plain), plain)
				x.answer()
				x.answer()
			}
		}},
	)
}
