package wire

import (
	"bytes"
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"go.mongodb.org/mongo-driver/v2/x/bsonx/bsoncore"
)

// One target per decoder, fed with bodies: through the framing a fuzzer would spend its time on headers. A limit is part of
// the input, so that every decoder is also run on messages cut anywhere, and is held against its result for the whole one.

// seedBodies adds the bodies of recorded messages of one kind, compressed ones unpacked, and variants cut at some places.
func seedBodies(f *testing.F, op OpCode) {
	everyMessage(f, func(_ string, m Message) {
		if m.OpCode != op && m.OpCode == OpCompressed {
			if plain, err := Decompress(m); err == nil {
				m = plain
			}
		}
		if m.OpCode == op {
			f.Add(m.Body, uint16(0))
			f.Add(m.Body, uint16(len(m.Body)/2))
		}
	})
}

// both frames a body whole and cut; limit 0 means not cut.
func both(t *testing.T, op OpCode, body []byte, limit uint16) (uncut, cut Message) {
	p := packet(op, body)
	uncut = whole(t, p)
	if limit == 0 {
		return uncut, uncut
	}
	return uncut, framed(t, int(limit), p)
}

func FuzzFramer(f *testing.F) {
	for _, b := range recorded(f) {
		f.Add(b[:min(len(b), 400)], []byte{1}, uint16(0)) // short, or minimizing takes all the time
		f.Add(b[:min(len(b), 900)], []byte{16, 3, 200}, uint16(64))
	}
	f.Add(append([]byte("PROXY UNKNOWN\r\n"), packet(OpMsg, msgBody(0, kind0(ping())))...), []byte{7}, uint16(0))
	f.Add(append(proxyV2(0x21, make([]byte, 12)), packet(OpMsg, nil)...), []byte{13}, uint16(1))
	f.Add(clientHello(512), []byte{2}, uint16(0))
	f.Add([]byte("GET / HTTP/1.1\r\n\r\n"), []byte{1}, uint16(0))
	f.Add(packet(OpMsg, make([]byte, 5000)), []byte{100, 1}, uint16(900))
	f.Fuzz(func(t *testing.T, stream, sizes []byte, limit uint16) {
		one, many := Framer{Limit: int(limit)}, Framer{Limit: int(limit)}
		want := feed(t, &one, [][]byte{stream})
		var chunks [][]byte
		for i, rest := 0, stream; len(rest) > 0; i++ {
			n := 1
			if len(sizes) > 0 {
				n += int(sizes[i%len(sizes)])
			}
			n = min(n, len(rest))
			chunks, rest = append(chunks, rest[:n]), rest[n:]
		}
		got := feed(t, &many, chunks)
		if !reflect.DeepEqual(want, got) { // cmp.Diff looks at one byte at a time
			t.Errorf("in one chunk -, cut +:\n%s", cmp.Diff(want, got))
		}
		if one.Lost() != many.Lost() || one.Proxied() != many.Proxied() || one.MidMessage() != many.MidMessage() {
			t.Errorf("in one chunk %q %v %v, cut %q %v %v", one.Lost(), one.Proxied(), one.MidMessage(), many.Lost(), many.Proxied(), many.MidMessage())
		}
	})
}

func FuzzValidate(f *testing.F) {
	f.Add(everyType())
	f.Add(nested(3))
	f.Add(nested(MaxDepth + 1))
	everyMessage(f, func(_ string, m Message) {
		if msg, err := DecodeMsg(m); err == nil {
			f.Add([]byte(msg.Body))
		}
	})
	f.Fuzz(func(t *testing.T, doc []byte) {
		checkAccepted(t, doc)
		fixed := bytes.Clone(doc)
		if len(fixed) >= minDocument { // most inputs fail at the length: look behind it
			copy(fixed, le32(int32(len(fixed))))
			fixed[len(fixed)-1] = 0
			checkAccepted(t, fixed)
		}
	})
}

func FuzzDecodeMsg(f *testing.F) {
	seedBodies(f, OpMsg)
	f.Add(msgBody(0, kind1("a", numbered("a", 1), numbered("a", 2)), kind0(ping()), kind1("b")), uint16(20))
	f.Add(msgBody(ChecksumPresent, kind0(ping()), []byte{1, 2, 3, 4}), uint16(0))
	f.Fuzz(func(t *testing.T, body []byte, limit uint16) {
		uncut, cut := both(t, OpMsg, body, limit)
		want, wantErr := DecodeMsg(uncut)
		got, err := DecodeMsg(cut)
		checkDocs(t, want.Body, want.Sequences)
		checkDocs(t, got.Body, got.Sequences)
		if wantErr == nil && (want.Cut || want.Body == nil) {
			t.Errorf("whole: cut %v, body of %d bytes", want.Cut, len(want.Body))
		}
		if wantErr != nil {
			return
		}
		if err != nil && Reason(err) != "cut" {
			t.Errorf("cut: %v, whole: no error", err)
		}
		if got.Body != nil && !bytes.Equal(got.Body, want.Body) || len(got.Sequences) > len(want.Sequences) {
			t.Fatalf("cut: another body or more sequences")
		}
		for i, s := range got.Sequences {
			if w := want.Sequences[i]; s.Name != w.Name || len(s.Docs) > len(w.Docs) || s.Cut != (len(s.Docs) < len(w.Docs)) {
				t.Fatalf("sequence %d: %d documents of %d, cut %v", i, len(s.Docs), len(w.Docs), s.Cut)
			}
		}
	})
}

