//go:build linux

package proxy

import (
	"net"
	"syscall"
	"testing"
	"time"
)

// Both legs send small writes at once and are kept alive, well below the 120 s
// that MongoDB advises. Both are plain TCP sockets, not multipath ones.
func TestSocketOptions(t *testing.T) {
	const protoMPTCP = 262
	u := newUpstream(t, "127.0.0.1:0")
	for _, tt := range []struct {
		name             string
		keepAlive        time.Duration
		on, idle, period int
	}{
		{"default", 0, 1, 60, 15},
		{"set", 20 * time.Second, 1, 20, 5},
		{"shortest", time.Millisecond, 1, 1, 1},
		{"off", -1, 0, -1, -1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := start(t, &Server{Upstream: u.address(), KeepAlive: tt.keepAlive})
			client, server := pair(t, s, u)
			exchange(t, client, server, "ping")
			client2, upstream := legs(s)
			for name, c := range map[string]*net.TCPConn{"client": client2, "upstream": upstream} {
				want := func(what string, level, opt, want int) {
					if got := option(t, c, level, opt); want >= 0 && got != want {
						t.Errorf("%s leg: %s is %d, want %d", name, what, got, want)
					}
				}
				want("TCP_NODELAY", syscall.IPPROTO_TCP, syscall.TCP_NODELAY, 1)
				want("SO_KEEPALIVE", syscall.SOL_SOCKET, syscall.SO_KEEPALIVE, tt.on)
				want("TCP_KEEPIDLE", syscall.IPPROTO_TCP, syscall.TCP_KEEPIDLE, tt.idle)
				want("TCP_KEEPINTVL", syscall.IPPROTO_TCP, syscall.TCP_KEEPINTVL, tt.period)
				if got := option(t, c, syscall.SOL_SOCKET, syscall.SO_PROTOCOL); got == protoMPTCP {
					t.Errorf("%s leg is a multipath socket", name)
				}
			}
		})
	}
}

func legs(s *Server) (client, upstream *net.TCPConn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for r := range s.relays {
		r.mu.Lock()
		defer r.mu.Unlock()
		return r.client.sock.(*net.TCPConn), r.upstream.sock.(*net.TCPConn)
	}
	return nil, nil
}

func option(t *testing.T, c *net.TCPConn, level, opt int) (v int) {
	t.Helper()
	raw, err := c.SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	if ctlErr := raw.Control(func(fd uintptr) { v, err = syscall.GetsockoptInt(int(fd), level, opt) }); ctlErr != nil {
		t.Fatal(ctlErr)
	}
	if err != nil {
		t.Fatal(err)
	}
	return v
}
