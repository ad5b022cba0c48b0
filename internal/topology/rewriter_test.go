package topology

import (
	"bytes"
	"net"
	"slices"
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"

	"mongoadvisor/wire"
)

// exchange passes a request and its reply, and says what came out.
func exchange(r *Rewriter, request, reply []byte) (up, down []byte) {
	up = slices.Clone(r.Client(request))
	return up, slices.Clone(r.Server(reply))
}

// Each spelling in each envelope: the names at their places change, the same
// names elsewhere, and everything else, stay to the byte.
func TestHello(t *testing.T) {
	in, want := helloReply("db1:27017", "db2:27017", "DB3:27017"), helloOut("127.0.0.1:27217", "127.0.0.1:27218", "127.0.0.1:27219")
	plain := msg(t, 9, 7, 0, want)
	for _, name := range []string{"hello", "isMaster", "ismaster"} {
		request := msg(t, 7, 0, 0, hi(name))
		reply := msg(t, 9, 7, 0, in)
		cases := map[string][3][]byte{
			"OP_MSG":   {request, reply, plain},
			"checksum": {msg(t, 7, 0, wire.ChecksumPresent, hi(name)), msg(t, 9, 7, wire.ChecksumPresent, in), msg(t, 9, 7, wire.ChecksumPresent, want)},
			"OP_QUERY": {query(t, 7, "x.$cmd", hi(name)), legacyReply(t, 9, 7, in), legacyReply(t, 9, 7, want)},
			"wrapped": {
				query(t, 7, "admin.$cmd", bson.D{{Key: "$readPreference", Value: bson.D{}}, {Key: "$query", Value: hi(name)}}),
				legacyReply(t, 9, 7, in), legacyReply(t, 9, 7, want),
			},
			"snappy":           {compressed(t, 1, request), compressed(t, 1, reply), plain},
			"zlib":             {compressed(t, 2, request), compressed(t, 2, reply), plain},
			"zstd":             {compressed(t, 3, request), compressed(t, 3, reply), plain},
			"compressed query": {compressed(t, 1, query(t, 7, "admin.$cmd", hi(name))), compressed(t, 1, legacyReply(t, 9, 7, in)), legacyReply(t, 9, 7, want)},
		}
		for what, c := range cases {
			m := threeMembers("127.0.0.1", nil)
			up, down := exchange(m.Rewriter(nil), c[0], c[1])
			if !bytes.Equal(up, c[0]) {
				t.Errorf("%s, %s: the request was changed", name, what)
			}
			if !bytes.Equal(down, c[2]) {
				t.Errorf("%s, %s: got\n%q, want\n%q", name, what, down, c[2])
			}
			if m.Stats.Rewritten.Load() != 1 {
				t.Errorf("%s, %s: rewritten %d", name, what, m.Stats.Rewritten.Load())
			}
		}
	}
}

// A name that is no command's in mongod's eyes, another collection, and a reply
// nobody asked for: not a byte changes.
func TestNotAHello(t *testing.T) {
	reply := msg(t, 9, 7, 0, helloReply("db1:27017"))
	for what, request := range map[string][]byte{
		"spelling":    msg(t, 7, 0, 0, hi("IsMaster")),
		"find":        msg(t, 7, 0, 0, hi("find")),
		"another id":  msg(t, 8, 0, 0, hi("hello")),
		"no reply":    msg(t, 7, 0, wire.MoreToCome, hi("hello")),
		"collection":  query(t, 7, "admin.cmd", hi("isMaster")),
		"nothing yet": nil,
	} {
		m := threeMembers("127.0.0.1", nil)
		up, down := exchange(m.Rewriter(nil), request, reply)
		if !bytes.Equal(up, request) || !bytes.Equal(down, reply) {
			t.Errorf("%s: changed", what)
		}
	}
}

// Every reply of an exhaust stream is rewritten: each answers the one before.
func TestStreamingHello(t *testing.T) {
	m := threeMembers("127.0.0.1", nil)
	r := m.Rewriter(nil)
	r.Client(msg(t, 7, 0, wire.ExhaustAllowed, hi("hello")))
	to := int32(7)
	for id := int32(100); id < 103; id++ {
		flags := wire.MoreToCome
		if id == 102 {
			flags = 0
		}
		got := r.Server(msg(t, id, to, flags, helloReply("db2:27017")))
		if want := msg(t, id, to, flags, helloOut("127.0.0.1:27218")); !bytes.Equal(got, want) {
			t.Errorf("reply %d: got %q", id, got)
		}
		to = id
	}
	if n := r.pending.n.Load(); n != 0 {
		t.Errorf("%d requests wait after the last reply", n)
	}
}

