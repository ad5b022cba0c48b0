package proxy

import (
	"context"
	"io"
	"net"
	"sync/atomic"
	"testing"
	"time"
)

// counting is a tap that knows requests end with a newline and replies with a
// full stop.
type counting struct{ open atomic.Int64 }

func (c *counting) Client(b []byte) { c.count(b, '\n', 1) }
func (c *counting) Server(b []byte) { c.count(b, '.', -1) }
func (c *counting) Close()          {}
func (c *counting) Idle() bool      { return c.open.Load() == 0 }
func (c *counting) Awaits() bool    { return c.open.Load() != 0 }

func (c *counting) count(b []byte, end byte, by int64) {
	for _, x := range b {
		if x == end {
			c.open.Add(by)
		}
	}
}

func drainable(t *testing.T) (*Server, *testUpstream) {
	u := newUpstream(t, "127.0.0.1:0")
	return start(t, &Server{Upstream: u.address(), NewTap: func(Conn) Tap { return &counting{} }}), u
}

// shutdown drains in the background.
func shutdown(s *Server) <-chan error {
	done := make(chan error, 1)
	ctx, cancel := context.WithTimeout(context.Background(), guard)
	go func() {
		defer cancel()
		done <- s.Shutdown(ctx)
	}()
	return done
}

func mustEnd(t *testing.T, done <-chan error) {
	t.Helper()
	select {
	case err := <-done:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(guard):
		t.Fatal("Shutdown did not return")
	}
}

// A connection on which nothing is under way ends when the server drains,
// although neither its client nor its server ends it.
func TestIdleConnectionLeavesWhenDraining(t *testing.T) {
	s, u := drainable(t)
	client, server := pair(t, s, u)
	exchange(t, client, server, "request\n")
	exchange(t, server, client, "reply.")
	done := shutdown(s)
	mustEOF(t, client)
	mustEOF(t, server)
	mustEnd(t, done)
}

// A request under way gets its whole reply first.
func TestReplyUnderWayArrivesWhenDraining(t *testing.T) {
	s, u := drainable(t)
	client, server := pair(t, s, u)
	exchange(t, client, server, "request\n")
	done := shutdown(s)
	exchange(t, server, client, "the first half,")
	exchange(t, server, client, "and the second.")
	mustEOF(t, client)
	mustEOF(t, server)
	mustEnd(t, done)
}

// What a client sends into a connection that is being left is not half
// delivered: the server has had its FIN before.
func TestLateRequestIsNotDelivered(t *testing.T) {
	s, u := drainable(t)
	client, server := pair(t, s, u)
	done := shutdown(s)
	mustEOF(t, client)
	_, _ = client.Write([]byte("late\n"))
	mustEOF(t, server)
	mustEnd(t, done)
}

// A connection whose upstream is found while the server drains leaves too.
func TestNewcomerLeavesWhenDraining(t *testing.T) {
	u := newUpstream(t, "127.0.0.1:0")
	accepted, goOn := make(chan struct{}), make(chan struct{})
	s := start(t, &Server{Upstream: u.address(), NewTap: func(Conn) Tap {
		close(accepted)
		<-goOn
		return &counting{}
	}})
	client := dial(t, s.Addrs()[0].String())
	<-accepted
	done := shutdown(s)
	eventually(t, "it drains", s.draining.Load)
	close(goOn)
	mustEOF(t, client)
	mustEnd(t, done)
}

// Where nobody can tell what is under way, the connection goes on.
func TestUnknownConnectionStaysWhenDraining(t *testing.T) {
	u := newUpstream(t, "127.0.0.1:0")
	s := start(t, &Server{Upstream: u.address()})
	client, server := pair(t, s, u)
	done := shutdown(s)
	eventually(t, "it drains", s.draining.Load)
	exchange(t, client, server, "request")
	exchange(t, server, client, "reply")
	client.Close()
	mustEOF(t, server)
	server.Close()
	mustEnd(t, done)
}

// mustReset reads until the end, which must be a reset.
func mustReset(t testing.TB, c net.Conn) {
	t.Helper()
	if _, err := io.Copy(io.Discard, c); !isReset(err) {
		t.Fatalf("want a reset, got %v", err)
	}
}
