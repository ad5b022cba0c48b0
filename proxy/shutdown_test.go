package proxy

import (
	"context"
	"errors"
	"net"
	"testing"
)

// Shutdown waits for connections to end by themselves, and stops accepting at
// once.
func TestShutdownDrains(t *testing.T) {
	u := newUpstream(t, "127.0.0.1:0")
	s := start(t, &Server{Upstream: u.address()})
	client, server := pair(t, s, u)
	address := s.Addrs()[0].String()

	ended := make(chan error, 1)
	go func() { ended <- s.Shutdown(context.Background()) }()
	eventually(t, "no new connection is accepted", func() bool {
		c, err := net.Dial("tcp", address)
		if err != nil {
			return true
		}
		resetConn(c.(*net.TCPConn)) // leaves nothing to wait for
		return false
	})
	mustWrite(t, client, []byte("request"))
	mustRead(t, server, []byte("request"))
	mustWrite(t, server, []byte("reply"))
	mustRead(t, client, []byte("reply"))
	select {
	case err := <-ended:
		t.Fatalf("Shutdown ended before the connection did: %v", err)
	default:
	}
	client.Close()
	mustEOF(t, server)
	server.Close()
	within(t, "Shutdown", func() {
		if err := <-ended; err != nil {
			t.Errorf("all connections ended by themselves, but Shutdown said %v", err)
		}
	})
}

// Connections that do not end are reset when the time is up.
func TestShutdownIsBounded(t *testing.T) {
	u := newUpstream(t, "127.0.0.1:0")
	taps := make(chan *recorder, 1)
	closed := make(chan Conn, 1)
	s := start(t, &Server{
		Upstream: u.address(),
		NewTap:   func(c Conn) Tap { r := newRecorder(c); taps <- r; return r },
		Hooks:    Hooks{Closed: func(c Conn, up, down int64) { closed <- c }},
	})
	client, server := pair(t, s, u)
	mustWrite(t, client, []byte("request"))
	mustRead(t, server, []byte("request"))

	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := s.Shutdown(ctx); !errors.Is(err, context.Canceled) {
		t.Fatalf("want context.Canceled, got %v", err)
	}
	for _, c := range []*net.TCPConn{client, server} {
		if _, err := c.Read(make([]byte, 1)); !isReset(err) {
			t.Errorf("want a reset, got %v", err)
		}
	}
	if r := <-taps; r.closes != 1 {
		t.Errorf("the tap was closed %d times", r.closes)
	}
	<-closed
	if err := s.Shutdown(context.Background()); err != nil {
		t.Errorf("a second Shutdown says %v", err)
	}
}

func TestShutdownWithoutStart(t *testing.T) {
	s := &Server{Listen: "127.0.0.1:0", Upstream: "127.0.0.1:1"}
	if err := s.Shutdown(context.Background()); err != nil {
		t.Fatal(err)
	}
	if err := s.Start(); err == nil {
		forceDown(t, s)
		t.Fatal("Start after Shutdown must fail")
	}
}

func TestStartTwice(t *testing.T) {
	s := start(t, &Server{Upstream: "127.0.0.1:1"})
	if err := s.Start(); err == nil {
		t.Fatal("a second Start must fail")
	}
}
