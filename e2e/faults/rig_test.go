package faults

import (
	"context"
	"net"
	"os"
	"testing"
	"time"

	"mongoadvisor/proxy"
)

// guard is when a test calls something a hang. Nothing depends on how fast
// anything is below that.
const guard = 60 * time.Second

// rig is a proxy between a client and a server that are both the test's. One
// goroutine uses it, so that the two ends of a connection are known.
type rig struct {
	proxy *proxy.Server
	l     *net.TCPListener
	taps  chan *seen
}

// newRig forwards to a listener of its own; between, if there is one, gives the
// address to dial in its place.
func newRig(t testing.TB, a *analysis, between func(address string) string) *rig {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	r := &rig{l: l.(*net.TCPListener), taps: make(chan *seen, 1)}
	upstream := l.Addr().String()
	if between != nil {
		upstream = between(upstream)
	}
	r.proxy = &proxy.Server{Listen: "127.0.0.1:0", Upstream: upstream, NewTap: func(c proxy.Conn) proxy.Tap {
		s := see(a.watch(c))
		r.taps <- s
		return s
	}}
	if err := r.proxy.Start(); err != nil {
		t.Fatal(err)
	}
	return r
}

func (r *rig) address() string { return r.proxy.Addrs()[0].String() }

// pair opens a connection and returns its two ends once it is watched.
func (r *rig) pair(t testing.TB, address string) (client, server *net.TCPConn, tap *seen) {
	t.Helper()
	client = dial(t, address)
	server = r.accept(t)
	return client, server, r.tap(t)
}

func (r *rig) accept(t testing.TB) *net.TCPConn {
	t.Helper()
	_ = r.l.SetDeadline(time.Now().Add(guard))
	c, err := r.l.AcceptTCP()
	if err != nil {
		t.Fatal(err)
	}
	_ = c.SetDeadline(time.Now().Add(guard))
	return c
}

func (r *rig) tap(t testing.TB) *seen {
	t.Helper()
	select {
	case s := <-r.taps:
		return s
	case <-time.After(guard):
		t.Fatal("nobody watches the connection")
		return nil
	}
}

// end stops the proxy. Every connection must have ended by then.
func (r *rig) end(t testing.TB) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), guard)
	defer cancel()
	if err := r.proxy.Shutdown(ctx); err != nil {
		t.Errorf("a connection hangs: %v", err)
	}
	_ = r.l.Close()
}

func dial(t testing.TB, address string) *net.TCPConn {
	t.Helper()
	c, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	_ = c.SetDeadline(time.Now().Add(guard))
	return c.(*net.TCPConn)
}

func reset(c *net.TCPConn) {
	_ = c.SetLinger(0)
	_ = c.Close()
}

// descriptors is how many are open: 0 where that cannot be known.
func descriptors() int {
	open, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return 0
	}
	return len(open)
}

// sameDescriptors waits until as many are open as before.
func sameDescriptors(t testing.TB, before int) {
	t.Helper()
	for end := time.Now().Add(guard); descriptors() > before; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Errorf("%d descriptors are open, %d were before", descriptors(), before)
			return
		}
	}
}
