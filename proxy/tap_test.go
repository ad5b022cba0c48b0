package proxy

import (
	"errors"
	"fmt"
	"net"
	"os"
	"sync/atomic"
	"testing"
	"time"
)

// The hooks and the tap are told the same connection, IDs count up from 1, and
// the bytes add up.
func TestTapAndHooksAreTold(t *testing.T) {
	u := newUpstream(t, "127.0.0.1:0")
	type end struct {
		c        Conn
		up, down int64
	}
	opened, ends := make(chan Conn, 2), make(chan end, 2)
	taps := make(chan *recorder, 2)
	var up, down atomic.Int64
	s := start(t, &Server{
		Upstream: u.address(),
		NewTap:   func(c Conn) Tap { r := newRecorder(c); taps <- r; return r },
		Hooks: Hooks{
			Opened: func(c Conn) { opened <- c },
			Closed: func(c Conn, up, down int64) { ends <- end{c, up, down} },
			Forwarded: func(clientToServer bool, n int) {
				if clientToServer {
					up.Add(int64(n))
				} else {
					down.Add(int64(n))
				}
			},
		},
	})
	for id := uint64(1); id <= 2; id++ {
		client, server := pair(t, s, u)
		mustWrite(t, client, []byte("request"))
		mustRead(t, server, []byte("request"))
		mustWrite(t, server, []byte("a reply"))
		mustWrite(t, server, []byte(", and more"))
		client.CloseWrite()
		mustEOF(t, server)
		server.Close()
		mustRead(t, client, []byte("a reply, and more"))
		mustEOF(t, client)

		c, tap := <-opened, <-taps
		tap.awaitClose(t)
		e := <-ends
		if c.ID != id || tap.conn != c || e.c != c {
			t.Errorf("want connection %d, got %v, %v and %v", id, c, tap.conn, e.c)
		}
		if c.Client.String() != client.LocalAddr().String() || c.Upstream.String() != u.address() || c.Listener != s.Listen || c.Opened.IsZero() {
			t.Errorf("wrong connection: %+v", c)
		}
		if e.up != 7 || e.down != 17 {
			t.Errorf("closed with %d up and %d down", e.up, e.down)
		}
		if tap.client.String() != "request" || tap.server.String() != "a reply, and more" || tap.closes != 1 {
			t.Errorf("the tap saw %q, %q and %d closes", tap.client.String(), tap.server.String(), tap.closes)
		}
	}
	if up.Load() != 14 || down.Load() != 34 {
		t.Errorf("forwarded %d up and %d down", up.Load(), down.Load())
	}
}

// A tap sees a request before the server can have it: else a reply could be
// seen before its request.
func TestTapSeesBeforeWrite(t *testing.T) {
	u := newUpstream(t, "127.0.0.1:0")
	tap := &gate{entered: make(chan struct{}), let: make(chan struct{})}
	s := start(t, &Server{Upstream: u.address(), NewTap: func(Conn) Tap { return tap }})
	client, server := pair(t, s, u)
	mustWrite(t, client, []byte("request"))
	<-tap.entered
	// Had it been written, it would be there: on loopback a write delivers.
	server.SetReadDeadline(time.Now().Add(50 * time.Millisecond))
	if n, err := server.Read(make([]byte, 7)); n != 0 || !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("the server had the request before the tap (%d bytes, %v)", n, err)
	}
	close(tap.let)
	server.SetReadDeadline(time.Now().Add(guard))
	mustRead(t, server, []byte("request"))
}

// gate breaks the rule that a tap must not block, to look at the order.
type gate struct{ entered, let chan struct{} }

func (g *gate) Client([]byte) { close(g.entered); <-g.let }
func (g *gate) Server([]byte) {}
func (g *gate) Close()        {}

// A tap that panics is not called again, save for Close, and is reported.
func TestPanickingTapIsDropped(t *testing.T) {
	u := newUpstream(t, "127.0.0.1:0")
	var bombs []*bomb
	panics := make(chan string, 8)
	s := start(t, &Server{
		Upstream: u.address(),
		NewTap:   func(Conn) Tap { b := &bomb{after: 2}; bombs = append(bombs, b); return b },
		Hooks:    Hooks{TapPanic: func(v any) { panics <- fmt.Sprint(v) }},
	})
	client, server := pair(t, s, u)
	for range 5 {
		mustWrite(t, client, []byte("ping"))
		mustRead(t, server, []byte("ping"))
		mustWrite(t, server, []byte("pong"))
		mustRead(t, client, []byte("pong"))
	}
	if n := bombs[0].calls.Load(); n != 2 {
		t.Errorf("the tap was called %d times, want 2: once before its panic, once in it", n)
	}
	client.Close()
	server.Close()
	if a, b := <-panics, <-panics; a != "bytes" || b != "close" {
		t.Errorf("reported %q and %q", a, b)
	}
	// The next connection has a tap of its own.
	client, server = pair(t, s, u)
	mustWrite(t, client, []byte("ping"))
	mustRead(t, server, []byte("ping"))
	if n := bombs[1].calls.Load(); n != 1 {
		t.Errorf("the second tap was called %d times", n)
	}
}

// Bytes that are not MongoDB's are nothing special: HTTP, a PROXY header, TLS.
func TestAnyProtocolPasses(t *testing.T) {
	u := newUpstream(t, "127.0.0.1:0")
	s := start(t, &Server{Upstream: u.address()})
	for _, tt := range []struct{ name, request, reply string }{
		{"HTTP", "GET / HTTP/1.1\r\n\r\n", "HTTP/1.0 400 Bad Request\r\n\r\n"},
		{"PROXY header", "PROXY TCP4 192.0.2.1 192.0.2.2 50000 27017\r\n\x10\x00\x00\x00", "\x10\x00\x00\x00"},
		{"TLS", "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", "\x15\x03\x01\x00\x02\x02\x46"},
		{"a length below the header's", "\x0f\x00\x00\x00\xff\xff\xff\xff", "\x00"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			client, server := pair(t, s, u)
			exchange(t, client, server, tt.request)
			exchange(t, server, client, tt.reply)
		})
	}
}

func exchange(t *testing.T, from, to net.Conn, text string) {
	t.Helper()
	mustWrite(t, from, []byte(text))
	mustRead(t, to, []byte(text))
}
