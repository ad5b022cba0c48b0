package proxy

import (
	"io"
	"testing"
)

// Forwarding allocates nothing: buffers come from the pool and go back to it.
func TestForwardingDoesNotAllocate(t *testing.T) {
	if raceEnabled {
		t.Skip("with the race detector, pools drop some of what they are given")
	}
	u := newUpstream(t, "127.0.0.1:0")
	s := start(t, &Server{Upstream: u.address(), NewTap: func(Conn) Tap { return blind{} }})
	client, server := pair(t, s, u)
	request, got := noise(1, 200), make([]byte, 200)
	if n := testing.AllocsPerRun(1000, func() {
		mustWrite(t, client, request)
		if _, err := io.ReadFull(server, got); err != nil {
			t.Fatal(err)
		}
		mustWrite(t, server, got)
		if _, err := io.ReadFull(client, got); err != nil {
			t.Fatal(err)
		}
	}); n > 0 {
		t.Errorf("%v allocations for a round trip", n)
	}
}