func TestOtherCommands(t *testing.T) {
	member := func(key, host string) bson.D {
		return bson.D{{Key: "_id", Value: 0}, {Key: key, Value: host}, {Key: "tags", Value: bson.D{{Key: key, Value: "db1:27017"}}}}
	}
	status := func(a, b, c string) bson.D {
		m := append(member("name", a), bson.E{Key: "syncSourceHost", Value: b})
		return bson.D{{Key: "set", Value: "rs0"}, {Key: "syncSourceHost", Value: c}, {Key: "members", Value: bson.A{m, 5, "db1:27017"}}, {Key: "name", Value: "db1:27017"}}
	}
	config := func(host string) bson.D {
		return bson.D{{Key: "_id", Value: "rs0"}, {Key: "host", Value: "db1:27017"}, {Key: "members", Value: bson.A{member("host", host)}}}
	}
	const db1, db2, out1, out2 = "db1:27017", "db2:27017", "127.0.0.1:27217", "127.0.0.1:27218"
	for name, c := range map[string][2]bson.D{
		"serverStatus":     {{{Key: "me", Value: db1}, {Key: "repl", Value: helloReply(db2)}}, {{Key: "me", Value: db1}, {Key: "repl", Value: helloOut(out2)}}},
		"replSetGetStatus": {status(db1, db2, db2), status(out1, out2, out2)},
		"replSetGetConfig": {{{Key: "config", Value: config(db1)}, {Key: "members", Value: bson.A{member("host", db1)}}}, {{Key: "config", Value: config(out1)}, {Key: "members", Value: bson.A{member("host", db1)}}}},
		"find":             {{{Key: "config", Value: config(db1)}}, {{Key: "config", Value: config(db1)}}},
	} {
		_, down := exchange(threeMembers("127.0.0.1", nil).Rewriter(nil), msg(t, 1, 0, 0, hi(name)), msg(t, 2, 1, 0, c[0]))
		if want := msg(t, 2, 1, 0, c[1]); !bytes.Equal(down, want) {
			t.Errorf("%s: got\n%q, want\n%q", name, down, want)
		}
	}
	for name, c := range map[string][2]any{
		"replSetReconfig": {config(out1), config(db1)},
		"replSetInitiate": {config(out2), config("DB2:27017")}, // as the set spells it
		"replSetSyncFrom": {out1, db1},
		"insert":          {config(out1), config(out1)},
		"replSetStepDown": {out1, out1},
	} {
		in, want := bson.D{{Key: name, Value: c[0]}, {Key: "host", Value: out1}}, bson.D{{Key: name, Value: c[1]}, {Key: "host", Value: out1}}
		for _, flags := range []wire.MsgFlags{0, wire.ChecksumPresent} {
			got := threeMembers("127.0.0.1", nil).Rewriter(nil).Client(msg(t, 1, 0, flags, in))
			if want := msg(t, 1, 0, flags, want); !bytes.Equal(got, want) {
				t.Errorf("%s: got\n%q, want\n%q", name, got, want)
			}
		}
	}
}

// Odd values at the places of names: an initiate without a configuration, names
// that are numbers, documents for arrays.
func TestOddValues(t *testing.T) {
	for _, value := range []any{nil, 1, bson.D{}, bson.A{}, bson.D{{Key: "members", Value: 1}}, bson.D{{Key: "members", Value: bson.D{{Key: "host", Value: "127.0.0.1:27217"}}}}} {
		in := msg(t, 1, 0, 0, bson.D{{Key: "replSetInitiate", Value: value}})
		if got := threeMembers("127.0.0.1", nil).Rewriter(nil).Client(in); !bytes.Equal(got, in) {
			t.Errorf("%v: got %q", value, got)
		}
		reply := msg(t, 2, 1, 0, bson.D{{Key: "setName", Value: "rs0"}, {Key: "hosts", Value: value}, {Key: "me", Value: value}})
		if _, got := exchange(threeMembers("127.0.0.1", nil).Rewriter(nil), msg(t, 1, 0, 0, hi("hello")), reply); !bytes.Equal(got, reply) {
			t.Errorf("%v: got %q", value, got)
		}
	}
}