func checkDocs(t *testing.T, body bsoncore.Document, seqs []Sequence) {
	t.Helper()
	docs := []bsoncore.Document{body}
	for _, s := range seqs {
		docs = append(docs, s.Docs...)
	}
	for _, d := range docs {
		if d == nil {
			continue
		}
		if err := readDeep(d); err != nil {
			t.Fatalf("returned a document bsoncore cannot read: %v", err)
		}
	}
}

func FuzzDecodeQuery(f *testing.F) {
	seedBodies(f, OpQuery)
	f.Add(queryBody("admin.$cmd", ping(), numbered("name", 1)), uint16(40))
	f.Fuzz(func(t *testing.T, body []byte, limit uint16) {
		uncut, cut := both(t, OpQuery, body, limit)
		want, wantErr := DecodeQuery(uncut)
		got, err := DecodeQuery(cut)
		checkDocs(t, got.Body, nil)
		if wantErr == nil && err == nil && !cmp.Equal(want, got) {
			t.Errorf("whole %+v, cut %+v", want, got)
		}
		if wantErr == nil && err != nil && Reason(err) != "cut" {
			t.Errorf("cut: %v, whole: no error", err)
		}
	})
}

func FuzzDecodeReply(f *testing.F) {
	seedBodies(f, OpReply)
	f.Add(replyBody(2, ping(), numbered("a", 1)), uint16(50))
	f.Fuzz(func(t *testing.T, body []byte, limit uint16) {
		uncut, cut := both(t, OpReply, body, limit)
		want, wantErr := DecodeReply(uncut)
		got, err := DecodeReply(cut)
		checkDocs(t, nil, []Sequence{{Docs: want.Docs}, {Docs: got.Docs}})
		if wantErr == nil && err == nil && (got.CursorID != want.CursorID || got.Cut != (len(got.Docs) < len(want.Docs))) {
			t.Errorf("whole %+v, cut %+v", want, got)
		}
		if wantErr == nil && err != nil && Reason(err) != "cut" {
			t.Errorf("cut: %v, whole: no error", err)
		}
	})
}

func FuzzDecodeCutReply(f *testing.F) {
	seedBodies(f, OpMsg)
	f.Add(findReply("nextBatch", 7, "a.b", numbered("a", 1), bytes.Repeat(numbered("a", 1), 1)), uint16(60))
	f.Add(findReply("nextBatch", 7, "a.b", rawDoc(rawElement(typeBinary, "b", cat(le32(3000), []byte{0}, make([]byte, 3000))...)...)), uint16(60))
	f.Fuzz(func(t *testing.T, body []byte, limit uint16) {
		uncut, cut := both(t, OpMsg, body, limit)
		want, wantErr := DecodeCutReply(uncut)
		got, err := DecodeCutReply(cut)
		checkDocs(t, nil, []Sequence{{Docs: want.Docs}, {Docs: got.Docs}})
		if wantErr != nil || err != nil {
			if wantErr == nil && Reason(err) != "cut" {
				t.Errorf("cut: %v, whole: no error", err)
			}
			return
		}
		if d := cmp.Diff(want, got, cmpopts.IgnoreFields(CutReply{}, "Docs", "BatchBytes", "Torn")); d != "" {
			t.Errorf("whole -, cut +:\n%s", d)
		}
		if len(got.Docs) > len(want.Docs) {
			t.Errorf("cut: %d documents of %d", len(got.Docs), len(want.Docs))
		}
	})
}

func FuzzDecompress(f *testing.F) {
	everyMessage(f, func(_ string, m Message) {
		if m.OpCode == OpCompressed {
			f.Add(m.Body)
		}
	})
	for id := range byte(4) {
		f.Add(compressedBody(OpMsg, 3000, id, pack(f, id, make([]byte, 3000))))
	}
	f.Add(compressedBody(OpMsg, 3000, 3, streamed(f, make([]byte, 3000))))
	f.Fuzz(func(t *testing.T, body []byte) {
		m, err := Decompress(whole(t, packet(OpCompressed, body)))
		if err != nil {
			if m.Body != nil || Reason(err) == "other" {
				t.Errorf("%d bytes and %v", len(m.Body), err)
			}
			return
		}
		if m.Cut() || m.BodySize() != len(m.Body) || m.BodySize() != int(i32(body[4:])) || m.OpCode == OpCompressed {
			t.Errorf("%+v with %d bytes", m.Header, len(m.Body))
		}
	})
}
