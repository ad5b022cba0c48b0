package main

import (
	"fmt"
	"strings"

	"go.mongodb.org/mongo-driver/v2/bson"
)

// opcodes are all that ever were, with a body that was right for each, and some
// that never were.
func opcodes() []test {
	isMaster := doc(e("isMaster", 1))
	zero := int32le(nil, 0)
	ns := append([]byte("wire.opcodes"), 0)
	empty := doc()
	join := func(parts ...[]byte) (b []byte) {
		for _, p := range parts {
			b = append(b, p...)
		}
		return b
	}
	bodies := []struct {
		op   int32
		name string
		body []byte
		mute bool // the server used not to answer it
	}{
		{opReply, "OP_REPLY", join(zero, make([]byte, 12), int32le(nil, 1), empty), true},
		{1000, "OP_MSG of old", append([]byte("hello"), 0), true},
		{2001, "OP_UPDATE", join(zero, ns, zero, empty, empty), true},
		{2002, "OP_INSERT", join(zero, ns, doc(e("_id", 1))), true},
		{2003, "OP_RESERVED", join(zero, ns), true},
		{opQuery, "OP_QUERY", query("admin.$cmd", -1, isMaster), false},
		{2005, "OP_GET_MORE", join(zero, ns, zero, make([]byte, 8)), false},
		{2006, "OP_DELETE", join(zero, ns, zero, empty), true},
		{2007, "OP_KILL_CURSORS", join(zero, int32le(nil, 1), make([]byte, 8)), true},
		{2010, "OP_COMMAND", join(append([]byte("admin"), 0), append([]byte("ping"), 0), doc(e("ping", 1)), empty), false},
		{2011, "OP_COMMANDREPLY", join(empty, empty), true},
		{opMsg, "OP_MSG", join(zero, body(ping)), false},
		{2014, "2014", nil, true},
		{0, "0", zero, true},
		{-1, "-1", zero, true},
		{9999, "9999", zero, true},
	}
	var all []test
	for _, b := range bodies {
		all = append(all, test{name: "opcode/" + b.name, run: func(x *session) {
			x.send(message(1, b.op, b.body))
			if !b.mute {
				x.answer()
			}
			x.alive()
			x.finish()
		}})
	}
	return all
}

// handshakes are the spellings of the first message, in both opcodes.
func handshakes() []test {
	var all []test
	for _, name := range []string{"hello", "isMaster", "ismaster", "IsMaster", "Hello", "isMASTER"} {
		all = append(all,
			test{name: "handshake/OP_MSG " + name, run: func(x *session) { x.ask(msg(1, 0, body(name))) }},
			test{name: "handshake/OP_QUERY " + name, run: func(x *session) {
				x.ask(message(1, opQuery, query("admin.$cmd", -1, doc(e(name, 1), e("helloOk", true)))))
			}})
	}
	for _, t := range []struct {
		name string
		body []byte
	}{
		{"other database", query("wire.$cmd", -1, doc(e("isMaster", 1)))},
		{"limit 1", query("admin.$cmd", 1, doc(e("isMaster", 1)))},
		{"limit 0", query("admin.$cmd", 0, doc(e("isMaster", 1)))},
		{"wrapped", query("admin.$cmd", -1, doc(e("$query", bson.D{e("isMaster", 1)})))},
		{"no handshake", query("admin.$cmd", -1, doc(e("buildInfo", 1)))},
		{"a find", query("wire.things", 0, doc())},
		{"$cmd.sys.inprog", query("admin.$cmd.sys.inprog", -1, doc())},
		{"no namespace", query("", -1, doc(e("isMaster", 1)))},
		{"no document", query("admin.$cmd", -1, nil)},
		{"with credentials", query("admin.$cmd", -1, doc(e("isMaster", 1), e("speculativeAuthenticate", bson.D{e("saslStart", 1), e("mechanism", "SCRAM-SHA-256"), e("payload", []byte("n,,n=nobody,r=abc")), e("db", "admin")})))},
		{"client", query("admin.$cmd", -1, doc(e("isMaster", 1), e("client", bson.D{e("driver", bson.D{e("name", "wire"), e("version", "1")}), e("os", bson.D{e("type", "Linux")})})))},
		{"client too large", query("admin.$cmd", -1, doc(e("isMaster", 1), e("client", bson.D{e("driver", bson.D{e("name", strings.Repeat("x", 600)), e("version", "1")}), e("os", bson.D{e("type", "Linux")})})))},
		{"load balanced", query("admin.$cmd", -1, doc(e("isMaster", 1), e("loadBalanced", true)))},
	} {
		all = append(all, test{name: "handshake/OP_QUERY, " + t.name, run: func(x *session) { x.ask(message(1, opQuery, t.body)) }})
	}
	return append(all, test{name: "handshake/twice", run: func(x *session) {
		client := e("client", bson.D{e("driver", bson.D{e("name", "wire"), e("version", "1")}), e("os", bson.D{e("type", "Linux")})})
		x.ask(msg(1, 0, body("hello", client)))
		x.ask(msg(2, 0, body("hello", client)))
	}})
}

// lengths are what a header may say of the message.
func lengths() []test {
	var all []test
	for _, n := range []int32{-1 << 31, -1, 0, 1, 15, 16, 17, 20, 21, 25, 26, 48_000_001, 1<<31 - 1} {
		all = append(all, test{name: fmt.Sprintf("length/%d", n), run: func(x *session) {
			x.send(declared(n, 1, opMsg, append(int32le(nil, 0), body(ping)...)))
			x.finish()
		}})
	}
	short := msg(1, 0, body(ping))
	return append(all,
		test{name: "length/cut in the header", run: func(x *session) { x.send(short[:9]); x.finish() }},
		test{name: "length/cut in the body", run: func(x *session) { x.send(short[:30]); x.finish() }},
		test{name: "length/48000000, nothing follows", run: func(x *session) { x.send(declared(48_000_000, 1, opMsg, nil)); x.finish() }},
		test{name: "length/48000000", long: true, run: func(x *session) {
			m := padded(48_000_000)
			x.ask(m)
		}},
		test{name: "length/48000001, all of it", long: true, run: func(x *session) { x.send(padded(48_000_001)); x.finish() }},
	)
}

// padded is an insert of three documents with length bytes in all.
func padded(length int) []byte {
	const docs = 3
	with := func(n int) []byte {
		var d [][]byte
		for i := range docs {
			size := n / docs
			if i == 0 {
				size += n % docs
			}
			d = append(d, doc(e("_id", i), e("x", strings.Repeat("x", size))))
		}
		return msg(1, 0, on("insert", fmt.Sprintf("padded%d", length)), sequence("documents", d...))
	}
	return with(length - len(with(0)))
}

// checksums are right and wrong ones.
func checksums() []test {
	good := msg(1, checksum, body(ping))
	bad := msg(1, checksum, body(ping))
	bad[len(bad)-1] ^= 1
	corrupt := msg(1, checksum, body(ping))
	corrupt[30] ^= 0x20
	return []test{
		{name: "checksum/right", run: func(x *session) { x.ask(good) }},
		{name: "checksum/wrong", run: func(x *session) { x.send(bad); x.finish() }},
		{name: "checksum/of something else", run: func(x *session) { x.send(corrupt); x.finish() }},
		{name: "checksum/hello", run: func(x *session) { x.ask(msg(1, checksum, body("hello"))) }},
		{name: "checksum/sequence", run: func(x *session) {
			x.ask(msg(1, checksum, on("insert", "checksums"), sequence("documents", doc(e("_id", 1)), doc(e("_id", 1)))))
		}},
	}
}
