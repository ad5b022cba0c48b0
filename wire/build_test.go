package wire

import (
	"encoding/binary"
	"hash/crc32"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"go.mongodb.org/mongo-driver/v2/x/bsonx/bsoncore"
)

// Builders of bytes for the tests. They follow the specification, not the package: they share no code with it.

// packet puts a header before a body.
func packet(op OpCode, body []byte) []byte { return packetID(7, 0, op, body) }

func packetID(id, to int32, op OpCode, body []byte) []byte {
	b := binary.LittleEndian.AppendUint32(nil, uint32(16+len(body)))
	b = binary.LittleEndian.AppendUint32(b, uint32(id))
	b = binary.LittleEndian.AppendUint32(b, uint32(to))
	b = binary.LittleEndian.AppendUint32(b, uint32(op))
	return append(b, body...)
}

// whole frames exactly one message, keeping all of it.
func whole(t testing.TB, b []byte) Message { return framed(t, MaxMessageSize, b) }

// framed frames exactly one message under a limit.
func framed(t testing.TB, limit int, b []byte) Message {
	t.Helper()
	f := Framer{Limit: limit}
	m, rest, ok := f.Next(b)
	if !ok || len(rest) != 0 {
		t.Fatalf("not one message: ok %v, %d bytes left, lost %q", ok, len(rest), f.Lost())
	}
	return m
}

// frameAll frames a whole stream in one chunk.
func frameAll(f *Framer, b []byte) []Message {
	var out []Message
	for m, rest, ok := f.Next(b); ok; m, rest, ok = f.Next(rest) {
		out = append(out, m)
	}
	return out
}

// msgBody is the body of an OP_MSG.
func msgBody(flags MsgFlags, sections ...[]byte) []byte {
	b := binary.LittleEndian.AppendUint32(nil, uint32(flags))
	for _, s := range sections {
		b = append(b, s...)
	}
	return b
}

func kind0(doc []byte) []byte { return append([]byte{0}, doc...) }

func kind1(name string, docs ...[]byte) []byte {
	payload := append([]byte(name), 0)
	for _, d := range docs {
		payload = append(payload, d...)
	}
	return append(binary.LittleEndian.AppendUint32([]byte{1}, uint32(4+len(payload))), payload...)
}

// withChecksum appends the CRC-32C of header and body, the header counting it already.
func withChecksum(p []byte) []byte {
	b := append([]byte(nil), p...)
	binary.LittleEndian.PutUint32(b, uint32(len(b)+4))
	return binary.LittleEndian.AppendUint32(b, crc32.Checksum(b, crc32.MakeTable(crc32.Castagnoli)))
}

// ping is {ping: 1, $db: "admin"}.
func ping() []byte {
	return bsoncore.NewDocumentBuilder().AppendInt32("ping", 1).AppendString("$db", "admin").Build()
}

func numbered(key string, n int) []byte {
	return bsoncore.NewDocumentBuilder().AppendInt32(key, int32(n)).Build()
}

// rawDoc wraps elements into a document with a right length, whatever they are.
func rawDoc(elements ...byte) []byte {
	b := binary.LittleEndian.AppendUint32(nil, uint32(5+len(elements)))
	return append(append(b, elements...), 0)
}

// rawElement is an element of any type with any value.
func rawElement(kind byte, key string, value ...byte) []byte {
	return append(append(append([]byte{kind}, key...), 0), value...)
}

// nested is a document with levels documents inside each other in it, each of eight bytes. It is built from the inside out of
// one allocation: millions of levels take no time.
func nested(levels int) []byte {
	const open = 4 + 3 // a length, and type and name of the element that follows
	size := open*levels + 5 + levels
	b := make([]byte, size)
	for i := range levels {
		at := open * i
		binary.LittleEndian.PutUint32(b[at:], uint32(size-8*i))
		b[at+4], b[at+5] = 3, 'a'
	}
	binary.LittleEndian.PutUint32(b[open*levels:], 5)
	return b
}

// findReply is an OP_MSG body: the reply to a find, as mongod 6.0 orders its fields.
func findReply(batch string, id int64, ns string, docs ...[]byte) []byte {
	arr := bsoncore.NewArrayBuilder()
	for _, d := range docs {
		arr.AppendDocument(d)
	}
	cursor := bsoncore.NewDocumentBuilder().AppendArray(batch, arr.Build()).AppendInt64("id", id).AppendString("ns", ns).Build()
	return msgBody(0, kind0(bsoncore.NewDocumentBuilder().AppendDocument("cursor", cursor).AppendDouble("ok", 1).Build()))
}

// recorded returns the recorded streams of testdata by name.
func recorded(t testing.TB) map[string][]byte {
	t.Helper()
	files, err := filepath.Glob("testdata/streams/*.bin")
	if err != nil || len(files) == 0 {
		t.Fatalf("recorded streams: %d files, %v", len(files), err)
	}
	out := map[string][]byte{}
	for _, f := range files {
		b, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		out[strings.TrimSuffix(filepath.Base(f), ".bin")] = b
	}
	return out
}

// everyMessage calls f for each recorded message.
func everyMessage(t testing.TB, f func(name string, m Message)) {
	t.Helper()
	for name, b := range recorded(t) {
		for i, m := range frameAll(&Framer{}, b) {
			f(name+"/"+strconv.Itoa(i), m)
		}
	}
}
