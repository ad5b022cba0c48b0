package faults

import (
	"io"
	"net"
	"testing"
	"time"

	"mongoadvisor/internal/dnstest"
)

// TestUpstreamSlowToAccept: the kernel has taken the connection, the server looks
// at it later. What the client says in the meantime arrives, and so does the answer.
func TestUpstreamSlowToAccept(t *testing.T) {
	a := newAnalysis()
	r := newRig(t, a, nil)
	client := dial(t, r.address())
	said := noise(5, 100_000)
	if _, err := client.Write(said); err != nil {
		t.Fatal(err)
	}
	_ = client.CloseWrite()
	tap := r.tap(t)
	for n := 0; n < len(said); { // all of it has passed before anybody accepts
		b, _ := tap.all()
		n = len(b)
	}
	server := r.accept(t)
	if got, err := io.ReadAll(server); err != nil || len(got) != len(said) {
		t.Errorf("%d of %d bytes, %v", len(got), len(said), err)
	}
	if _, err := io.WriteString(server, "a late answer"); err != nil {
		t.Error(err)
	}
	server.Close()
	if got, err := io.ReadAll(client); err != nil || string(got) != "a late answer" {
		t.Errorf("the client, who has half-closed, hears %q, %v", got, err)
	}
	client.Close()
	<-tap.closed
	r.end(t)
	a.end(t)
}

// TestUpstreamResetsAtOnce: so does the proxy, with no byte of its own.
func TestUpstreamResetsAtOnce(t *testing.T) {
	before := descriptors()
	a := newAnalysis()
	r := newRig(t, a, nil)
	for range 200 {
		client := dial(t, r.address())
		reset(r.accept(t))
		if b, err := io.ReadAll(client); len(b) != 0 || !isReset(err) {
			t.Fatalf("%q, %v; want a reset", b, err)
		}
		client.Close()
		select {
		case tap := <-r.taps:
			<-tap.closed
		default: // the dial has met the reset
		}
	}
	r.end(t)
	a.end(t)
	sameDescriptors(t, before)
}

// TestUpstreamComesBack: dead in the middle of a message, and back on the same
// port: the client of before meets the end, the next one another server.
func TestUpstreamComesBack(t *testing.T) {
	a := newAnalysis()
	r := newRig(t, a, nil)
	client, server, tap := r.pair(t, r.address())
	if err := pass(server, client, []byte("\x40\x00\x00\x00 the head of a reply")); err != nil {
		t.Fatal(err)
	}
	_ = r.l.Close()
	reset(server)
	if _, err := client.Read(make([]byte, 1)); !isReset(err) {
		t.Errorf("%v; want a reset", err)
	}
	client.Close()
	<-tap.closed
	turnedAway(t, r.address())
	l, err := net.Listen("tcp", r.proxy.Upstream)
	if err != nil {
		t.Skipf("another program has taken the port: %v", err)
	}
	r.l = l.(*net.TCPListener)
	client, server, tap = r.pair(t, r.address())
	if err := pass(server, client, []byte("another server")); err != nil {
		t.Error(err)
	}
	client.Close()
	server.Close()
	<-tap.closed
	r.end(t)
	a.end(t)
}

// TestNameMeansAnotherAddress: each dial asks anew, so that after a failover
// clients reach the other server, while those of before stay with theirs.
func TestNameMeansAnotherAddress(t *testing.T) {
	first, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_, port, _ := net.SplitHostPort(first.Addr().String())
	second, err := net.Listen("tcp", "127.0.0.2:"+port)
	if err != nil {
		first.Close()
		t.Skipf("no second loopback address here: %v", err)
	}
	zone := &dnstest.Zone{A: map[string][4]byte{"db.test.": {127, 0, 0, 1}}}
	resolver := net.DefaultResolver
	net.DefaultResolver = zone.Resolver(t)
	defer func() { net.DefaultResolver = resolver }()
	a := newAnalysis()
	r := newRig(t, a, func(string) string { return net.JoinHostPort("db.test.", port) })
	own := r.l
	defer own.Close()
	r.l = first.(*net.TCPListener)
	client, server, tap := r.pair(t, r.address())
	zone.Lock()
	zone.A["db.test."] = [4]byte{127, 0, 0, 2}
	zone.Unlock()
	r.l = second.(*net.TCPListener)
	newClient, newServer, newTap := r.pair(t, r.address())
	for what, p := range map[string][2]*net.TCPConn{"before": {client, server}, "after": {newClient, newServer}} {
		if err := pass(p[0], p[1], []byte("request")); err != nil {
			t.Errorf("a client of %s: %v", what, err)
		}
		p[0].Close()
		p[1].Close()
	}
	zone.Lock()
	delete(zone.A, "db.test.") // no such name
	zone.Unlock()
	turnedAway(t, r.address())
	for _, s := range []*seen{tap, newTap} {
		<-s.closed
	}
	r.end(t)
	a.end(t)
	first.Close()
}

// turnedAway connects and wants a reset, which may come before the connect has
// returned.
func turnedAway(t *testing.T, address string) {
	t.Helper()
	c, err := net.Dial("tcp", address)
	if err == nil {
		_ = c.SetDeadline(time.Now().Add(guard))
		_, err = c.Read(make([]byte, 1))
		_ = c.Close()
	}
	if !isReset(err) {
		t.Errorf("%v; want a reset", err)
	}
}
