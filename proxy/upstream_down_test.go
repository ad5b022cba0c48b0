package proxy

import (
	"net"
	"sync"
	"testing"
)

// An unreachable upstream costs its client the connection, without a byte, and
// nothing else: the next client is served once the upstream is back.
func TestUpstreamDownThenUp(t *testing.T) {
	u := newUpstream(t, "127.0.0.1:0")
	address := u.address()
	u.close() // the port is free again, and known

	var mu sync.Mutex
	var states []bool
	var lastErr error
	taps := 0
	s := start(t, &Server{
		Upstream: address,
		NewTap:   func(Conn) Tap { mu.Lock(); defer mu.Unlock(); taps++; return nil },
		Hooks: Hooks{UpstreamUp: func(up bool, err error) {
			mu.Lock()
			defer mu.Unlock()
			states = append(states, up)
			if !up {
				lastErr = err
			}
		}},
	})
	for range 3 {
		mustBeTurnedAway(t, s.Addrs()[0].String())
	}
	eventually(t, "no connection is left", func() bool { return s.Connections() == 0 })

	again, err := net.Listen("tcp", address)
	if err != nil {
		t.Skipf("another process took the port: %v", err)
	}
	u2 := &testUpstream{l: again.(*net.TCPListener), conns: make(chan *net.TCPConn, 16)}
	go u2.acceptLoop()
	t.Cleanup(u2.close)
	client, server := pair(t, s, u2)
	mustWrite(t, client, []byte("ping"))
	mustRead(t, server, []byte("ping"))

	mu.Lock()
	defer mu.Unlock()
	if want := []bool{false, false, false, true}; len(states) != len(want) || !states[3] || states[0] || states[1] || states[2] {
		t.Errorf("UpstreamUp was told %v, want %v", states, want)
	}
	if lastErr == nil {
		t.Error("UpstreamUp was told no reason")
	}
	if taps != 1 {
		t.Errorf("%d taps were made, want 1: only for the connection that came about", taps)
	}
}
