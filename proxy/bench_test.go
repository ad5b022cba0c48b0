package proxy

import (
	"io"
	"net"
	"testing"
)

// One round trip of 200 bytes, direct and through the proxy: the difference is
// what the proxy adds. Run with -cpu 1,2.
func BenchmarkRoundTripDirect(b *testing.B) {
	u := newUpstream(b, "127.0.0.1:0")
	benchmarkRoundTrip(b, u, u.address())
}

func BenchmarkRoundTripProxied(b *testing.B) {
	u := newUpstream(b, "127.0.0.1:0")
	s := start(b, &Server{Upstream: u.address()})
	benchmarkRoundTrip(b, u, s.Addrs()[0].String())
}

func BenchmarkRoundTripTapped(b *testing.B) {
	u := newUpstream(b, "127.0.0.1:0")
	s := start(b, &Server{Upstream: u.address(), NewTap: func(Conn) Tap { return blind{} }})
	benchmarkRoundTrip(b, u, s.Addrs()[0].String())
}

// blind is the cheapest tap there is.
type blind struct{}

func (blind) Client([]byte) {}
func (blind) Server([]byte) {}
func (blind) Close()        {}

func benchmarkRoundTrip(b *testing.B, u *testUpstream, address string) {
	c, err := net.Dial("tcp", address)
	if err != nil {
		b.Fatal(err)
	}
	defer c.Close()
	server := <-u.conns
	go echo(server)
	request, reply := noise(1, 200), make([]byte, 200)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := c.Write(request); err != nil {
			b.Fatal(err)
		}
		if _, err := io.ReadFull(c, reply); err != nil {
			b.Fatal(err)
		}
	}
}

func echo(c net.Conn) {
	defer c.Close()
	b := make([]byte, 4096)
	for {
		n, err := c.Read(b)
		if err != nil {
			return
		}
		if _, err := c.Write(b[:n]); err != nil {
			return
		}
	}
}
