package wire

import (
	"bytes"
	"encoding/binary"
	"runtime"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"
)

// feed frames chunk after chunk and checks on the way that memory stays bounded.
func feed(t interface{ Fatalf(string, ...any) }, f *Framer, chunks [][]byte) []Message {
	limit := f.Limit
	if limit <= 0 {
		limit = DefaultLimit
	}
	var out []Message
	for _, c := range chunks {
		own := bytes.Clone(c)
		for m, rest, ok := f.Next(own); ok; m, rest, ok = f.Next(rest) {
			if m.Borrowed {
				m.Body, m.Borrowed = bytes.Clone(m.Body), false
			}
			out = append(out, m)
		}
		clear(own) // a framer that keeps its chunk shows
		if got := f.Buffered(); got > limit+TailSize+HeaderSize {
			t.Fatalf("%d bytes buffered under a limit of %d", got, limit)
		}
	}
	return out
}

func TestAnyChunking(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var stream []byte
		for range rapid.IntRange(0, 6).Draw(t, "messages") {
			op := OpCode(rapid.SampledFrom([]int32{1, 2004, 2012, 2013, 2269, -1}).Draw(t, "opcode"))
			size := rapid.OneOf(rapid.IntRange(0, 40), rapid.IntRange(0, 5000)).Draw(t, "size")
			body := make([]byte, size)
			for i := range body {
				body[i] = byte(len(stream) + i*7)
			}
			stream = append(stream, packetID(int32(len(stream)), 0, op, body)...)
		}
		if cut := rapid.IntRange(0, 3).Draw(t, "ending"); cut > 0 {
			stream = append(stream, rapid.SliceOfN(rapid.Byte(), 0, 30).Draw(t, "garbage")...)
		}
		limit := rapid.SampledFrom([]int{0, 1, 17, 64, 1000, 3000}).Draw(t, "limit")

		one := Framer{Limit: limit}
		want := feed(t, &one, [][]byte{stream})
		var chunks [][]byte
		for rest := stream; len(rest) > 0; {
			n := rapid.IntRange(1, min(len(rest), rapid.SampledFrom([]int{1, 3, 20, 6000}).Draw(t, "most"))).Draw(t, "chunk")
			chunks, rest = append(chunks, rest[:n]), rest[n:]
		}
		many := Framer{Limit: limit}
		got := feed(t, &many, chunks)
		if d := cmp.Diff(want, got); d != "" {
			t.Fatalf("in one chunk -, cut +:\n%s", d)
		}
		borrowing := Framer{Limit: limit, Borrow: true}
		if d := cmp.Diff(want, feed(t, &borrowing, chunks), cmpopts.EquateEmpty()); d != "" {
			t.Fatalf("owned -, borrowed +:\n%s", d)
		}
		if one.Lost() != many.Lost() || one.MidMessage() != many.MidMessage() || one.Proxied() != many.Proxied() {
			t.Fatalf("in one chunk %q %v, cut %q %v", one.Lost(), one.MidMessage(), many.Lost(), many.MidMessage())
		}
	})
}

// A message that is borrowed is one that is all there, and nothing else is.
func TestBorrowed(t *testing.T) {
	f := Framer{Borrow: true}
	stream := packet(OpMsg, []byte("once"))
	f.Next(stream)
	if m, _, ok := f.Next(stream); !ok || !m.Borrowed || &m.Body[0] != &stream[HeaderSize] || cap(m.Body) != len(m.Body) {
		t.Errorf("all there: %v, %+v", ok, m)
	}
	f.Next(stream[:HeaderSize+1])
	if m, _, ok := f.Next(stream[HeaderSize+1:]); !ok || m.Borrowed || string(m.Body) != "once" {
		t.Errorf("in two pieces: %v, %+v", ok, m)
	}
}

