//go:build linux

package proxy

import (
	"syscall"
	"testing"
	"time"
)

// A server has answered, sent FIN and left; the client writes on, so that the
// proxy's write fails while most of the answer is still on its way. A slow
// client gets all of it, then FIN, and then the connection ends although the
// client does not end it.
func TestAnswerReadSlowlyAfterServerLeft(t *testing.T) {
	u := newUpstream(t, "127.0.0.1:0")
	s := start(t, &Server{Upstream: u.address(), drainTime: 10 * guard})
	client, server := pair(t, s, u)
	exchange(t, client, server, "request")

	// Small buffers towards the client and a large one from the server keep the
	// answer in the proxy's upstream leg.
	proxyClient, proxyUpstream := legs(s)
	proxyClient.SetWriteBuffer(16 << 10)
	client.SetReadBuffer(16 << 10)
	proxyUpstream.SetReadBuffer(4 << 20)
	answer := noise(11, 300_000)
	mustWrite(t, server, answer)
	server.CloseWrite()
	const finAcked = 5 // FIN_WAIT2, the first byte of TCP_INFO
	eventually(t, "the proxy's kernel has the answer and FIN", func() bool {
		return option(t, server, syscall.IPPROTO_TCP, syscall.TCP_INFO)&0xff == finAcked
	})
	server.Close()

	// What the client writes now meets a reset. Its own writes still succeed.
	eventually(t, "the proxy's write has failed", func() bool {
		mustWrite(t, client, []byte("more"))
		time.Sleep(time.Millisecond)
		s.mu.Lock()
		defer s.mu.Unlock()
		for r := range s.relays {
			r.mu.Lock()
			defer r.mu.Unlock()
			if r.down.finished {
				t.Fatal("the answer was not on its way any more: this tests nothing")
			}
			return r.up.discarding
		}
		t.Fatal("the connection has ended")
		return false
	})
	mustRead(t, client, answer)
	mustEOF(t, client)
	eventually(t, "no connection is left", func() bool { return s.Connections() == 0 })
}
