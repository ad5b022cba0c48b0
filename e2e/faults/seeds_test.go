package faults

import (
	"bytes"
	"crypto/tls"
	"io"
	"net"
	"path/filepath"
	"testing"

	"mongoadvisor/internal/analysis/analysistest"
)

// seed is what both sides of a connection say.
type seed struct{ client, server []byte }

// maxSeed keeps seeds short, in bytes a side: fuzzing changes a short input in more
// places that matter.
const maxSeed = 3 << 10

// seeds are recorded connections, and what else arrives at such a port.
func seeds(t testing.TB) []seed {
	t.Helper()
	out := []seed{
		{},
		{clientHello(t), []byte("\x15\x03\x01\x00\x02\x02\x28")}, // an alert
		{[]byte("GET / HTTP/1.1\r\nHost: db\r\n\r\n"), []byte("HTTP/1.0 400 Bad Request\r\n\r\n")},
		{[]byte("PROXY TCP4 192.0.2.1 192.0.2.2 50000 27017\r\n"), nil},
		{[]byte("\r\n\r\n\x00\r\nQUIT\n\x21\x11\x00\x0c\xc0\x00\x02\x01\xc0\x00\x02\x02\xc3\x50\x69\x89"), nil},
		{[]byte("\x0f\x00\x00\x00\x01\x00\x00\x00\x00\x00\x00\x00\xdd\x07\x00\x00"), []byte("\xff\xff\xff\xff")},
	}
	for _, name := range []string{"plain", "scram", "snappy", "zstd", "streaming_hello", "np_getmore"} {
		segments, err := analysistest.ReadCapture(filepath.Join("..", "..", "internal", "session", "testdata", name+".pcap"))
		if err != nil {
			t.Fatal(err)
		}
		said := map[uint16]*seed{}
		for _, s := range segments {
			if said[s.Client] == nil {
				said[s.Client] = &seed{}
			}
			side := &said[s.Client].client
			if s.Server {
				side = &said[s.Client].server
			}
			if len(*side)+len(s.Data) <= maxSeed {
				*side = append(*side, s.Data...)
			}
		}
		for _, s := range said {
			out = append(out, *s)
		}
	}
	return out
}

// clientHello is the first thing a TLS client says.
func clientHello(t testing.TB) []byte {
	t.Helper()
	ours, theirs := net.Pipe()
	said := make(chan []byte)
	go func() {
		var b bytes.Buffer
		_, _ = io.Copy(&b, io.LimitReader(theirs, 200))
		theirs.Close()
		said <- b.Bytes()
	}()
	_ = tls.Client(ours, &tls.Config{ServerName: "localhost"}).Handshake() // nobody answers
	return <-said
}
