package faults

import (
	"bytes"
	"errors"
	"io"
	"net"
	"sync"
	"syscall"
	"testing"
	"time"
)

// FuzzForward sends any bytes both ways through a proxy with the analysis behind
// it, cut into any chunks and ended in any way. Every byte comes out. The plan
// is who ends and how (its first byte), then the sizes of chunks.
func FuzzForward(f *testing.F) {
	for _, s := range seeds(f) {
		for end := range byte(fuzzEnds) {
			f.Add(s.client, s.server, []byte{end, 1, 15, 0, 200, 3})
		}
	}
	a := newAnalysis()
	r := newRig(f, a, nil)
	f.Cleanup(func() {
		r.end(f)
		a.end(f)
	})
	f.Fuzz(func(t *testing.T, fromClient, fromServer, plan []byte) {
		end := byte(0)
		if len(plan) > 0 {
			end, plan = plan[0]%fuzzEnds, plan[1:]
		}
		client, server, tap := r.pair(t, r.address())
		c := &outer{conn: client, says: fromClient, plan: plan}
		s := &outer{conn: server, says: fromServer, plan: plan}
		var group sync.WaitGroup
		group.Go(func() { c.talk(end == endByServer, end == resetByClient) })
		group.Go(func() { s.talk(end == endByClient, end == resetByServer) })
		group.Wait()
		client.Close()
		server.Close()
		select {
		case <-tap.closed:
		case <-time.After(guard):
			t.Fatal("the connection hangs")
		}
		sawClient, sawServer := tap.all()
		wasReset := end == resetByClient || end == resetByServer
		if hears := map[byte]*outer{resetByClient: s, resetByServer: c}[end]; wasReset && hears.err == nil && hears.writeErr == nil {
			t.Error("a reset has arrived as a FIN")
		}
		check(t, "client to server", s, fromClient, sawClient, wasReset)
		check(t, "server to client", c, fromServer, sawServer, wasReset)
	})
}

// Who ends a conversation. Who does not end it first sends its FIN only after it
// has met the other's.
const (
	endByBoth = iota
	endByClient
	endByServer
	resetByClient
	resetByServer
	fuzzEnds
)

// outer is one end of a connection.
type outer struct {
	conn       *net.TCPConn
	says, plan []byte
	heard      []byte
	err        error // of reading
	writeErr   error
}

// talk says what there is to say, and hears the other out beside it.
func (o *outer) talk(last, resets bool) {
	var group sync.WaitGroup
	heard := make(chan struct{})
	group.Go(func() {
		defer close(heard)
		o.heard, o.err = io.ReadAll(o.conn)
	})
	group.Go(func() {
		for rest, i := o.says, 0; len(rest) > 0; i++ {
			n := len(rest)
			if i < len(o.plan) {
				n = min(n, int(o.plan[i])+1)
			}
			if _, o.writeErr = o.conn.Write(rest[:n]); o.writeErr != nil {
				return
			}
			rest = rest[n:]
		}
		if resets {
			reset(o.conn)
			return
		}
		if last {
			<-heard
		}
		_ = o.conn.CloseWrite()
	})
	group.Wait()
}

// check compares what one end heard, and what the tap saw, with what was said.
// After a reset it is a beginning of it.
func check(t *testing.T, way string, by *outer, said, saw []byte, wasReset bool) {
	t.Helper()
	if wasReset {
		if !bytes.HasPrefix(said, saw) || !bytes.HasPrefix(saw, by.heard) {
			t.Errorf("%s: of %d bytes other ones came out: %d seen, %d arrived", way, len(said), len(saw), len(by.heard))
		}
		if by.err == nil && by.writeErr == nil && len(by.heard) < len(said) { // a write may have taken the reset
			t.Errorf("%s: %d of %d bytes arrived, and a FIN: a cut stream looks finished", way, len(by.heard), len(said))
		}
		if by.err != nil && !errors.Is(by.err, syscall.ECONNRESET) && !errors.Is(by.err, net.ErrClosed) {
			t.Errorf("%s ends with %v", way, by.err)
		}
		return
	}
	if by.err != nil || by.writeErr != nil {
		t.Errorf("%s: reading %v, writing %v", way, by.err, by.writeErr)
	}
	if !bytes.Equal(by.heard, said) || !bytes.Equal(saw, said) {
		t.Errorf("%s: %d bytes were sent, %d seen, %d arrived", way, len(said), len(saw), len(by.heard))
	}
}
