package wire

import (
	"bytes"
	"encoding/binary"
	"errors"
	"strconv"
	"strings"
	"testing"

	"go.mongodb.org/mongo-driver/v2/x/bsonx/bsoncore"
	"pgregory.net/rapid"
)

func TestDecodeMsg(t *testing.T) {
	body := kind0(ping())
	docs := kind1("documents", numbered("_id", 1), numbered("_id", 2), numbered("_id", 3))
	for _, c := range []struct {
		name string
		body []byte
		seqs string // names and numbers of documents
		want string // reason of the error
	}{
		{name: "body", body: msgBody(0, body)},
		{name: "body, sequence", body: msgBody(0, body, docs), seqs: "documents 3"}, // W-38
		{name: "sequence, body", body: msgBody(0, docs, body), seqs: "documents 3"},
		{name: "sequences around the body", body: msgBody(0, kind1("ops", numbered("n", 1)), body, kind1("nsInfo")), seqs: "ops 1,nsInfo 0"},
		{name: "unknown name", body: msgBody(0, body, kind1("sprockets", numbered("n", 1))), seqs: "sprockets 1"},
		{name: "same name twice", body: msgBody(0, body, docs, docs), seqs: "documents 3,documents 3"},
		{name: "unknown flags", body: msgBody(1<<5|1<<20, body)},
		{name: "no flags", body: []byte{0, 0, 0}, want: "malformed"},
		{name: "no sections", body: msgBody(0), want: "malformed"},
		{name: "no body", body: msgBody(0, docs), seqs: "documents 3", want: "malformed"},
		{name: "two bodies", body: msgBody(0, body, body), want: "malformed"},
		{name: "kind 2", body: msgBody(0, body, docs, []byte{2, 5, 0, 0, 0}), seqs: "documents 3", want: "section"},
		{name: "kind 2 first", body: msgBody(0, []byte{2}, body), want: "section"},
		{name: "kind and nothing", body: msgBody(0, body, []byte{1}), want: "malformed"},
		{name: "sequence length 0", body: msgBody(0, body, []byte{1, 0, 0, 0, 0}), want: "malformed"},
		{name: "sequence length 4", body: msgBody(0, body, []byte{1, 4, 0, 0, 0}), want: "malformed"},
		{name: "sequence too long", body: msgBody(0, body, []byte{1, 99, 0, 0, 0, 'a', 0}), want: "malformed"},
		{name: "sequence negative", body: msgBody(0, body, []byte{1, 255, 255, 255, 255, 'a', 0}), want: "malformed"},
		{name: "sequence name without end", body: msgBody(0, body, []byte{1, 6, 0, 0, 0, 'a', 'b'}), want: "malformed"},
		{name: "longest name", body: msgBody(0, body, kind1(strings.Repeat("n", MaxName))), seqs: strings.Repeat("n", MaxName) + " 0"},
		{name: "name too long", body: msgBody(0, body, kind1(strings.Repeat("n", MaxName+1))), want: "malformed"},
		{name: "second document bad", body: msgBody(0, body, kind1("d", numbered("a", 1), rawDoc(0x55, 0))), seqs: "d 1", want: "malformed"},
		{name: "document longer than its sequence", body: msgBody(0, body, kind1("d", []byte{9, 0, 0, 0, 0}), numbered("a", 1)), want: "malformed"},
		{name: "most documents", body: msgBody(0, body, kind1("d", bytes.Repeat(rawDoc(), MaxDocuments))), seqs: "d 100000"},
		{name: "too many documents", body: msgBody(0, body, kind1("d", bytes.Repeat(rawDoc(), MaxDocuments)), kind1("e", rawDoc())), seqs: "d 100000", want: "elements"},
	} {
		t.Run(c.name[:min(len(c.name), 40)], func(t *testing.T) {
			msg, err := DecodeMsg(whole(t, packet(OpMsg, c.body)))
			if got := reasonOrNone(err); got != c.want {
				t.Fatalf("%v, want reason %q", err, c.want)
			}
			if got := summary(msg.Sequences); got != c.seqs {
				t.Errorf("sequences %q, want %q", got, c.seqs)
			}
			if msg.Cut {
				t.Error("a whole message said to be cut")
			}
			if c.want == "" && !bytes.Equal(msg.Body, ping()) {
				t.Errorf("body %x", msg.Body)
			}
		})
	}
}