// Of an unwanted message the flags are kept, however it comes.
func TestUnwanted(t *testing.T) {
	body := msgBody(MoreToCome, kind0(ping()), make([]byte, 3*TailSize))
	stream := append(packetID(5, 0, OpMsg, body), packetID(6, 0, OpMsg, body)...)
	for size := range len(stream) {
		f := Framer{Unwanted: func(h Header) bool { return h.RequestID == 5 }}
		ms := append(feed(t, &f, [][]byte{stream[:size]}), feed(t, &f, [][]byte{stream[size:]})...)
		if len(ms) != 2 || len(ms[0].Body) != 4 || ms[0].Tail != nil || !ms[0].Flags().Has(MoreToCome) || !ms[0].Cut() || ms[1].Cut() {
			t.Fatalf("cut at %d: %+v", size, ms)
		}
	}
}

// A message over the limit keeps its head and its tail, which together are what was sent.
func TestHeadAndTail(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		body := make([]byte, rapid.IntRange(0, 6000).Draw(t, "size"))
		for i := range body {
			body[i] = byte(i * 31 >> 3)
		}
		f := Framer{Limit: rapid.IntRange(1, 4000).Draw(t, "limit")}
		ms := frameAll(&f, append(packet(OpMsg, body), packet(OpMsg, []byte{1})...))
		if len(ms) != 2 || len(ms[1].Body) != 1 {
			t.Fatalf("%d messages", len(ms))
		}
		m := ms[0]
		if m.BodySize() != len(body) || m.Cut() != (len(body) > f.Limit) || len(m.Body) != min(len(body), f.Limit) {
			t.Fatalf("size %d, cut %v, kept %d of %d", m.BodySize(), m.Cut(), len(m.Body), len(body))
		}
		if want := min(len(body)-len(m.Body), TailSize); len(m.Tail) != want {
			t.Fatalf("tail of %d bytes, want %d", len(m.Tail), want)
		}
		if !bytes.HasPrefix(body, m.Body) || !bytes.HasSuffix(body, m.Tail) {
			t.Fatalf("head or tail is not what was sent")
		}
	})
}

// W-12: a message may have 48,000,000 bytes, three times what a document may; one more is no message.
func TestLargestMessage(t *testing.T) {
	var f Framer
	head := packet(OpMsg, nil)
	binary.LittleEndian.PutUint32(head, MaxMessageSize)
	f.Next(head)
	zeros := make([]byte, 1<<20)
	var m Message
	left, ok := MaxMessageSize-HeaderSize, false
	for left > 0 {
		n := min(left, len(zeros))
		m, _, ok = f.Next(zeros[:n])
		left -= n
		if ok != (left == 0) || f.Buffered() > DefaultLimit+TailSize+HeaderSize {
			t.Fatalf("ok %v with %d bytes to come, %d buffered", ok, left, f.Buffered())
		}
	}
	if m.BodySize() != MaxMessageSize-HeaderSize || len(m.Body) != DefaultLimit || len(m.Tail) != TailSize {
		t.Fatalf("size %d, body %d, tail %d", m.BodySize(), len(m.Body), len(m.Tail))
	}
	binary.LittleEndian.PutUint32(head, MaxMessageSize+1)
	if _, _, ok := f.Next(head); ok || f.Lost() != LostLength {
		t.Fatalf("48,000,001 bytes: ok %v, lost %q", ok, f.Lost())
	}
}

// W-17: a length below the header's own.
func TestBadLength(t *testing.T) {
	for _, n := range []int32{15, 4, 1, 0, -1, -1 << 31, MaxMessageSize + 1, 1<<31 - 1} {
		for _, before := range [][]byte{nil, packet(OpMsg, msgBody(0, kind0(ping())))} {
			var f Framer
			b := binary.LittleEndian.AppendUint32(bytes.Clone(before), uint32(n))
			ms := frameAll(&f, append(b, make([]byte, 100)...))
			if f.Lost() != LostLength || f.Buffered() != 0 || f.MidMessage() {
				t.Errorf("length %d: lost %q, %d bytes buffered, mid-message %v", n, f.Lost(), f.Buffered(), f.MidMessage())
			}
			if want := min(len(before), 1); len(ms) != want {
				t.Errorf("length %d: %d messages, want %d", n, len(ms), want)
			}
			if _, rest, ok := f.Next(packet(OpMsg, nil)); ok || rest != nil {
				t.Errorf("length %d: found a message after losing track", n)
			}
		}
	}
	var f Framer
	if f.Next([]byte{15, 0, 0, 0}); f.Lost() != LostLength {
		t.Errorf("four bytes are enough to tell a bad length; lost %q", f.Lost())
	}
}

