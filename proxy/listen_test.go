package proxy

import (
	"context"
	"errors"
	"net"
	"strings"
	"syscall"
	"testing"
)

func requireIPv6(t *testing.T) {
	t.Helper()
	l, err := net.Listen("tcp", "[::1]:0")
	if err != nil {
		t.Skipf("no IPv6 loopback: %v", err)
	}
	l.Close()
}

func TestListenAddresses(t *testing.T) {
	requireIPv6(t)
	for _, tt := range []struct {
		listen, upstream string
		dials            []string // hosts
	}{
		{"127.0.0.1:0", "127.0.0.1:0", []string{"127.0.0.1"}},
		{"[::1]:0", "[::1]:0", []string{"::1"}},
		{":0", "127.0.0.1:0", []string{"127.0.0.1", "::1"}},
	} {
		t.Run(tt.listen, func(t *testing.T) {
			u := newUpstream(t, tt.upstream)
			s := start(t, &Server{Listen: tt.listen, Upstream: u.address()})
			checkServes(t, s, u, tt.dials)
		})
	}
}

// Some clients try ::1 first for localhost, others 127.0.0.1: one port on both.
func TestListenLocalhost(t *testing.T) {
	requireIPv6(t)
	u := newUpstream(t, "127.0.0.1:0")
	s := start(t, &Server{Listen: "localhost:0", Upstream: u.address()})
	if n := len(s.Addrs()); n != 2 {
		t.Fatalf("want two addresses, got %v", s.Addrs())
	}
	checkServes(t, s, u, []string{"127.0.0.1", "::1", "localhost"})
}

func TestLoopbacks(t *testing.T) {
	for host, want := range map[string]int{"localhost": 2, "": 0, "127.0.0.1": 0, "::1": 0, "no-such-host.invalid": 0} {
		if got := loopbacks(context.Background(), host); len(got) != want {
			t.Errorf("%q: got %v, want %d", host, got, want)
		}
	}
}

// One loopback whose port is taken is an error, and the other one is let go: a
// client would reach somebody else.
func TestBindAllOrNone(t *testing.T) {
	requireIPv6(t)
	taken, err := net.Listen("tcp", "[::1]:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	_, port, _ := net.SplitHostPort(taken.Addr().String())
	b := binder{skipped: func(error) {}}
	ls, err := b.bindAll(context.Background(), []string{"127.0.0.1", "::1"}, port)
	if !errors.Is(err, syscall.EADDRINUSE) || ls != nil {
		t.Fatalf("want an address in use, got %v, %v", ls, err)
	}
	free, err := net.Listen("tcp", "127.0.0.1:"+port)
	if err != nil {
		t.Fatalf("the other loopback was not let go: %v", err)
	}
	free.Close()
}

// A machine without one of the families still gets the other one.
func TestBindSkipsMissingAddress(t *testing.T) {
	var skipped []error
	b := binder{skipped: func(err error) { skipped = append(skipped, err) }}
	// 203.0.113.0/24 is for documentation: no machine has it.
	ls, err := b.bindAll(context.Background(), []string{"127.0.0.1", "203.0.113.1"}, "0")
	if err != nil {
		t.Fatal(err)
	}
	defer closeAll(ls)
	if len(ls) != 1 || len(skipped) != 1 {
		t.Fatalf("%d listeners, skipped %v", len(ls), skipped)
	}
	if _, err := b.bindAll(context.Background(), []string{"203.0.113.1", "203.0.113.2"}, "0"); err == nil {
		t.Fatal("no address at all is no error")
	}
}

func checkServes(t *testing.T, s *Server, u *testUpstream, hosts []string) {
	t.Helper()
	_, port, _ := net.SplitHostPort(s.Addrs()[0].String())
	for _, host := range hosts {
		client := dial(t, net.JoinHostPort(host, port))
		server := u.accept(t)
		mustWrite(t, client, []byte("ping"))
		mustRead(t, server, []byte("ping"))
	}
}

func TestStartErrors(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	for _, tt := range []struct {
		name, listen, upstream string
		want                   []string
	}{
		{"port in use", taken.Addr().String(), "127.0.0.1:27017", []string{"cannot listen on " + taken.Addr().String(), "address already in use"}},
		{"no port", "27217", "127.0.0.1:27017", []string{`cannot listen on "27217"`, "missing port"}},
		{"empty", "", "127.0.0.1:27017", []string{"missing port"}},
		{"bare IPv6", "::1", "127.0.0.1:27017", []string{`"::1"`, "too many colons"}},
		{"upstream without port", "127.0.0.1:0", "db1", []string{`upstream "db1"`, "missing port"}},
		{"not ours", "203.0.113.1:0", "127.0.0.1:27017", []string{"203.0.113.1:0", "cannot assign"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := &Server{Listen: tt.listen, Upstream: tt.upstream}
			err := s.Start()
			if err == nil {
				forceDown(t, s)
				t.Fatal("no error")
			}
			for _, want := range tt.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("%q does not say %q", err, want)
				}
			}
			if n := len(s.Addrs()); n != 0 {
				t.Errorf("%d addresses after a failed Start", n)
			}
		})
	}
}