func reasonOrNone(err error) string {
	if err == nil {
		return ""
	}
	return Reason(err)
}

func summary(seqs []Sequence) string {
	var b strings.Builder
	for i, s := range seqs {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(s.Name)
		b.WriteByte(' ')
		b.WriteString(strconv.Itoa(len(s.Docs)))
	}
	return b.String()
}

// W-18: what a document can say of itself, as the body of a message; the stream goes on behind it.
func TestBadDocumentInMessage(t *testing.T) {
	good := ping()
	for _, n := range []int{0, 4, -1, len(good) + 50, len(good) - 1} {
		bad := bytes.Clone(good)
		binary.LittleEndian.PutUint32(bad, uint32(n))
		var f Framer
		ms := frameAll(&f, append(packet(OpMsg, msgBody(0, kind0(bad))), packet(OpMsg, msgBody(0, kind0(good)))...))
		if len(ms) != 2 {
			t.Fatalf("length %d: %d messages", n, len(ms))
		}
		if _, err := DecodeMsg(ms[0]); !errors.Is(err, ErrMalformed) {
			t.Errorf("length %d: %v", n, err)
		}
		if _, err := DecodeMsg(ms[1]); err != nil {
			t.Errorf("length %d: the message behind it: %v", n, err)
		}
	}
}

// W-09: the four bytes behind the sections are no section; a wrong checksum is not ours to judge.
func TestChecksum(t *testing.T) {
	good := withChecksum(packet(OpMsg, msgBody(ChecksumPresent, kind0(ping()))))
	flipped := bytes.Clone(good)
	flipped[len(flipped)-1] ^= 1
	for _, p := range [][]byte{good, flipped} {
		msg, err := DecodeMsg(whole(t, p))
		if err != nil || !bytes.Equal(msg.Body, ping()) || len(msg.Sequences) != 0 || !msg.Flags.Has(ChecksumPresent) {
			t.Errorf("%+v, %v", msg, err)
		}
	}
	if _, err := DecodeMsg(whole(t, packet(OpMsg, msgBody(ChecksumPresent, []byte{0, 0, 0})))); !errors.Is(err, ErrMalformed) {
		t.Errorf("half a checksum: %v", err)
	}
	// Cut inside the checksum: nothing is missing that matters.
	for cut := 1; cut <= 4; cut++ {
		m := framed(t, len(good)-HeaderSize-cut, good)
		if msg, err := DecodeMsg(m); err != nil || msg.Cut || !bytes.Equal(msg.Body, ping()) {
			t.Errorf("%d bytes of the checksum cut: %+v, %v", cut, msg, err)
		}
	}
}

func TestFlags(t *testing.T) {
	f := MoreToCome | ExhaustAllowed
	if !f.Has(MoreToCome) || f.Has(ChecksumPresent) || f.Has(MoreToCome|ChecksumPresent) || !f.Has(0) {
		t.Errorf("%b", f)
	}
}

// What was not kept is no fault of the sender.
func TestCutFlags(t *testing.T) {
	if _, err := DecodeMsg(framed(t, 2, packet(OpMsg, msgBody(0)))); Reason(err) != "cut" {
		t.Error(err)
	}
}