// W-17: a header and nothing else is a message; that an OP_MSG needs flags is the decoder's business.
func TestHeaderOnly(t *testing.T) {
	m := whole(t, packet(OpMsg, nil))
	if m.BodySize() != 0 || m.Cut() {
		t.Fatalf("size %d, cut %v", m.BodySize(), m.Cut())
	}
	if _, err := DecodeMsg(m); Reason(err) != "malformed" {
		t.Fatalf("decoded an OP_MSG without flags: %v", err)
	}
}

// W-43: opcodes nobody knows are framed like any other.
func TestUnknownOpcode(t *testing.T) {
	var f Framer
	ms := frameAll(&f, append(packet(2269, make([]byte, 77)), packet(OpMsg, msgBody(0, kind0(ping())))...))
	if len(ms) != 2 || f.Lost() != "" {
		t.Fatalf("%d messages, lost %q", len(ms), f.Lost())
	}
	if op := ms[0].OpCode; op.String() != "opcode 2269" || op.Label() != "other" {
		t.Errorf("named %q, labelled %q", op, op.Label())
	}
	if _, err := DecodeMsg(ms[0]); err == nil {
		t.Error("opcode 2269 read as OP_MSG")
	}
}

// A thousand connections that each declare 48 MB and send nothing hold no memory for it.
func TestDeclaredLengthCostsNothing(t *testing.T) {
	head := packet(OpMsg, nil)
	binary.LittleEndian.PutUint32(head, MaxMessageSize)
	framers := make([]Framer, 1000)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for i := range framers {
		framers[i].Next(head)
		if n := framers[i].Buffered(); n != HeaderSize {
			t.Fatalf("%d bytes buffered for a header", n)
		}
		framers[i].Next([]byte{0})
	}
	runtime.ReadMemStats(&after)
	if n := after.TotalAlloc - before.TotalAlloc; n > 2<<20 {
		t.Errorf("%d bytes allocated for 1,000 headers and bytes", n)
	}
	runtime.KeepAlive(framers)
}

func TestMidMessage(t *testing.T) {
	var f Framer
	p := packet(OpMsg, msgBody(0, kind0(ping())))
	if f.MidMessage() {
		t.Error("mid-message before the first byte")
	}
	for i := range p {
		if _, _, ok := f.Next(p[i : i+1]); ok != (i == len(p)-1) {
			t.Fatalf("byte %d: ok %v", i, ok)
		}
		if f.MidMessage() != (i < len(p)-1) {
			t.Fatalf("byte %d of %d: mid-message %v", i, len(p), f.MidMessage())
		}
	}
	if f.Buffered() != 0 {
		t.Errorf("%d bytes buffered between messages", f.Buffered())
	}
}

// The limit may change between messages.
func TestLimitChanges(t *testing.T) {
	p := packet(OpMsg, make([]byte, 100))
	f := Framer{Limit: 10}
	m, _, _ := f.Next(p)
	f.Limit = 0
	n, _, _ := f.Next(p)
	if len(m.Body) != 10 || len(m.Tail) != 90 || len(n.Body) != 100 || n.Tail != nil {
		t.Errorf("kept %d+%d and %d+%d bytes", len(m.Body), len(m.Tail), len(n.Body), len(n.Tail))
	}
}

// A limit that is lowered within a message ends its head there; what follows
// is skipped up to the tail.
func TestLowerLimitTakesEffectAtOnce(t *testing.T) {
	body := make([]byte, 10_000)
	for i := range body {
		body[i] = byte(i)
	}
	p := packet(OpMsg, body)
	f := Framer{Limit: 8000}
	if _, _, ok := f.Next(p[:HeaderSize+3000]); ok {
		t.Fatal("a message before its end")
	}
	f.Limit = 100 // less than there is already
	m, _, ok := f.Next(p[HeaderSize+3000:])
	if !ok || !m.Cut() || !bytes.Equal(m.Body, body[:3000]) || !bytes.Equal(m.Tail, body[len(body)-TailSize:]) {
		t.Errorf("ok %v, %d bytes of body, %d of tail", ok, len(m.Body), len(m.Tail))
	}
}
