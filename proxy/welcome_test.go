package proxy

import (
	"bufio"
	"crypto/tls"
	"io"
	"net"
	"strings"
	"testing"

	"github.com/pires/go-proxyproto"
)

// refusals collects what is refused.
func refusals() (Hooks, chan *Refusal) {
	ch := make(chan *Refusal, 100)
	return Hooks{Refused: func(r *Refusal) { ch <- r }}, ch
}

func mustRefuse(t *testing.T, ch <-chan *Refusal, reason Reason, text string) {
	t.Helper()
	within(t, "a refusal", func() {
		if r := <-ch; r.Reason != reason || !strings.Contains(r.Error(), text) {
			t.Errorf("refused: %s, %v", r.Reason, r)
		}
	})
}

// A PROXY header, in either version and however it is cut, gives the client's
// address and is taken out of the stream; what comes with it is not.
func TestProxyHeader(t *testing.T) {
	v2 := proxyproto.HeaderProxyFromAddrs(2, &net.TCPAddr{IP: net.ParseIP("2001:db8::1"), Port: 50000}, &net.TCPAddr{IP: net.ParseIP("2001:db8::2"), Port: 27017})
	if err := v2.SetTLVs([]proxyproto.TLV{{Type: 0xEA, Value: noise(3, 600)}}); err != nil {
		t.Fatal(err)
	}
	long, err := v2.Format()
	if err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct{ header, client string }{
		"version 1": {"PROXY TCP4 192.0.2.1 192.0.2.2 50000 27017\r\n", "192.0.2.1:50000"},
		"unknown":   {"PROXY UNKNOWN\r\n", ""},
		"version 2": {string(long), "[2001:db8::1]:50000"},
		"local":     {"\r\n\r\n\x00\r\nQUIT\n\x20\x00\x00\x00", ""},
	} {
		for _, cut := range []bool{false, true} {
			t.Run(name, func(t *testing.T) {
				u := newUpstream(t, "127.0.0.1:0")
				conns := make(chan Conn, 1)
				s := start(t, &Server{Upstream: u.address(), ProxyProtocol: true, Hooks: Hooks{Opened: func(c Conn) { conns <- c }, Refused: func(r *Refusal) { t.Error(r) }}})
				client := dial(t, s.Addrs()[0].String())
				sent := []byte(tt.header + "the stream")
				if cut {
					for i := range sent {
						mustWrite(t, client, sent[i:i+1])
					}
				} else {
					mustWrite(t, client, sent)
				}
				server := u.accept(t)
				mustRead(t, server, []byte("the stream"))
				exchange(t, server, client, "the answer")
				want := tt.client
				if want == "" {
					want = client.LocalAddr().String()
				}
				if c := <-conns; c.Client.String() != want {
					t.Errorf("client %s, want %s", c.Client, want)
				}
			})
		}
	}
}

// Whoever sends no header is refused, with a reason; whoever sends nothing at
// all is a probe and is not spoken of.
func TestProxyHeaderMissing(t *testing.T) {
	u := newUpstream(t, "127.0.0.1:0")
	hooks, refused := refusals()
	s := start(t, &Server{Upstream: u.address(), ProxyProtocol: true, Hooks: hooks})
	dial(t, s.Addrs()[0].String()).Close()
	client := dial(t, s.Addrs()[0].String())
	mustWrite(t, client, []byte("\x3f\x00\x00\x00 no header"))
	mustReset(t, client)
	mustRefuse(t, refused, RefusedProxyHeader, "must send one")
	eventually(t, "both are gone", func() bool { return s.Connections() == 0 })
	if len(refused) > 0 {
		t.Errorf("the probe was spoken of: %v", <-refused)
	}
}

