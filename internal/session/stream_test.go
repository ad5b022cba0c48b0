package session

import (
	"strings"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"

	"mongoadvisor/internal/op"
	"mongoadvisor/wire"
)

// Clients that begin long messages and never end them cannot fill the memory.
func TestUnfinishedMessagesAreBounded(t *testing.T) {
	const budget, streams = 8 << 20, 500
	l := newLive(budget, func(*op.Operation) {})
	long := opMsg(1, 0, 0, bson.D{{Key: "insert", Value: strings.Repeat("x", 1<<20)}})
	var all []*Stream
	for id := range uint64(streams) { // every header is in before the pressure
		s := l.stream(id)
		s.Client(long[:100])
		all = append(all, s)
	}
	const step = 16 << 10
	for at := 100; at < 240_000; at += step {
		for _, s := range all {
			s.Client(long[at : at+step])
		}
	}
	// a quarter, what one step may overshoot, and the least that is kept of each
	const most = budget/4 + 2*step + streams*(leastKept+wire.TailSize+wire.HeaderSize)
	if held := l.queue.Held(); held > most {
		t.Errorf("%d bytes of unfinished messages are held, want at most %d", held, most)
	}
	short := l.stream(streams + 1) // others are judged all the same
	exchange(short, 1)
	for _, s := range append(all, short) {
		s.Close()
	}
	if held := l.queue.partial.Load(); held != 0 {
		t.Errorf("%d bytes are held for closed streams", held)
	}
	go l.queue.Run()
	l.queue.Close(time.Minute)
	if c := l.stats.Coverage(); c.Decoded != 2 || c.Operations != 1 {
		t.Errorf("coverage under pressure %+v", c)
	}
}

func TestUnreadableStreamsSayWhy(t *testing.T) {
	for text, want := range map[string]op.NoticeKind{
		"GET / HTTP/1.1\r\n\r\n": op.NoticeHTTP,
		"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + strings.Repeat("\x00", 40): op.NoticeTLS,
		"\x0f\x00\x00\x00\x01\x00\x00\x00\x00\x00\x00\x00\xdd\x07\x00\x00":          op.NoticeBadLength,
	} {
		var got []op.NoticeKind
		l := newLive(1<<20, func(o *op.Operation) { got = append(got, o.Notice) })
		s := l.stream(1)
		s.Client([]byte(text))
		s.Client([]byte("and more of it"))
		s.Server([]byte(text))
		s.Close()
		go l.queue.Run()
		l.queue.Close(time.Minute)
		if len(got) != 1 || got[0] != want {
			t.Errorf("%.8q: notices %v, want %s once", text, got, want)
		}
		c := l.stats.Coverage()
		if c.ConnectionsUninspected != 1 || c.BytesUninspected != c.Bytes || c.Ratio != 0 {
			t.Errorf("%.8q: coverage %+v", text, c)
		}
	}
}

func TestProxyHeaderIsNoticedAndSkipped(t *testing.T) {
	var ops []*op.Operation
	l := newLive(1<<20, func(o *op.Operation) { ops = append(ops, o) })
	s := l.stream(1)
	s.Client([]byte("PROXY TCP4 192.0.2.1 192.0.2.2 50000 27017\r\n"))
	exchange(s, 1)
	s.Close()
	go l.queue.Run()
	l.queue.Close(time.Minute)
	if len(ops) != 2 || ops[0].Notice != op.NoticeProxyHeader || ops[1].Command != "find" {
		t.Errorf("%d operations", len(ops))
	}
}

func TestMalformedMessageIsSkipped(t *testing.T) {
	r := newRig(t)
	bad := opMsg(1, 0, 0, find("orders"))
	bad[wire.HeaderSize+5] += 50 // the document's length
	r.client(bad)
	r.server(opMsg(2, 1, 0, bson.D{{Key: "ok", Value: 0.0}, {Key: "code", Value: 22}, {Key: "codeName", Value: "InvalidBSON"}}))
	r.client(opMsg(3, 0, 0, find("orders")))
	r.server(opMsg(4, 3, 0, cursorReply("firstBatch", 0)))
	if c := r.stats.Coverage(); len(r.ops) != 1 || c.Undecoded["malformed"] != 1 || c.Decoded != 3 {
		t.Errorf("%v, coverage %+v", r.commands(), c)
	}
	r.idle()
}