// A client is told the host it reached us under.
func TestLocalAddress(t *testing.T) {
	local := &net.TCPAddr{IP: net.ParseIP("10.1.2.3"), Port: 27217}
	m := threeMembers("0.0.0.0", nil)
	_, got := exchange(m.Rewriter(local), msg(t, 7, 0, 0, hi("hello")), msg(t, 9, 7, 0, bson.D{{Key: "me", Value: "db2:27017"}}))
	if want := msg(t, 9, 7, 0, bson.D{{Key: "me", Value: "10.1.2.3:27218"}}); !bytes.Equal(got, want) {
		t.Errorf("got %q", got)
	}
	got = m.Rewriter(local).Client(msg(t, 1, 0, 0, bson.D{{Key: "replSetSyncFrom", Value: "10.1.2.3:27219"}}))
	if want := msg(t, 1, 0, 0, bson.D{{Key: "replSetSyncFrom", Value: "db3:27017"}}); !bytes.Equal(got, want) {
		t.Errorf("got %q", got)
	}
}

// What cannot be read passes by itself when its length can be trusted, and the
// next message is read; what is not framed passes for ever.
func TestPassesUnchanged(t *testing.T) {
	good := msg(t, 7, 0, 0, hi("hello"))
	reply := msg(t, 9, 7, 0, helloReply("db2:27017"))
	bad := slices.Clone(reply)
	bad[len(bad)-1] = 7 // the terminator
	sum := msg(t, 9, 7, wire.ChecksumPresent, helloReply("db2:27017"))
	sum[len(sum)-1]++
	long := msg(t, 9, 7, 0, append(helloReply("db2:27017"), bson.E{Key: "x", Value: make([]byte, maxReply)}))
	bomb := compressed(t, 3, long)
	unknown := compressed(t, 1, reply)
	unknown[24] = 9
	for what, b := range map[string][]byte{"malformed": bad, "checksum": sum, "long": long, "bomb": bomb, "compressor": unknown} {
		m := threeMembers("127.0.0.1", nil)
		r := m.Rewriter(nil)
		if _, got := exchange(r, good, b); !bytes.Equal(got, b) {
			t.Errorf("%s: changed", what)
		}
		if n := m.Stats.Undecodable.Load() + m.Stats.BadChecksums.Load() + m.Stats.TooLong.Load(); n != 1 {
			t.Errorf("%s: counted %d times", what, n)
		}
		if _, got := exchange(r, good, reply); bytes.Equal(got, reply) {
			t.Errorf("%s: the next message was not read", what)
		}
	}
	nested := packet(wire.OpCompressed, 1, 0, le(int32(wire.OpCompressed)), le(5), []byte{0}, make([]byte, 5))
	for what, b := range map[string][]byte{
		"TLS": {0x16, 3, 1, 2, 0, 1, 0, 1, 0xfc, 3, 3, 1, 2, 3, 4, 5, 6}, "HTTP": []byte("GET / HTTP/1.1\r\n\r\n"),
		"length 15": append(le(15), make([]byte, 30)...),
		"opcode":    packet(2269, 1, 0, []byte("x")), "nested": nested,
	} {
		m := threeMembers("127.0.0.1", nil)
		r := m.Rewriter(nil)
		if got := r.Client(b); !bytes.Equal(got, b) {
			t.Errorf("%s: %q", what, got)
		}
		if _, got := exchange(r, good, reply); !bytes.Equal(got, reply) || m.Stats.Unframed.Load() != 1 {
			t.Errorf("%s: still read; counted %d", what, m.Stats.Unframed.Load())
		}
	}
}

// A bug in rewriting ends rewriting, not the connection.
func TestPanic(t *testing.T) {
	for _, drip := range []bool{false, true} {
		m := NewMap(Config{Listen: func(string, int) (string, error) { panic("no") }})
		r := m.Rewriter(nil)
		r.Client(msg(t, 7, 0, 0, hi("hello")))
		reply := slices.Concat(msg(t, 9, 7, 0, helloReply("db2:27017")), msg(t, 10, 1, 0, hi("x")))
		var got []byte
		if drip {
			for i := range reply {
				got = append(got, r.Server(reply[i:i+1])...)
			}
		} else {
			got = r.Server(reply)
		}
		if !bytes.Equal(got, reply) || m.Stats.Panics.Load() != 1 {
			t.Errorf("drip %t: %d panics, got %q", drip, m.Stats.Panics.Load(), got)
		}
	}
}

// More requests than can be remembered: the last ones are, and it is counted.
func TestPendingIsBounded(t *testing.T) {
	m := threeMembers("127.0.0.1", nil)
	r := m.Rewriter(nil)
	for id := range int32(maxPending + 10) {
		r.Client(msg(t, id, 0, 0, hi("hello")))
	}
	if n := m.Stats.PendingFull.Load(); n != 10 || len(r.pending.waiting) != maxPending {
		t.Errorf("%d forgotten, %d wait", n, len(r.pending.waiting))
	}
}