// Whatever a message is cut at, what is returned is the beginning of what the whole message holds, and missing parts show.
func TestDecodeCutMsg(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var sections [][]byte
		total := map[string]int{}
		at := rapid.IntRange(0, 2).Draw(t, "body after")
		for i := range 3 {
			if i == at {
				sections = append(sections, kind0(ping()))
			}
			name := string(rune('a' + i))
			var docs [][]byte
			for j := range rapid.IntRange(0, 5).Draw(t, "documents") {
				docs = append(docs, numbered("n", j))
			}
			total[name] = len(docs)
			sections = append(sections, kind1(name, docs...))
		}
		flags := rapid.SampledFrom([]MsgFlags{0, ChecksumPresent}).Draw(t, "flags")
		p := packet(OpMsg, msgBody(flags, sections...))
		if flags.Has(ChecksumPresent) {
			p = withChecksum(p)
		}
		f := Framer{Limit: rapid.IntRange(1, len(p)).Draw(t, "limit")}
		m, _, ok := f.Next(p)
		if !ok {
			t.Fatalf("no message")
		}
		msg, err := DecodeMsg(m)
		if msg.Body == nil && !errors.Is(err, ErrCut) || msg.Body != nil && err != nil {
			t.Fatalf("body of %d bytes, %v", len(msg.Body), err)
		}
		missing := msg.Body == nil || len(msg.Sequences) < 3
		for i, s := range msg.Sequences {
			if want := string(rune('a' + i)); s.Name != want {
				t.Fatalf("sequence %q, want %q", s.Name, want)
			}
			if s.Cut != (len(s.Docs) < total[s.Name]) {
				t.Fatalf("sequence %q cut %v with %d of %d documents", s.Name, s.Cut, len(s.Docs), total[s.Name])
			}
			missing = missing || s.Cut
			for j, d := range s.Docs {
				if !bytes.Equal(d, numbered("n", j)) {
					t.Fatalf("document %d of %q is %x", j, s.Name, []byte(d))
				}
			}
		}
		if len(m.Body) >= 4 && msg.Cut != missing {
			t.Fatalf("cut %v, missing %v", msg.Cut, missing)
		}
	})
}

// Recorded messages decode, and bsoncore can read what they hold.
func TestRecorded(t *testing.T) {
	seen := map[string]int{}
	everyMessage(t, func(name string, m Message) {
		seen[m.OpCode.Label()]++
		var docs []bsoncore.Document
		if m.OpCode == OpCompressed {
			seen[[]string{"noop", "snappy", "zlib", "zstd"}[m.Body[8]]]++
			var err error
			if m, err = Decompress(m); err != nil {
				t.Errorf("%s: %v", name, err)
				return
			}
		}
		switch m.OpCode {
		case OpMsg:
			msg, err := DecodeMsg(m)
			if err != nil {
				t.Errorf("%s: %v", name, err)
			}
			docs = append(docs, msg.Body)
			for _, s := range msg.Sequences {
				seen["sequence "+s.Name]++
				docs = append(docs, s.Docs...)
			}
			if msg.Flags.Has(MoreToCome) {
				seen["more to come"]++
			}
			if msg.Flags.Has(ExhaustAllowed) {
				seen["exhaust allowed"]++
			}
		case OpQuery:
			q, err := DecodeQuery(m)
			if err != nil || q.Collection != "admin.$cmd" {
				t.Errorf("%s: %q, %v", name, q.Collection, err)
			}
			docs = append(docs, q.Body)
		case OpReply:
			r, err := DecodeReply(m)
			if err != nil || len(r.Docs) != 1 {
				t.Errorf("%s: %d documents, %v", name, len(r.Docs), err)
			}
			docs = append(docs, r.Docs...)
		default:
			t.Errorf("%s: %v", name, m.OpCode)
		}
		for _, d := range docs {
			if err := readDeep(d); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
	})
	for _, want := range []string{
		"OP_MSG", "OP_QUERY", "OP_REPLY", "OP_COMPRESSED", "snappy", "zlib", "zstd",
		"sequence documents", "sequence updates", "more to come", "exhaust allowed",
	} {
		if seen[want] == 0 {
			t.Errorf("no recorded message with %s", want)
		}
	}
}
