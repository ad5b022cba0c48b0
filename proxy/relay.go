package proxy

import (
	"sync"
	"time"

	"github.com/pires/go-proxyproto"
)

const (
	// maxDrainTime is what the other direction has, after a failed write, to
	// deliver what had already arrived: at most a few MiB of socket buffers.
	maxDrainTime = 30 * time.Second
	// lingerTime is how long a leg whose other end has gone is still read from
	// before it is reset: some round trips for the last bytes written to it,
	// but not long, for what is read here is lost.
	lingerTime = time.Second
)

// relay is one connection: two legs and the two directions between them.
type relay struct {
	server   *Server
	client   *leg
	upstream *leg               // nil until dialled
	header   *proxyproto.Header // what the client's side said of it, or nil
	info     Conn
	tap      *guardedTap
	up, down direction

	mu      sync.Mutex
	aborted bool // reset has been called
	leaving bool // see leaves; the client has had its FIN, or soon has
	tooLate bool // a request came after that; nothing more is delivered
	running int  // directions that have not ended
}

func newRelay(s *Server, client *leg) *relay {
	return &relay{server: s, client: client}
}

// attach takes ownership of the upstream's leg. It reports false, and has
// closed the leg, when the relay was reset in the meantime.
func (r *relay) attach(upstream *leg) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.aborted {
		upstream.reset()
		return false
	}
	r.upstream = upstream
	return true
}

// start forwards until both directions have ended.
func (r *relay) start() {
	s := r.server
	r.info = Conn{
		ID:       s.lastID.Add(1),
		Listener: s.Listen,
		Client:   r.client.sock.RemoteAddr(),
		Local:    r.client.sock.LocalAddr(),
		Upstream: r.upstream.sock.RemoteAddr(),
		Opened:   time.Now(),
	}
	if r.header != nil && r.header.SourceAddr != nil {
		r.info.Client = r.header.SourceAddr
	}
	s.Hooks.opened(r.info)
	r.tap = newGuardedTap(s.NewTap, r.info, &s.Hooks)
	r.up = direction{relay: r, other: &r.down, src: r.client, dst: r.upstream, see: r.tap.client, clientToServer: true}
	r.down = direction{relay: r, other: &r.up, src: r.upstream, dst: r.client, see: r.tap.server}
	r.rewriteWith(s.NewRewriter)
	r.mu.Lock()
	r.running = 2
	r.mu.Unlock()
	s.work.Add(2)
	go r.forwardUp()
	go r.forwardDown()
}

// forwardUp moves bytes from the client to the server. When the client has
// sent its FIN it stays to see whether the client leaves altogether: a server
// that does not answer would otherwise keep both sockets for ever.
func (r *relay) forwardUp() {
	defer r.server.work.Done()
	r.up.move()
	if r.ended() {
		return
	}
	if waitGone(r.client.sock) {
		r.close()
	}
}

// forwardDown moves bytes from the server to the client.
func (r *relay) forwardDown() {
	defer r.server.work.Done()
	r.down.move()
	r.ended()
}

// ended is called by each direction at its end and reports whether it was the
// last one, which cleans up.
func (r *relay) ended() bool {
	r.mu.Lock()
	r.running--
	last := r.running == 0
	r.mu.Unlock()
	if !last {
		return false
	}
	r.close()
	r.tap.close()
	r.server.Hooks.closed(r.info, r.up.bytes, r.down.bytes)
	r.server.untrack(r) // last: who sees no connection any more has been told all
	return true
}

// close closes both legs; what was written is still delivered.
func (r *relay) close() {
	r.client.close()
	r.upstream.close()
}

// reset ends both legs at once, for a cut stream must not look finished. Both
// directions then fail and end.
func (r *relay) reset() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.aborted = true
	r.client.reset()
	if r.upstream != nil {
		r.upstream.reset()
	}
}
