package proxy

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"io"
	"math/big"
	"net"
	"strings"
	"testing"
	"time"
)

// A TLS upstream behind a plain listener: the bytes are the same, the name of
// the upstream is verified, FIN passes both ways.
func TestTLSUpstream(t *testing.T) {
	cert, roots := selfSigned(t)
	u := newUpstream(t, "127.0.0.1:0")
	s := start(t, &Server{Upstream: u.address(), UpstreamTLS: fixed(&tls.Config{RootCAs: roots})})
	client := dial(t, s.Addrs()[0].String())
	server := tls.Server(u.accept(t), &tls.Config{Certificates: []tls.Certificate{cert}})
	request, reply := noise(1, 100_000), noise(2, 300_000)

	sent := make(chan error, 1)
	go func() {
		_, err := client.Write(request)
		client.CloseWrite()
		sent <- err
	}()
	mustRead(t, server, request)
	mustEOF(t, server)
	if err := <-sent; err != nil {
		t.Fatal(err)
	}
	go func() {
		_, err := server.Write(reply)
		server.Close()
		sent <- err
	}()
	mustRead(t, client, reply)
	mustEOF(t, client)
	if err := <-sent; err != nil {
		t.Fatal(err)
	}
	eventually(t, "no connection is left", func() bool { return s.Connections() == 0 })
}

// Closing the socket below TLS without a word, in the middle of a record, is
// no clean end.
func TestTLSUpstreamReset(t *testing.T) {
	cert, roots := selfSigned(t)
	u := newUpstream(t, "127.0.0.1:0")
	s := start(t, &Server{Upstream: u.address(), UpstreamTLS: fixed(&tls.Config{RootCAs: roots})})
	client := dial(t, s.Addrs()[0].String())
	below := u.accept(t)
	server := tls.Server(below, &tls.Config{Certificates: []tls.Certificate{cert}})
	mustWrite(t, server, []byte("part"))
	mustRead(t, client, []byte("part"))
	mustWrite(t, below, []byte{0x17, 3, 3}) // the beginning of a record
	below.Close()
	if _, err := client.Read(make([]byte, 1)); !isReset(err) {
		t.Fatalf("want a reset, got %v", err)
	}
}

// An upstream that does not prove its name, or does not speak TLS, is not used.
func TestTLSUpstreamRefused(t *testing.T) {
	cert, _ := selfSigned(t)
	for _, tt := range []struct {
		name  string
		serve func(c net.Conn)
	}{
		{"unknown authority", func(c net.Conn) {
			_ = tls.Server(c, &tls.Config{Certificates: []tls.Certificate{cert}}).Handshake()
		}},
		{"not TLS", func(c net.Conn) { _, _ = io.WriteString(c, "HTTP/1.0 400 Bad Request\r\n\r\n") }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			u := newUpstream(t, "127.0.0.1:0")
			failed := make(chan error, 1)
			s := start(t, &Server{
				Upstream:    u.address(),
				UpstreamTLS: fixed(&tls.Config{}),
				Hooks:       Hooks{UpstreamUp: func(up bool, err error) { failed <- err }},
			})
			client := dial(t, s.Addrs()[0].String())
			server := u.accept(t)
			tt.serve(server)
			if n, err := client.Read(make([]byte, 1)); n != 0 || err == nil {
				t.Fatalf("want the end, got %d bytes and %v", n, err)
			}
			if err := <-failed; err == nil || !strings.Contains(err.Error(), u.address()+": TLS handshake") {
				t.Fatalf("UpstreamUp was told %v", err)
			}
		})
	}
}

func selfSigned(t *testing.T) (tls.Certificate, *x509.CertPool) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber:          big.NewInt(1),
		Subject:               pkix.Name{CommonName: "upstream"},
		NotBefore:             time.Now().Add(-time.Hour),
		NotAfter:              time.Now().Add(time.Hour),
		IsCA:                  true,
		BasicConstraintsValid: true,
		IPAddresses:           []net.IP{net.IPv4(127, 0, 0, 1)},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	parsed, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	roots := x509.NewCertPool()
	roots.AddCert(parsed)
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, roots
}

func fixed(c *tls.Config) func() *tls.Config { return func() *tls.Config { return c } }
