package wire

import (
	"bytes"
	"testing"

	"go.mongodb.org/mongo-driver/v2/x/bsonx/bsoncore"
)

// findCommand is a find of the median size of requests.
func findCommand() []byte {
	d := bsoncore.NewDocumentBuilder
	filter := d().AppendString("status", "open").AppendDocument("total", d().AppendInt32("$gte", 100).Build()).
		AppendRegex("address.city", "^ber", "i").Build()
	return d().AppendString("find", "orders").AppendDocument("filter", filter).
		AppendDocument("sort", d().AppendInt32("created", -1).Build()).
		AppendDocument("projection", d().AppendInt32("items", 1).AppendInt32("total", 1).Build()).AppendInt32("limit", 20).
		AppendDocument("lsid", d().AppendBinary("id", 4, make([]byte, 16)).Build()).AppendString("$db", "shop").Build()
}

func BenchmarkValidate(b *testing.B) {
	for _, c := range []struct {
		name string
		doc  []byte
	}{
		{"find", findCommand()},
		{"every type", everyType()},
		{"batch of 100 KB", rawDoc(rawElement(typeArray, "a", rawDoc(bytes.Repeat(rawElement(typeDocument, "0", findCommand()...), 340)...)...)...)},
		{"million elements", rawDoc(bytes.Repeat([]byte{typeNull, 0}, MaxElements)...)},
		{"too deep", nested(2_000_000)},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.SetBytes(int64(len(c.doc)))
			b.ReportAllocs()
			for b.Loop() {
				_ = Validate(c.doc)
			}
		})
	}
}

func BenchmarkDecodeMsg(b *testing.B) {
	m := whole(b, packet(OpMsg, msgBody(0, kind0(findCommand()))))
	b.SetBytes(int64(m.Length))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := DecodeMsg(m); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkFramer(b *testing.B) {
	small := packet(OpMsg, msgBody(0, kind0(findCommand())))
	for _, c := range []struct {
		name  string
		p     []byte
		chunk int
	}{
		{"small", small, len(small)},
		{"small bytewise", small, 1},
		{"1 MB in 32 KB", packet(OpMsg, make([]byte, 1<<20)), 32 << 10},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.SetBytes(int64(len(c.p)))
			b.ReportAllocs()
			var f Framer
			for b.Loop() {
				for rest := c.p; len(rest) > 0; {
					n := min(c.chunk, len(rest))
					f.Next(rest[:n])
					rest = rest[n:]
				}
			}
		})
	}
}

func BenchmarkDecompress(b *testing.B) {
	body := msgBody(0, kind0(findCommand()))
	for id, name := range []string{"noop", "snappy", "zlib", "zstd"} {
		m := whole(b, packet(OpCompressed, compressedBody(OpMsg, int32(len(body)), byte(id), pack(b, byte(id), body))))
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(body)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := Decompress(m); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
