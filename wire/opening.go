package wire

import "bytes"

// Lost says why a stream is no longer framed. It is a metric label: the set is closed.
type Lost string

// The reasons for giving up on a stream. The empty Lost means that it is in sync.
const (
	// LostTLS: the stream starts with a TLS record.
	LostTLS Lost = "tls"
	// LostHTTP: the stream starts as an HTTP request or answer.
	LostHTTP Lost = "http"
	// LostLength: a header declares a length no message can have, or a PROXY header is broken.
	LostLength Lost = "bad_length"
)

// opening is what the first bytes of a stream turn out to be.
type opening int

const (
	openingUnsure  opening = iota // more bytes are needed
	openingMongo                  // a message header, as far as can be told
	openingTLS                    // a TLS record
	openingHTTP                   // HTTP text
	openingBad                    // nothing known, and no legal length either
	openingProxyV1                // "PROXY ", a line that ends in CR LF
	openingProxyV2                // the binary PROXY header, complete up to its length
)

const (
	proxyV1Prefix    = "PROXY "
	proxyV1MaxLine   = 107 // bytes, CR LF included; PROXY protocol 2.1
	proxyV2Signature = "\r\n\r\n\x00\r\nQUIT\n"
	proxyV2Fixed     = 16 // bytes: signature, version and command, family, length of the rest
)

// httpStarts are the first four bytes of what HTTP speakers send. As lengths they are all over 500 million: never legal.
var httpStarts = [...]string{"GET ", "POST", "HEAD", "PUT ", "DELE", "OPTI", "CONN", "TRAC", "PATC", "HTTP", "PRI "}

// judgeOpening tells what a stream starts with. While it is unsure, need is the number of bytes to ask again with; it is
// never more than HeaderSize and never reaches past the shortest PROXY header.
func judgeOpening(b []byte) (is opening, need int) {
	if len(b) < 4 {
		return openingUnsure, 4
	}
	switch {
	case bytes.HasPrefix(b, []byte(proxyV1Prefix[:4])):
		return judge(b, proxyV1Prefix, openingProxyV1, len(proxyV1Prefix))
	case bytes.HasPrefix(b, []byte(proxyV2Signature[:4])):
		return judge(b, proxyV2Signature, openingProxyV2, proxyV2Fixed)
	case isTLSRecord(b):
		// The type and version of a TLS record are also the low bytes of legal lengths such as 66,326. A message has an
		// opcode where the record has bytes 7 to 10 of the handshake message.
		switch {
		case !legalLength(i32(b)):
			return openingTLS, 0
		case len(b) < HeaderSize:
			return openingUnsure, HeaderSize
		case OpCode(i32(b[12:])).Label() == labelOther:
			return openingTLS, 0
		}
		return openingMongo, 0
	}
	for _, s := range httpStarts {
		if string(b[:4]) == s {
			return openingHTTP, 0
		}
	}
	if !legalLength(i32(b)) {
		return openingBad, 0
	}
	return openingMongo, 0
}

// judge waits for size bytes and checks all of prefix, of which four bytes have been seen; those four are no legal length.
func judge(b []byte, prefix string, is opening, size int) (opening, int) {
	if len(b) < size {
		return openingUnsure, size
	}
	if string(b[:len(prefix)]) != prefix {
		return openingBad, 0
	}
	return is, 0
}

// isTLSRecord looks at the first three bytes: a handshake record of SSL 3.0 to TLS 1.3.
func isTLSRecord(b []byte) bool { return b[0] == 0x16 && b[1] == 0x03 && b[2] <= 0x04 }
