package proxy

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"slices"

	"github.com/pires/go-proxyproto"
)

const (
	proxyV1Max  = 107 // bytes of the longest line
	proxyV2Head = 16  // bytes that say how many follow
)

// readProxyHeader reads a PROXY header, version 1 or 2, which must be there: if
// it were optional, any client could invent its address. rest is what came with
// it and belongs to the stream. The library parses, but refuses a header that
// does not come in one piece; the standard lets receivers be tolerant.
func readProxyHeader(conn net.Conn) (h *proxyproto.Header, rest []byte, err error) {
	var buf []byte
	size := proxyHeaderSize(buf)
	for size > len(buf) {
		buf = slices.Grow(buf, max(512, size-len(buf)))
		n, err := conn.Read(buf[len(buf):cap(buf)])
		if n == 0 && err != nil {
			if len(buf) == 0 && errors.Is(err, io.EOF) {
				return nil, nil, errLeft
			}
			return nil, nil, err
		}
		buf = buf[:len(buf)+n]
		size = proxyHeaderSize(buf)
	}
	h, err = proxyproto.Read(bufio.NewReaderSize(bytes.NewReader(buf[:size]), proxyV2Head+int(proxyproto.MaxV2HeaderSize)))
	if errors.Is(err, proxyproto.ErrNoProxyProtocol) {
		err = errors.New("no PROXY header: with PROXY protocol on, whoever connects must send one")
	}
	return h, buf[size:], err
}

// proxyHeaderSize is how many bytes the header has whose beginning b is, or how
// many are needed at least to say. What is none, or too long, is not waited for.
func proxyHeaderSize(b []byte) int {
	switch {
	case bytes.HasPrefix(proxyproto.SIGV1, b), bytes.HasPrefix(proxyproto.SIGV2, b):
		return len(b) + 1
	case bytes.HasPrefix(b, proxyproto.SIGV1):
		if i := bytes.IndexByte(b[:min(len(b), proxyV1Max)], '\n'); i >= 0 {
			return i + 1
		}
		return min(len(b)+1, proxyV1Max)
	case bytes.HasPrefix(b, proxyproto.SIGV2):
		if len(b) < proxyV2Head {
			return proxyV2Head
		}
		if n := binary.BigEndian.Uint16(b[14:]); n <= proxyproto.MaxV2HeaderSize {
			return proxyV2Head + int(n)
		}
		return proxyV2Head
	}
	return len(b)
}
