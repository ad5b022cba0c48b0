package shared

import (
	"bytes"
	"context"
	"io"
	"net"
	"sync"
	"testing"
	"time"

	"mongoadvisor/internal/demo/mongod/mongodtest"
	"mongoadvisor/internal/store"
)

// late is a way to a server on which the first command that writes an addition is held,
// until release lets the server have it.
type late struct {
	net.Listener
	server  string
	held    chan struct{} // closed when it is
	release chan struct{}
	arrived chan struct{}
	once    sync.Once
}

func newLate(t *testing.T, server string) *late {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	out := &late{Listener: l, server: server, held: make(chan struct{}), release: make(chan struct{}), arrived: make(chan struct{})}
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go out.serve(c)
		}
	}()
	return out
}

func (l *late) serve(client net.Conn) {
	up, err := net.Dial("tcp", l.server)
	if err != nil {
		_ = client.Close()
		return
	}
	go func() {
		_, _ = io.Copy(client, up)
		_ = client.Close()
	}()
	buf := make([]byte, 1<<20)
	for {
		n, err := client.Read(buf)
		if err != nil {
			_ = up.Close()
			return
		}
		mine := false
		if bytes.Contains(buf[:n], []byte("latencies.")) {
			l.once.Do(func() { mine = true; close(l.held) })
		}
		if mine {
			<-l.release
		}
		_, _ = up.Write(buf[:n])
		if mine { // the answer says that the server has done it
			time.Sleep(300 * time.Millisecond)
			close(l.arrived)
		}
	}
}

// TestLateWriteCountsOnce: a server that stalls has a write in its buffers of which the
// process believes that it failed. It carries it out after the second attempt.
func TestLateWriteCountsOnce(t *testing.T) {
	server := mongodtest.Start(t)
	way := newLate(t, server.Addr())
	c, s := connect(t, "mongodb://"+way.Addr().String()+"/x?retryWrites=false"), newStore()
	sync1(t, c, s)
	see(s, "orders", "app", time.Millisecond)
	ctx, cancel := context.WithTimeout(t.Context(), 500*time.Millisecond)
	defer cancel()
	if err := c.Sync(ctx, s, self); err == nil {
		t.Fatal("it did not fail")
	}
	<-way.held
	sync1(t, c, s)
	close(way.release)
	<-way.arrived
	other := newStore()
	sync1(t, connect(t, "mongodb://"+server.Addr()+"/x"), other)
	if f := other.Findings(); len(f) != 1 || f[0].Count != 1 || other.Totals().Operations != 1 {
		t.Errorf("%+v, %d operations", f, other.Totals().Operations)
	}
}

// TestNothingNewIsNotWritten: what was told is written once, not with each interval.
func TestNothingNewIsNotWritten(t *testing.T) {
	server := mongodtest.Start(t)
	c := connect(t, server.URI())
	s := store.New(store.Config{Profile: store.CI, Announce: func(store.Entry) {}})
	for range 5 {
		see(s, "orders", "app", time.Millisecond)
	}
	sync1(t, c, s)
	if changes := s.Changes(); !changes.Empty() {
		t.Errorf("said to be new: %+v", changes.Findings)
	}
}
