package proxy

import (
	"bytes"
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"net"
	"sync"
	"syscall"
	"testing"
	"time"
)

// guard is how long a test waits before it calls something a hang. No test
// depends on how fast anything is below that.
const guard = 60 * time.Second

// testUpstream accepts connections and hands them to the test.
type testUpstream struct {
	l     *net.TCPListener
	conns chan *net.TCPConn
}

func newUpstream(t testing.TB, address string) *testUpstream {
	t.Helper()
	l, err := net.Listen("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	u := &testUpstream{l: l.(*net.TCPListener), conns: make(chan *net.TCPConn, 4096)}
	go u.acceptLoop()
	t.Cleanup(u.close)
	return u
}

func (u *testUpstream) acceptLoop() {
	defer close(u.conns)
	for {
		c, err := u.l.AcceptTCP()
		if err != nil {
			return
		}
		u.conns <- c
	}
}

func (u *testUpstream) address() string { return u.l.Addr().String() }

func (u *testUpstream) close() {
	u.l.Close()
	for c := range u.conns {
		c.Close()
	}
}

func (u *testUpstream) accept(t testing.TB) *net.TCPConn {
	t.Helper()
	select {
	case c, ok := <-u.conns:
		if !ok {
			t.Fatal("the upstream is closed")
		}
		return guarded(t, c)
	case <-time.After(guard):
		t.Fatal("the upstream was not dialled")
	}
	return nil
}

// start runs s on a free port until the end of the test.
func start(t testing.TB, s *Server) *Server {
	t.Helper()
	if s.Listen == "" {
		s.Listen = "127.0.0.1:0"
	}
	if err := s.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { forceDown(t, s) })
	return s
}

func forceDown(t testing.TB, s *Server) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	within(t, "Shutdown", func() { _ = s.Shutdown(ctx) })
	if n := s.Connections(); n != 0 {
		t.Errorf("%d connections left after Shutdown", n)
	}
}

func dial(t testing.TB, address string) *net.TCPConn {
	t.Helper()
	c, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	return guarded(t, c.(*net.TCPConn))
}

// pair opens a connection through s and returns its two outer ends.
func pair(t testing.TB, s *Server, u *testUpstream) (client, server *net.TCPConn) {
	t.Helper()
	client = dial(t, s.Addrs()[0].String())
	return client, u.accept(t)
}

func guarded(t testing.TB, c *net.TCPConn) *net.TCPConn {
	c.SetDeadline(time.Now().Add(guard))
	t.Cleanup(func() { c.Close() })
	return c
}

func within(t testing.TB, what string, f func()) {
	t.Helper()
	done := make(chan struct{})
	go func() {
		defer close(done)
		f()
	}()
	select {
	case <-done:
	case <-time.After(guard):
		t.Fatalf("%s hangs", what)
	}
}

// eventually polls: what it waits for happens in another goroutine.
func eventually(t testing.TB, what string, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(guard); !ok(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("never happened: %s", what)
		}
	}
}

func noise(seed uint64, n int) []byte {
	var key [32]byte
	for i := range 8 {
		key[i] = byte(seed >> (8 * i))
	}
	b := make([]byte, n)
	rand.NewChaCha8(key).Read(b)
	return b
}

func mustWrite(t testing.TB, c net.Conn, b []byte) {
	t.Helper()
	if _, err := c.Write(b); err != nil {
		t.Fatal(err)
	}
}

func mustRead(t testing.TB, c net.Conn, want []byte) {
	t.Helper()
	got := make([]byte, len(want))
	if _, err := io.ReadFull(c, got); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Fatal("other bytes arrived than were sent")
	}
}

func mustEOF(t testing.TB, c net.Conn) {
	t.Helper()
	if n, err := c.Read(make([]byte, 1)); n != 0 || err != io.EOF {
		t.Fatalf("want EOF, got %d bytes and %v", n, err)
	}
}

// mustBeTurnedAway connects and gets nothing. The reset may come before the
// connect has returned.
func mustBeTurnedAway(t testing.TB, address string) {
	t.Helper()
	c, err := net.Dial("tcp", address)
	if isReset(err) {
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	guarded(t, c.(*net.TCPConn))
	if n, err := c.Read(make([]byte, 1)); n != 0 || !isReset(err) {
		t.Fatalf("want a reset, got %d bytes and %v", n, err)
	}
}

func isReset(err error) bool {
	return errors.Is(err, syscall.ECONNRESET) || errors.Is(err, syscall.EPIPE)
}

func resetConn(c *net.TCPConn) {
	c.SetLinger(0)
	c.Close()
}

// recorder is a tap that keeps what it has seen.
type recorder struct {
	conn           Conn
	mu             sync.Mutex
	client, server bytes.Buffer
	closes         int
	closed         chan struct{}
}

func newRecorder(c Conn) *recorder { return &recorder{conn: c, closed: make(chan struct{})} }

func (r *recorder) Client(b []byte) { r.mu.Lock(); defer r.mu.Unlock(); r.client.Write(b) }
func (r *recorder) Server(b []byte) { r.mu.Lock(); defer r.mu.Unlock(); r.server.Write(b) }
func (r *recorder) Close() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.closes++
	if r.closes == 1 {
		close(r.closed)
	}
}

func (r *recorder) awaitClose(t testing.TB) {
	t.Helper()
	select {
	case <-r.closed:
	case <-time.After(guard):
		t.Fatal("the tap was not closed")
	}
}
