package wire

import (
	"math/rand/v2"
	"testing"
)

// conversation is the bytes of one side of a recorded connection, and the headers in it.
func conversation(t testing.TB) (stream []byte, starts []int, all []Message) {
	t.Helper()
	everyMessage(t, func(_ string, m Message) {
		if m.ResponseTo != 0 || m.OpCode != OpMsg {
			return
		}
		starts = append(starts, len(stream))
		stream = append(stream, packetOf(m)...)
		all = append(all, m)
	})
	if len(all) < 50 {
		t.Fatalf("%d recorded requests", len(all))
	}
	return stream, starts, all
}

// packetOf is the message as it was sent.
func packetOf(m Message) []byte { return packetID(m.RequestID, m.ResponseTo, m.OpCode, m.Body) }

func isHeader(all map[Header]int, h Header) bool {
	all[h]--
	return all[h] >= 0
}

// TestGap: whatever is missing, the framer invents no message, all before the gap come as they were, and all that begin
// behind the end of what is missing come again: at once when the gap's size is known and it lies inside a message, else from
// the next header on.
func TestGap(t *testing.T) {
	stream, starts, all := conversation(t)
	r := rand.New(rand.NewPCG(1, 2))
	for range 3000 {
		from := r.IntN(len(stream))
		n := 1 + r.IntN(1+r.IntN(2000))
		n = min(n, len(stream)-from)
		known := r.IntN(2) == 0
		f := Framer{Side: SideClient, Recover: true, Borrow: r.IntN(2) == 0}
		headers := map[Header]int{}
		for _, m := range all {
			headers[m.Header]++
		}
		got := 0
		note := func(m Message) {
			got++
			if !isHeader(headers, m.Header) {
				t.Fatalf("gap of %d at %d: a message nobody sent: %+v", n, from, m.Header)
			}
		}
		send := func(b []byte) {
			for len(b) > 0 {
				k := min(len(b), 1+r.IntN(1500))
				for m, rest, ok := f.Next(b[:k]); ok; m, rest, ok = f.Next(rest) {
					note(m)
				}
				b = b[k:]
			}
		}
		send(stream[:from])
		size := n
		if !known {
			size = -1
		}
		if m, ok := f.Gap(size); ok {
			note(m)
		}
		send(stream[from+n:])

		untouched, crossed := 0, 0
		for i, s := range starts {
			end := len(stream)
			if i+1 < len(starts) {
				end = starts[i+1]
			}
			switch {
			case end <= from, s >= from+n:
				untouched++
			case known && s+HeaderSize <= from && end >= from+n:
				crossed++
			}
		}
		if got < untouched+crossed {
			t.Fatalf("gap of %d at %d, known %v: %d messages, of %d outside the gap and %d around it", n, from, known, got, untouched, crossed)
		}
	}
}

// TestGapInsideAMessage: the message comes cut where the gap begins, and the next one needs no search.
func TestGapInsideAMessage(t *testing.T) {
	body := msgBody(0, kind0(ping()))
	big := packet(OpMsg, append(body, make([]byte, 5000)...))
	f := Framer{}
	if _, _, ok := f.Next(big[:1000]); ok {
		t.Fatal("a message of which 1,000 bytes are there")
	}
	if m, ok := f.Gap(2000); ok {
		t.Fatalf("message %+v in the middle of it", m.Header)
	}
	m, rest, ok := f.Next(append(big[3000:len(big):len(big)], big[:10]...))
	if !ok || len(m.Body) != 1000-HeaderSize || !m.Cut() || len(rest) != 10 {
		t.Errorf("body of %d bytes, %d left, %v", len(m.Body), len(rest), ok)
	}
	if len(m.Tail) != TailSize || m.Tail[0] != big[len(big)-TailSize] {
		t.Errorf("tail of %d bytes", len(m.Tail))
	}
	if times, missed := f.Resyncs(); times != 0 || missed != 0 {
		t.Errorf("%d resynchronisations, %d bytes missed", times, missed)
	}
}

