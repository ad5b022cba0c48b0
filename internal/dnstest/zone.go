// Package dnstest is a DNS server on loopback for tests: SRV, TXT and A records
// that may change while it runs.
package dnstest

import (
	"context"
	"net"
	"strings"
	"sync"
	"testing"

	"golang.org/x/net/dns/dnsmessage"
)

// Zone has the records. Names are lower case and end in a dot. Whoever changes
// them after Serve holds the lock.
type Zone struct {
	sync.Mutex

	SRV map[string][]dnsmessage.SRVResource
	TXT map[string][][]string
	A   map[string][4]byte
}

// SRV is one record's content.
func SRV(target string, port uint16) dnsmessage.SRVResource {
	return dnsmessage.SRVResource{Target: dnsmessage.MustNewName(target), Port: port}
}

// Serve answers on a UDP address, such as "127.0.0.1:0", until the test ends.
// It returns the address.
func (z *Zone) Serve(t testing.TB, address string) string {
	t.Helper()
	c, err := net.ListenPacket("udp", address)
	if err != nil {
		t.Fatal(err)
	}
	var done sync.WaitGroup
	t.Cleanup(func() { _ = c.Close(); done.Wait() })
	done.Go(func() {
		for b := make([]byte, 4096); ; {
			n, from, err := c.ReadFrom(b)
			if err != nil {
				return
			}
			if reply, err := z.answer(b[:n]); err == nil {
				_, _ = c.WriteTo(reply, from)
			}
		}
	})
	return c.LocalAddr().String()
}

// Resolver asks the zone and nobody else.
func (z *Zone) Resolver(t testing.TB) *net.Resolver {
	t.Helper()
	address := z.Serve(t, "127.0.0.1:0")
	return &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "udp", address)
	}}
}

func (z *Zone) answer(b []byte) ([]byte, error) {
	var p dnsmessage.Parser
	h, err := p.Start(b)
	if err != nil {
		return nil, err
	}
	q, err := p.Question()
	if err != nil {
		return nil, err
	}
	m := dnsmessage.Message{Header: dnsmessage.Header{ID: h.ID, Response: true, Authoritative: true}, Questions: []dnsmessage.Question{q}}
	known, records := z.records(q)
	for _, r := range records {
		m.Answers = append(m.Answers, dnsmessage.Resource{Header: dnsmessage.ResourceHeader{Name: q.Name, Type: q.Type, Class: q.Class, TTL: 1}, Body: r})
	}
	if !known {
		m.RCode = dnsmessage.RCodeNameError
	}
	return m.Pack()
}

// records are the answers to a question; known is false for a name without any.
func (z *Zone) records(q dnsmessage.Question) (known bool, records []dnsmessage.ResourceBody) {
	z.Lock()
	defer z.Unlock()
	name := strings.ToLower(q.Name.String())
	a, host := z.A[name]
	known = host || len(z.SRV[name]) > 0 || len(z.TXT[name]) > 0
	switch q.Type {
	case dnsmessage.TypeSRV:
		for _, r := range z.SRV[name] {
			records = append(records, &r)
		}
	case dnsmessage.TypeTXT:
		for _, r := range z.TXT[name] {
			records = append(records, &dnsmessage.TXTResource{TXT: r})
		}
	case dnsmessage.TypeA:
		if host {
			records = append(records, &dnsmessage.AResource{A: a})
		}
	}
	return known, records
}
