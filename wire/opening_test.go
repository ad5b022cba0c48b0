package wire

import (
	"bytes"
	"encoding/binary"
	"strings"
	"testing"
)

// clientHello is the start of a TLS handshake with a record of size bytes; a real one goes on with a random number.
func clientHello(size int) []byte {
	b := []byte{0x16, 3, 1, byte(size >> 8), byte(size), 1, 0, byte((size - 4) >> 8), byte(size - 4), 3, 3}
	for i := range size {
		b = append(b, byte(0xC5^i*11))
	}
	return b
}

func proxyV2(command byte, rest []byte) []byte {
	b := append([]byte("\r\n\r\n\x00\r\nQUIT\n"), command, 0x11)
	return append(binary.BigEndian.AppendUint16(b, uint16(len(rest))), rest...)
}

func TestOpenings(t *testing.T) {
	hello := packet(OpMsg, msgBody(0, kind0(ping())))
	longLine := "PROXY UNKNOWN " + strings.Repeat("f", 107-len("PROXY UNKNOWN \r\n")) + "\r\n"
	// Legal lengths whose low bytes look like a TLS record.
	lookalike := func(op OpCode) []byte {
		b := packet(op, nil)
		binary.LittleEndian.PutUint32(b, 0x00010316)
		return append(b, make([]byte, 0x00010316-16)...)
	}
	for _, c := range []struct {
		name    string
		in      []byte
		lost    Lost
		proxied bool
		found   int
	}{
		{name: "OP_MSG", in: hello, found: 1},
		{name: "TLS 1.3 ClientHello of 512 bytes", in: clientHello(512), lost: LostTLS}, // as a length 33,620,758: legal
		{name: "TLS ClientHello of 200 bytes", in: clientHello(200), lost: LostTLS},
		{name: "TLS ClientHello of 1,500 bytes", in: clientHello(1500), lost: LostTLS}, // as a length too long
		{name: "a length like a TLS record", in: lookalike(OpMsg), found: 1},
		{name: "a length like a TLS record, OP_COMPRESSED", in: lookalike(OpCompressed), found: 1},
		{name: "a length like a TLS record, no opcode", in: lookalike(22), lost: LostTLS},
		{name: "GET", in: []byte("GET / HTTP/1.1\r\n\r\n"), lost: LostHTTP},                   // W-14
		{name: "HTTP answer", in: []byte("HTTP/1.0 400 Bad Request\r\n\r\n"), lost: LostHTTP}, // W-14: 1,347,703,880
		{name: "POST", in: []byte("POST /x HTTP/1.1\r\n"), lost: LostHTTP},
		{name: "HTTP/2 preface", in: []byte("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"), lost: LostHTTP},
		{name: "text", in: []byte("EHLO example.org\r\n"), lost: LostLength},
		{name: "SSH", in: []byte("SSH-2.0-OpenSSH\r\n"), lost: LostLength},
		// W-16
		{name: "PROXY v1", in: append([]byte("PROXY TCP4 192.0.2.1 192.0.2.2 50000 27017\r\n"), hello...), proxied: true, found: 1},
		{name: "PROXY v1 shortest", in: append([]byte("PROXY UNKNOWN\r\n"), hello...), proxied: true, found: 1},
		{name: "PROXY v1 longest", in: append([]byte(longLine), hello...), proxied: true, found: 1},
		{name: "PROXY v1 too long", in: append([]byte("PROXY f"+longLine[6:]), hello...), lost: LostLength},
		{name: "PROXY v1 bare line feed", in: append([]byte("PROXY UNKNOWN\n"), hello...), lost: LostLength},
		{name: "PROXY v1 alone", in: []byte("PROXY UNKNOWN\r\n"), proxied: true},
		{name: "PROXY misspelt", in: append([]byte("PROXIES\r\n"), hello...), lost: LostLength},
		{name: "PROXY v1 twice", in: append([]byte("PROXY UNKNOWN\r\nPROXY UNKNOWN\r\n"), hello...), proxied: true, lost: LostLength},
		{name: "PROXY v1 then TLS", in: append([]byte("PROXY UNKNOWN\r\n"), clientHello(512)...), proxied: true, lost: LostTLS},
		{name: "PROXY v1 then HTTP", in: []byte("PROXY UNKNOWN\r\nGET / HTTP/1.1\r\n"), proxied: true, lost: LostHTTP},
		{name: "PROXY v2", in: append(proxyV2(0x21, make([]byte, 12)), hello...), proxied: true, found: 1},
		{name: "PROXY v2 empty", in: append(proxyV2(0x20, nil), hello...), proxied: true, found: 1},
		{name: "PROXY v2 largest", in: append(proxyV2(0x21, make([]byte, 65535)), hello...), proxied: true, found: 1},
		{name: "PROXY v3", in: append(proxyV2(0x31, nil), hello...), lost: LostLength},
		{name: "PROXY v2 misspelt", in: append([]byte("\r\n\r\n\x00\r\nQUIP\n\x21\x11\x00\x00"), hello...), lost: LostLength},
		// Only the start of a stream is looked at.
		{name: "HTTP later", in: append(bytes.Clone(hello), "GET / HTTP/1.1\r\n"...), found: 1, lost: LostLength},
		{name: "TLS-like later", in: append(bytes.Clone(hello), lookalike(22)...), found: 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, size := range []int{len(c.in), 1, 5} {
				var f Framer
				var chunks [][]byte
				for rest := c.in; len(rest) > 0; {
					n := min(size, len(rest))
					chunks, rest = append(chunks, rest[:n]), rest[n:]
				}
				ms := feed(t, &f, chunks)
				if f.Lost() != c.lost || f.Proxied() != c.proxied || len(ms) != c.found {
					t.Errorf("chunks of %d: lost %q, proxied %v, %d messages; want %q, %v, %d",
						size, f.Lost(), f.Proxied(), len(ms), c.lost, c.proxied, c.found)
				}
				if f.Lost() != "" && f.Buffered() != 0 {
					t.Errorf("chunks of %d: %d bytes kept", size, f.Buffered())
				}
				if f.MidMessage() {
					t.Errorf("chunks of %d: still inside something", size)
				}
			}
		})
	}
}

// Fewer bytes than it takes to tell are waited for, and held.
func TestOpeningWaits(t *testing.T) {
	for _, in := range []string{"G", "GET", "PROX", "PROXY", "\r\n\r\n\x00\r\nQUIT\n\x21\x11\x00", "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03"} {
		var f Framer
		f.Next([]byte(in))
		if f.Lost() != "" || !f.MidMessage() || f.Buffered() != len(in) {
			t.Errorf("%d bytes: lost %q, mid-message %v, %d buffered", len(in), f.Lost(), f.MidMessage(), f.Buffered())
		}
	}
}