// TestGapTakesTheEnd: what was lost with the end of a message has no tail.
func TestGapTakesTheEnd(t *testing.T) {
	big := packet(OpMsg, append(msgBody(0, kind0(ping())), make([]byte, 5000)...))
	f := Framer{Limit: 100}
	f.Next(big[:len(big)-500])
	f.Gap(100)
	m, _, ok := f.Next(big[len(big)-400:])
	if !ok || len(m.Tail) != 0 || len(m.Body) != 100 {
		t.Errorf("%v, tail of %d bytes, body of %d", ok, len(m.Tail), len(m.Body))
	}
	next, _, ok := f.Next(big)
	if !ok || len(next.Tail) != TailSize {
		t.Errorf("the next one: %v, tail of %d bytes", ok, len(next.Tail))
	}
}

// TestRecover: a length that cannot be costs the message, not the rest of the stream.
func TestRecover(t *testing.T) {
	good := packetOf(Message{Header: Header{RequestID: 7, OpCode: OpMsg}, Body: msgBody(0, kind0(ping()))})
	bad := append([]byte{0xff, 0xff, 0xff, 0xff}, good[4:]...)
	stream := append(append(append([]byte{}, good...), bad...), good...)
	for size := 1; size < len(stream); size++ {
		f, n := Framer{Recover: true, Side: SideClient}, 0
		for at := 0; at < len(stream); at += size {
			chunk := stream[at:min(at+size, len(stream))]
			for _, rest, ok := f.Next(chunk); ok; _, rest, ok = f.Next(rest) {
				n++
			}
		}
		times, missed := f.Resyncs()
		if n != 2 || times != 1 || missed != len(bad) || f.Lost() != "" {
			t.Fatalf("chunks of %d: %d messages, %d resynchronisations, %d bytes missed, lost %q", size, n, times, missed, f.Lost())
		}
	}
}

// TestPlausibleKnowsRecordedMessages: every recorded message of the opcodes it knows passes, from its own side only.
func TestPlausibleKnowsRecordedMessages(t *testing.T) {
	n := 0
	everyMessage(t, func(name string, m Message) {
		if len(m.Body) < PlausibleSize-HeaderSize || m.OpCode.Label() == labelOther {
			return
		}
		switch m.OpCode {
		case OpMsg, OpCompressed, OpQuery, OpReply:
		default:
			return
		}
		b := packetOf(m)
		own, other := SideClient, SideServer
		if m.ResponseTo != 0 {
			own, other = other, own
		}
		n++
		if !Plausible(b, own) || !Plausible(b, SideUnknown) || Plausible(b, other) {
			t.Errorf("%s: %+v: own side %v, unknown side %v, other side %v", name, m.Header, Plausible(b, own), Plausible(b, SideUnknown), Plausible(b, other))
		}
	})
	if n < 150 {
		t.Errorf("%d messages", n)
	}
}

func FuzzGap(f *testing.F) {
	for _, b := range recorded(f) {
		f.Add(b[:min(len(b), 600)], uint16(30), int16(50), byte(7))
	}
	f.Fuzz(func(t *testing.T, stream []byte, at uint16, size int16, chunk byte) {
		from := min(int(at), len(stream))
		fr := Framer{Recover: true, Side: Side(chunk % 3), Limit: 64}
		n, most := 0, 2+len(stream)/HeaderSize
		send := func(b []byte) {
			for len(b) > 0 {
				k := min(len(b), 1+int(chunk))
				for m, rest, ok := fr.Next(b[:k]); ok; m, rest, ok = fr.Next(rest) {
					if n++; len(m.Body) > 64 || len(m.Tail) > TailSize {
						t.Fatalf("kept %d and %d bytes", len(m.Body), len(m.Tail))
					}
				}
				b = b[k:]
			}
		}
		send(stream[:from])
		if _, ok := fr.Gap(int(size)); ok {
			n++
		}
		send(stream[from:])
		if n > most {
			t.Fatalf("%d messages of %d bytes", n, len(stream))
		}
		if _, missed := fr.Resyncs(); missed > len(stream) {
			t.Fatalf("%d of %d bytes missed", missed, len(stream))
		}
	})
}
