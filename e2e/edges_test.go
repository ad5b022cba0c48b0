package e2e

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"io"
	"math/big"
	"net"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"mongoadvisor/internal/demo/mongod"
	"mongoadvisor/internal/demo/mongod/mongodtest"
)

// TestTLSPassesUnread: TLS that ends at the server passes, and the report says
// that it could not be read.
func TestTLSPassesUnread(t *testing.T) {
	upstream, err := tls.Listen("tcp", "127.0.0.1:0", &tls.Config{Certificates: []tls.Certificate{selfSigned(t)}})
	if err != nil {
		t.Fatal(err)
	}
	defer upstream.Close()
	go echo(upstream)
	p := startProxy(t, upstream.Addr().String())
	conn, err := tls.Dial("tcp", p.addr, &tls.Config{InsecureSkipVerify: true}) // the test's own certificate
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	text := strings.Repeat("nobody reads this ", 5000)
	go func() { _, _ = io.WriteString(conn, text) }()
	got := make([]byte, len(text))
	if _, err := io.ReadFull(conn, got); err != nil || string(got) != text {
		t.Fatalf("the bytes changed, or %v", err)
	}
	p.settled()
	found, coverage := p.report()
	if !slices.ContainsFunc(found, func(f finding) bool { return f.Rule == "O05" && f.Reason == "undecodable" }) {
		t.Errorf("no finding says so: %+v", found)
	}
	if coverage["ratio"] != 0.0 || coverage["connections_uninspected"] != 1.0 {
		t.Errorf("coverage %v", coverage)
	}
}

func echo(l net.Listener) {
	for {
		c, err := l.Accept()
		if err != nil {
			return
		}
		go func() {
			defer c.Close()
			_, _ = io.Copy(c, c)
		}()
	}
}

func selfSigned(t *testing.T) tls.Certificate {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour), DNSNames: []string{"localhost"}}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}
}

// TestHTTPReachesTheServer: a browser on the wrong port gets the server's own
// answer.
func TestHTTPReachesTheServer(t *testing.T) {
	server := mongodtest.Start(t)
	p := startProxy(t, server.Addr())
	resp, err := http.Get("http://" + p.addr + "/")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil || !strings.Contains(string(body), "native driver port") {
		t.Errorf("got %q, %v", body, err)
	}
	p.settled()
	if found, _ := p.report(); !slices.ContainsFunc(found, func(f finding) bool {
		return f.Reason == "undecodable" && strings.Contains(f.Message, "looks like HTTP")
	}) {
		t.Errorf("no finding says so: %+v", found)
	}
}

// TestReplicaSetBypassIsSaid: a member advertises its own address; clients
// without directConnection go round the proxy, and the report says so. Of a
// standalone it says nothing.
func TestReplicaSetBypassIsSaid(t *testing.T) {
	bypass := func(f finding) bool { return f.Rule == "O05" && f.Reason == "bypass" }
	member := mongodtest.StartWith(t, mongod.StartOptions{ReplSet: "rs0"})
	p := startProxy(t, member.Addr())
	if err := connect(t, p.uri(""), "app").Ping(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	p.settled()
	found, _ := p.report()
	if !slices.ContainsFunc(found, func(f finding) bool { return bypass(f) && strings.Contains(f.Message, member.Addr()) }) {
		t.Errorf("no finding names %s: %+v", member.Addr(), found)
	}
	alone := startProxy(t, mongodtest.Start(t).Addr())
	if err := connect(t, alone.uri(""), "app").Ping(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	alone.settled()
	if found, _ := alone.report(); slices.ContainsFunc(found, bypass) {
		t.Errorf("a standalone was said to send clients elsewhere: %+v", found)
	}
}
