package faults

import (
	"context"
	"encoding/binary"
	"net"
	"sync"
	"testing"
)

// names is a name server that gives one address for every name.
type names struct {
	conn net.PacketConn
	done chan struct{}
	old  *net.Resolver

	mu      sync.Mutex
	address net.IP // nil: there is no such name
}

// serveNames makes this process ask it, and nobody else, until end.
func serveNames(t testing.TB, address string) *names {
	t.Helper()
	c, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	n := &names{conn: c, done: make(chan struct{}), old: net.DefaultResolver}
	n.set(address)
	go n.serve()
	net.DefaultResolver = &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		var d net.Dialer
		return d.DialContext(ctx, "udp", c.LocalAddr().String())
	}}
	return n
}

func (n *names) set(address string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.address = net.ParseIP(address).To4()
}

func (n *names) end() {
	net.DefaultResolver = n.old
	n.conn.Close()
	<-n.done
}

func (n *names) serve() {
	defer close(n.done)
	b := make([]byte, 1500)
	for {
		size, from, err := n.conn.ReadFrom(b)
		if err != nil {
			return
		}
		if reply := n.answer(b[:size]); reply != nil {
			_, _ = n.conn.WriteTo(reply, from)
		}
	}
}

// answer repeats the question (RFC 1035, 4.1) and adds an A record, if one was
// asked for, which is good for 0 seconds.
func (n *names) answer(query []byte) []byte {
	end := 12 // after the header
	for end < len(query) && query[end] != 0 {
		end += int(query[end]) + 1
	}
	end += 5 // the root label, type and class
	if end > len(query) {
		return nil
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	reply := append([]byte(nil), query[:end]...)
	reply[2], reply[3] = 0x84, 0 // an answer with authority
	copy(reply[6:12], make([]byte, 6))
	switch kind := binary.BigEndian.Uint16(query[end-4:]); {
	case n.address == nil:
		reply[3] = 3 // no such name
	case kind == 1:
		reply[7] = 1
		reply = append(reply, 0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 0, 0, 4)
		reply = append(reply, n.address...)
	}
	return reply
}
