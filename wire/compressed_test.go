package wire

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"errors"
	"math/rand"
	"runtime"
	"testing"

	"github.com/klauspost/compress/snappy"
	"github.com/klauspost/compress/zstd"
)

func compressedBody(op OpCode, size int32, id byte, payload []byte) []byte {
	return cat(le32(int32(op)), le32(size), []byte{id}, payload)
}

func pack(t testing.TB, id byte, b []byte) []byte {
	t.Helper()
	switch id {
	case 0:
		return b
	case 1:
		return snappy.Encode(nil, b)
	case 2:
		var out bytes.Buffer
		w := zlib.NewWriter(&out)
		_, _ = w.Write(b) // a bytes.Buffer takes everything
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		return out.Bytes()
	default:
		e, err := zstd.NewWriter(nil)
		if err != nil {
			t.Fatal(err)
		}
		defer e.Close()
		return e.EncodeAll(b, nil)
	}
}

// streamed is zstd without a content size in its header.
func streamed(t testing.TB, b []byte) []byte {
	t.Helper()
	var out bytes.Buffer
	e, err := zstd.NewWriter(&out, zstd.WithEncoderConcurrency(1))
	if err != nil {
		t.Fatal(err)
	}
	for rest := b; len(rest) > 0; {
		n := min(len(rest), 1<<16)
		if _, err := e.Write(rest[:n]); err != nil {
			t.Fatal(err)
		}
		rest = rest[n:]
	}
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func TestDecompress(t *testing.T) {
	random := make([]byte, 300_000)
	rand.New(rand.NewSource(1)).Read(random)
	for _, body := range [][]byte{
		nil,
		{1},
		msgBody(0, kind0(ping())),
		bytes.Repeat([]byte("shop.orders"), 30_000),
		make([]byte, 20_000_000), // unpacks a thousandfold and more
		random,
	} {
		for id := range byte(5) {
			payload := pack(t, id&3, body)
			if id == 4 {
				id, payload = 3, streamed(t, body)
			}
			p := packetID(11, 12, OpCompressed, compressedBody(OpMsg, int32(len(body)), id, payload))
			m, err := Decompress(whole(t, p))
			if err != nil || !bytes.Equal(m.Body, body) {
				t.Errorf("compressor %d: %d of %d bytes, %v", id, len(m.Body), len(body), err)
				continue
			}
			if want := (Header{int32(HeaderSize + len(body)), 11, 12, OpMsg}); m.Header != want || m.Cut() {
				t.Errorf("compressor %d: header %+v, want %+v", id, m.Header, want)
			}
			for _, n := range []int{len(body) + 1, len(body) - 1, len(body) * 2, 0} {
				if n < 0 || n == len(body) {
					continue
				}
				p := packet(OpCompressed, compressedBody(OpMsg, int32(n), id, payload))
				if _, err := Decompress(whole(t, p)); !errors.Is(err, ErrMalformed) {
					t.Errorf("compressor %d, %d bytes declared for %d: %v", id, n, len(body), err)
				}
			}
		}
	}
}

// The result owns its bytes whatever the compressor.
func TestDecompressOwns(t *testing.T) {
	body := msgBody(0, kind0(ping()))
	for id := range byte(4) {
		in := whole(t, packet(OpCompressed, compressedBody(OpMsg, int32(len(body)), id, pack(t, id, body))))
		m, err := Decompress(in)
		clear(in.Body)
		if err != nil || !bytes.Equal(m.Body, body) {
			t.Errorf("compressor %d: %v", id, err)
		}
	}
}

// W-21 and sizes that cannot be.
func TestDecompressRefuses(t *testing.T) {
	body := msgBody(0, kind0(ping()))
	size := int32(len(body))
	garbage := bytes.Repeat([]byte{0xA5}, 100)
	for _, c := range []struct {
		name, want string
		body       []byte
	}{
		{"unknown compressor", "compressor", compressedBody(OpMsg, size, 9, body)},
		{"nested", "malformed", compressedBody(OpCompressed, size, 0, body)},
		{"negative size", "size", compressedBody(OpMsg, -1, 0, body)},
		{"size of one too many", "size", compressedBody(OpMsg, MaxMessageSize-HeaderSize+1, 2, pack(t, 2, body))},
		{"no header", "malformed", make([]byte, compressedPrefix-1)},
		{"no payload, snappy", "malformed", compressedBody(OpMsg, size, 1, nil)},
		{"no payload, zlib", "malformed", compressedBody(OpMsg, size, 2, nil)},
		{"no payload, zstd", "malformed", compressedBody(OpMsg, size, 3, nil)},
		{"garbage, snappy", "malformed", compressedBody(OpMsg, size, 1, garbage)},
		{"garbage, zlib", "malformed", compressedBody(OpMsg, size, 2, garbage)},
		{"garbage, zstd", "malformed", compressedBody(OpMsg, size, 3, garbage)},
		{"half, snappy", "malformed", compressedBody(OpMsg, size, 1, pack(t, 1, body)[:9])},
		{"half, zlib", "malformed", compressedBody(OpMsg, size, 2, pack(t, 2, body)[:9])},
		{"half, zstd", "malformed", compressedBody(OpMsg, size, 3, pack(t, 3, body)[:9])},
	} {
		if _, err := Decompress(whole(t, packet(OpCompressed, c.body))); reasonOrNone(err) != c.want {
			t.Errorf("%s: %v, want reason %q", c.name, err, c.want)
		}
	}
	bad := pack(t, 2, body)
	bad[len(bad)-1] ^= 1
	if _, err := Decompress(whole(t, packet(OpCompressed, compressedBody(OpMsg, size, 2, bad)))); !errors.Is(err, ErrMalformed) {
		t.Errorf("zlib with a wrong checksum: %v", err)
	}
	p := packet(OpCompressed, compressedBody(OpMsg, size, 0, body))
	if _, err := Decompress(framed(t, 20, p)); !errors.Is(err, ErrCut) {
		t.Errorf("cut: %v", err)
	}
	// A refused message leaves nothing behind in the pools.
	for id := range byte(4) {
		if m, err := Decompress(whole(t, packet(OpCompressed, compressedBody(OpMsg, size, id, pack(t, id, body))))); err != nil || !bytes.Equal(m.Body, body) {
			t.Errorf("compressor %d afterwards: %v", id, err)
		}
	}
}

// Messages of some bytes that declare 48 MB, in the message and inside the compressed format, take no such memory.
func TestDeclaredSizeCostsNothing(t *testing.T) {
	const most = MaxMessageSize - HeaderSize
	single := append([]byte{0x28, 0xB5, 0x2F, 0xFD, 0xA0}, le32(most)...) // a zstd frame of one segment that is its own window
	for name, body := range map[string][]byte{
		"snappy": compressedBody(OpMsg, most, 1, append(binary.AppendUvarint(nil, most), 0)),
		"zlib":   compressedBody(OpMsg, most, 2, pack(t, 2, []byte{0})),
		"zstd":   compressedBody(OpMsg, most, 3, append(single, 1, 0, 0)),
	} {
		m := whole(t, packet(OpCompressed, body))
		_, _ = Decompress(m) // fills the pools
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := Decompress(m)
		runtime.ReadMemStats(&after)
		if n := after.TotalAlloc - before.TotalAlloc; n > 1<<20 || !errors.Is(err, ErrMalformed) {
			t.Errorf("%s: %d bytes allocated, %v", name, n, err)
		}
	}
}
