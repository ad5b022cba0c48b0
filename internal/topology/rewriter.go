package topology

import (
	"errors"
	"net"
	"sync/atomic"
)

// Rewriter changes the names of members in what passes on one connection. Client
// and Server may run concurrently with each other. Each returns the bytes to be
// written in place of b: b or a part of it where nothing changed, less while a
// message is held back, or other bytes. A result is valid until the next call of
// the same method. ClientEnd and ServerEnd return what is held back when that
// direction has ended.
type Rewriter struct {
	m       *Map
	local   net.Addr // where the client reached us
	pending pending
	lost    atomic.Bool // it passes unchanged for ever after

	client, server cutter
}

// Rewriter makes one for a connection on which the client reached us at local,
// which may be nil.
func (m *Map) Rewriter(local net.Addr) *Rewriter {
	r := &Rewriter{m: m, local: local}
	r.client.side = &clientSide{r: r}
	r.server.side = &serverSide{r: r}
	return r
}

// Client takes bytes of the client.
func (r *Rewriter) Client(b []byte) []byte { return r.client.feed(b) }

// Server takes bytes of the server.
func (r *Rewriter) Server(b []byte) []byte { return r.server.feed(b) }

// ClientEnd returns what is held back of the client's bytes.
func (r *Rewriter) ClientEnd() []byte { return r.client.end() }

// ServerEnd returns what is held back of the server's bytes.
func (r *Rewriter) ServerEnd() []byte { return r.server.end() }

// lose has both directions pass unchanged, and counts it once.
func (r *Rewriter) lose(n *atomic.Int64) {
	if r.lost.CompareAndSwap(false, true) {
		n.Add(1)
	}
}

// skip counts why one message passes unchanged.
func (r *Rewriter) skip(err error) {
	s := &r.m.Stats
	switch {
	case errors.Is(err, errTooLong):
		s.TooLong.Add(1)
	case errors.Is(err, errChecksum):
		s.BadChecksums.Add(1)
	case errors.Is(err, errNested):
		r.lose(&s.Unframed)
	default:
		s.Undecodable.Add(1)
	}
}

// caught ends rewriting on this connection after a panic. It is deferred.
func (r *Rewriter) caught(undo func()) {
	if v := recover(); v != nil {
		undo()
		r.lose(&r.m.Stats.Panics)
	}
}

// note remembers a request whose reply is to be rewritten.
func (r *Rewriter) note(id int32, c command) {
	if r.pending.add(id, c) {
		r.m.Stats.PendingFull.Add(1)
	}
}