// The header is passed on when both sides speak it, else made of the socket's
// addresses.
func TestProxyHeaderSent(t *testing.T) {
	for _, version := range []byte{1, 2} {
		u := newUpstream(t, "127.0.0.1:0")
		s := start(t, &Server{Upstream: u.address(), SendProxyProtocol: version})
		client := dial(t, s.Addrs()[0].String())
		mustWrite(t, client, []byte("x"))
		server := bufio.NewReader(u.accept(t))
		h, err := proxyproto.Read(server)
		if err != nil || h.Version != version || h.SourceAddr.String() != client.LocalAddr().String() || h.DestinationAddr.String() != client.RemoteAddr().String() {
			t.Errorf("version %d: %+v, %v", version, h, err)
		}
		if b, err := server.ReadByte(); b != 'x' || err != nil {
			t.Errorf("after the header: %q, %v", b, err)
		}

		both := start(t, &Server{Upstream: u.address(), ProxyProtocol: true, SendProxyProtocol: version})
		client = dial(t, both.Addrs()[0].String())
		mustWrite(t, client, []byte("PROXY TCP4 192.0.2.1 192.0.2.2 50000 27017\r\nx"))
		h, err = proxyproto.Read(bufio.NewReader(u.accept(t)))
		if err != nil || h.Version != version || h.SourceAddr.String() != "192.0.2.1:50000" {
			t.Errorf("version %d, passed on: %+v, %v", version, h, err)
		}
	}
}

// The client's TLS ends here, behind a PROXY header too: bytes, FIN and the end
// pass as they do in plain text.
func TestClientTLS(t *testing.T) {
	cert, roots := selfSigned(t)
	for name, header := range map[string]string{"alone": "", "behind a PROXY header": "PROXY TCP4 192.0.2.1 192.0.2.2 50000 27017\r\n"} {
		t.Run(name, func(t *testing.T) {
			u := newUpstream(t, "127.0.0.1:0")
			s := start(t, &Server{
				Upstream: u.address(), ProxyProtocol: header != "",
				ListenTLS: &tls.Config{Certificates: []tls.Certificate{cert}, MinVersion: tls.VersionTLS12},
			})
			below := dial(t, s.Addrs()[0].String())
			if header != "" {
				mustWrite(t, below, []byte(header))
			}
			client := tls.Client(below, &tls.Config{RootCAs: roots, ServerName: "127.0.0.1"})
			go func() { _ = client.Handshake() }() // a write of ours would do it too, but the server is dialled only after it
			server := u.accept(t)
			go func() { _, _ = client.Write(noise(1, 200_000)); _ = client.CloseWrite() }()
			mustRead(t, server, noise(1, 200_000))
			mustEOF(t, server)
			go func() { _, _ = server.Write(noise(2, 200_000)); server.Close() }()
			mustRead(t, client, noise(2, 200_000))
			if _, err := client.Read(make([]byte, 1)); err != io.EOF {
				t.Errorf("the end: %v", err)
			}
			client.Close()
			eventually(t, "no connection is left", func() bool { return s.Connections() == 0 })
		})
	}
}

// Plain text on a TLS listener is refused in words.
func TestClientWithoutTLS(t *testing.T) {
	cert, _ := selfSigned(t)
	u := newUpstream(t, "127.0.0.1:0")
	hooks, refused := refusals()
	s := start(t, &Server{Upstream: u.address(), Hooks: hooks, ListenTLS: &tls.Config{Certificates: []tls.Certificate{cert}}})
	dial(t, s.Addrs()[0].String()).Close()
	client := dial(t, s.Addrs()[0].String())
	mustWrite(t, client, []byte("\x3f\x00\x00\x00\x01\x00\x00\x00\x00\x00\x00\x00\xd4\x07\x00\x00"))
	mustRefuse(t, refused, RefusedTLS, "does not speak TLS")
	eventually(t, "both are gone", func() bool { return s.Connections() == 0 })
	if len(refused) > 0 {
		t.Errorf("the probe was spoken of: %v", <-refused)
	}
}

// One gate bounds two servers together, and gives room back.
func TestGate(t *testing.T) {
	u := newUpstream(t, "127.0.0.1:0")
	hooks, refused := refusals()
	gate := NewGate(2)
	a := start(t, &Server{Upstream: u.address(), Gate: gate, Hooks: hooks})
	b := start(t, &Server{Upstream: u.address(), Gate: gate, Hooks: hooks})
	first, server := pair(t, a, u)
	pair(t, b, u)
	mustBeTurnedAway(t, b.Addrs()[0].String())
	mustRefuse(t, refused, RefusedLimit, "limit")
	first.Close()
	mustEOF(t, server)
	server.Close()
	eventually(t, "there is room again", func() bool { return gate.open.Load() == 1 })
	client, server := pair(t, a, u)
	exchange(t, client, server, "ping")
}
