//go:build unix

package proxy

import (
	"errors"
	"net"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

// blackHole listens but lets no connection come about: its queue of one is
// full. It returns the address.
func blackHole(t *testing.T) string {
	t.Helper()
	fd, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { syscall.Close(fd) })
	if err := syscall.Bind(fd, &syscall.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}}); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Listen(fd, 0); err != nil {
		t.Fatal(err)
	}
	name, err := syscall.Getsockname(fd)
	if err != nil {
		t.Fatal(err)
	}
	address := (&net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: name.(*syscall.SockaddrInet4).Port}).String()
	for range 8 {
		c, err := net.DialTimeout("tcp", address, 200*time.Millisecond)
		if isTimeout(err) {
			return address
		}
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { c.Close() })
	}
	t.Skip("this kernel's queues cannot be filled")
	return ""
}

func isTimeout(err error) bool {
	var e net.Error
	return errors.As(err, &e) && e.Timeout()
}

// A client that gives up during the dial leaves nothing behind, and the
// upstream is not blamed.
func TestClientGivesUpDuringDial(t *testing.T) {
	var attempts atomic.Int32
	s := start(t, &Server{
		Upstream:    blackHole(t),
		DialTimeout: 10 * guard, // this test must not end by it
		Hooks:       Hooks{UpstreamUp: func(bool, error) { attempts.Add(1) }},
	})
	client := dial(t, s.Addrs()[0].String())
	mustWrite(t, client, []byte("hello")) // unread bytes must not hide the reset
	eventually(t, "the client is accepted", func() bool { return s.Connections() == 1 })
	resetConn(client)
	eventually(t, "no connection is left", func() bool { return s.Connections() == 0 })
	if n := attempts.Load(); n != 0 {
		t.Errorf("UpstreamUp was called %d times for a dial that the client ended", n)
	}
}

func TestDialTimeout(t *testing.T) {
	failed := make(chan error, 1)
	s := start(t, &Server{
		Upstream:    blackHole(t),
		DialTimeout: 50 * time.Millisecond,
		Hooks:       Hooks{UpstreamUp: func(up bool, err error) { failed <- err }},
	})
	mustBeTurnedAway(t, s.Addrs()[0].String())
	if err := <-failed; !isTimeout(err) {
		t.Errorf("UpstreamUp was told %v", err)
	}
}

// Shutdown does not wait for a dial that will not end.
func TestShutdownDuringDial(t *testing.T) {
	s := start(t, &Server{Upstream: blackHole(t), DialTimeout: 10 * guard})
	dial(t, s.Addrs()[0].String())
	eventually(t, "the client is accepted", func() bool { return s.Connections() == 1 })
	forceDown(t, s)
}

// What a client sends while the upstream is dialled is not lost, its FIN
// included.
func TestBytesSentDuringDial(t *testing.T) {
	u := newUpstream(t, "127.0.0.1:0")
	s := start(t, &Server{Upstream: u.address()})
	client := dial(t, s.Addrs()[0].String())
	mustWrite(t, client, []byte("request"))
	client.CloseWrite()
	server := u.accept(t)
	mustRead(t, server, []byte("request"))
	mustEOF(t, server)
	mustWrite(t, server, []byte("reply"))
	server.Close()
	mustRead(t, client, []byte("reply"))
	mustEOF(t, client)
}
