package proxy

import (
	"net"
	"testing"
)

// A client that has sent FIN after its request still gets its reply, and the
// server learns of the FIN at once. The same the other way round.
func TestHalfClose(t *testing.T) {
	for _, tt := range []struct {
		name string
		ends func(client, server *net.TCPConn) (first, second *net.TCPConn)
	}{
		{"client first", func(client, server *net.TCPConn) (*net.TCPConn, *net.TCPConn) { return client, server }},
		{"server first", func(client, server *net.TCPConn) (*net.TCPConn, *net.TCPConn) { return server, client }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			u := newUpstream(t, "127.0.0.1:0")
			s := start(t, &Server{Upstream: u.address()})
			first, second := tt.ends(pair(t, s, u))
			request, reply := noise(1, 300), noise(2, 200_000)

			mustWrite(t, first, request)
			first.CloseWrite()
			mustRead(t, second, request)
			mustEOF(t, second) // before anything is answered

			for range 3 { // the half-closed connection goes on for as long as it likes
				mustWrite(t, second, reply)
				mustRead(t, first, reply)
			}
			if s.Connections() != 1 {
				t.Fatal("a half-closed connection was ended")
			}
			second.CloseWrite()
			mustEOF(t, first)
			eventually(t, "the connection ends", func() bool { return s.Connections() == 0 })
		})
	}
}

// A client that leaves for good while a server does not answer and does not
// close either must not be kept: hung servers would collect sockets.
func TestClientGoneWhileServerHangs(t *testing.T) {
	u := newUpstream(t, "127.0.0.1:0")
	s := start(t, &Server{Upstream: u.address()})
	client, server := pair(t, s, u)
	mustWrite(t, client, []byte("request"))
	mustRead(t, server, []byte("request"))
	client.Close()
	mustEOF(t, server)
	// The bytes that tell the proxy: the client's kernel answers them with a
	// reset, as it would answer keep-alive probes.
	mustWrite(t, server, []byte("late"))
	eventually(t, "the connection ends", func() bool { return s.Connections() == 0 })
}
