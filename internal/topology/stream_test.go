package topology

import (
	"bytes"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"mongoadvisor/wire"
)

// feedAll passes a stream in chunks that cut gives the sizes of.
func feedAll(feed func([]byte) []byte, end func() []byte, b []byte, cut func(left int) int) (out []byte) {
	for len(b) > 0 {
		n := cut(len(b))
		out = append(out, feed(slices.Clone(b[:n]))...)
		b = b[n:]
	}
	return append(out, end()...)
}

// both passes the client's stream, then the server's.
func both(m *Map, client, server []byte, cut func(int) int) (up, down []byte) {
	r := m.Rewriter(nil)
	return feedAll(r.Client, r.ClientEnd, client, cut), feedAll(r.Server, r.ServerEnd, server, cut)
}

func whole(n int) int { return n }

// mixed is a conversation with every kind of message.
func mixed(t testing.TB) (client, server []byte) {
	reply := helloReply("db1:27017", "db2:27017", "db9:27017")
	client = slices.Concat(
		query(t, 1, "admin.$cmd", hi("isMaster")), msg(t, 2, 0, wire.ExhaustAllowed, hi("hello")), msg(t, 3, 0, wire.MoreToCome, hi("insert")),
		compressed(t, 1, msg(t, 4, 0, 0, hi("ismaster"))), compressed(t, 2, msg(t, 5, 0, 0, hi("find"))), msg(t, 6, 0, wire.ChecksumPresent, hi("hello")),
		msg(t, 7, 0, 0, map[string]string{"replSetSyncFrom": "127.0.0.1:27218"}), packet(wire.OpInsert, 8, 0, []byte("whatever")), msg(t, 9, 0, 0, hi("find")),
	)
	server = slices.Concat(
		legacyReply(t, 50, 1, reply), msg(t, 51, 2, wire.MoreToCome, reply), msg(t, 52, 51, wire.MoreToCome, reply), compressed(t, 1, msg(t, 53, 4, 0, reply)),
		compressed(t, 3, msg(t, 54, 5, 0, reply)), msg(t, 55, 6, wire.ChecksumPresent, reply), msg(t, 56, 52, 0, reply), msg(t, 57, 9, 0, reply),
	)
	return client, server
}

// However a stream is cut, the same bytes come out; after both ends nothing is
// held back.
func TestAnyChunking(t *testing.T) {
	client, server := mixed(t)
	up, down := both(threeMembers("127.0.0.1", nil), client, server, whole)
	if bytes.Equal(up, client) || bytes.Equal(down, server) {
		t.Fatal("nothing was rewritten")
	}
	check := func(t rapid.TB, cut func(int) int) {
		gotUp, gotDown := both(threeMembers("127.0.0.1", nil), client, server, cut)
		if !bytes.Equal(gotUp, up) || !bytes.Equal(gotDown, down) {
			t.Fatal("other bytes than in one chunk")
		}
	}
	check(t, func(int) int { return 1 })
	rapid.Check(t, func(t *rapid.T) {
		most := rapid.SampledFrom([]int{3, 40, 400, math.MaxInt}).Draw(t, "most")
		check(t, func(left int) int { return rapid.IntRange(1, min(left, most)).Draw(t, "chunk") })
	})
	// garbage anywhere behind
	rapid.Check(t, func(t *rapid.T) {
		tail := rapid.SliceOf(rapid.Byte()).Draw(t, "tail")
		c, s := slices.Concat(client, tail), slices.Concat(server, tail)
		at := rapid.IntRange(0, len(c)).Draw(t, "end")
		c = c[:at]
		upWhole, _ := both(threeMembers("127.0.0.1", nil), c, nil, whole)
		upDrip, _ := both(threeMembers("127.0.0.1", nil), c, nil, func(int) int { return 1 })
		if !bytes.Equal(upWhole, upDrip) {
			t.Fatal("client: other bytes than in one chunk")
		}
		r := threeMembers("127.0.0.1", nil).Rewriter(nil)
		r.Client(client)
		got := feedAll(r.Server, r.ServerEnd, s, func(left int) int { return rapid.IntRange(1, left).Draw(t, "chunk") })
		if !bytes.Equal(got, slices.Concat(down, tail)) {
			t.Fatal("server: garbage was changed")
		}
	})
}

// Recorded traffic of servers that are in no set passes to the byte.
func TestRecordedStreams(t *testing.T) {
	for name, s := range streams(t) {
		for _, cut := range []func(int) int{whole, func(int) int { return 1 }, func(left int) int { return min(left, 1000) }} {
			up, down := both(threeMembers("127.0.0.1", nil), s[0], s[1], cut)
			if !bytes.Equal(up, s[0]) || !bytes.Equal(down, s[1]) {
				t.Errorf("%s was changed", name)
			}
		}
	}
}

// A chunk without anything interesting is returned as it is: the same memory.
func TestUninterestingIsNotCopied(t *testing.T) {
	r := threeMembers("127.0.0.1", nil).Rewriter(nil)
	request, reply := msg(t, 1, 0, 0, hi("find")), msg(t, 2, 1, 0, helloReply("db1:27017"))
	requests, replies := slices.Concat(request, request, request), slices.Concat(reply, reply)
	if got := r.Client(requests); &got[0] != &requests[0] || len(got) != len(requests) {
		t.Error("requests were copied")
	}
	if got := r.Server(replies); &got[0] != &replies[0] || len(got) != len(replies) {
		t.Error("replies were copied")
	}
	if n := testing.AllocsPerRun(100, func() { r.Client(requests); r.Server(replies) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
	// nor when one byte is missing at the end, and the rest comes by itself
	if n := testing.AllocsPerRun(100, func() {
		r.Client(requests[:len(requests)-1])
		r.Client(requests[len(requests)-1:])
	}); n != 0 {
		t.Errorf("split: %v allocations", n)
	}
}

// What is held back is bounded whatever is declared, and grows with what came.
func TestHoldingIsBounded(t *testing.T) {
	r := threeMembers("127.0.0.1", nil).Rewriter(nil)
	r.Client(msg(t, 7, 0, 0, hi("hello")))
	r.Server(slices.Concat(le(maxReply), le(9), le(7), le(int32(wire.OpMsg))))
	if n := cap(r.server.held); n > 1024 {
		t.Errorf("%d bytes for a message of which 16 came", n)
	}
	r.Client(slices.Concat(le(wire.MaxMessageSize), le(9), le(0), le(int32(wire.OpMsg)), le(0), []byte{0}, le(1000), []byte{3}, []byte("replSetReconfig\x00 and more")))
	if n := len(r.client.held); n != 0 {
		t.Errorf("%d bytes of a request beyond the cap are held", n)
	}
}

func BenchmarkUninteresting(b *testing.B) {
	r := threeMembers("127.0.0.1", nil).Rewriter(nil)
	request, reply := msg(b, 1, 0, 0, hi("find")), msg(b, 2, 1, 0, helloReply("db1:27017"))
	b.ReportAllocs()
	for b.Loop() {
		r.Client(request)
		r.Server(reply)
	}
}

func BenchmarkHello(b *testing.B) {
	r := threeMembers("127.0.0.1", nil).Rewriter(nil)
	request, reply := msg(b, 1, 0, 0, hi("hello")), msg(b, 2, 1, 0, helloReply("db1:27017", "db2:27017"))
	b.ReportAllocs()
	for b.Loop() {
		r.Client(request)
		r.Server(reply)
	}
}
