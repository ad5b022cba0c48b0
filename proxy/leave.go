package proxy

import (
	"errors"
	"os"
	"time"
)

// Idler is what a Tap may be besides: one that knows where messages end. Both
// methods may be called while Client runs, never while Server does, and must not
// call back.
type Idler interface {
	// Idle reports that no message is under way in either direction and no reply
	// is awaited.
	Idle() bool
	// Awaits reports that a reply is awaited, to a message that is complete.
	Awaits() bool
}

// leaves reports whether the server drains and nothing is under way on this
// connection, whose server direction asks; then the connection is being left.
// Connections of which the tap cannot tell go on until they end by themselves or
// the time is up.
func (r *relay) leaves() bool {
	if !r.server.draining.Load() {
		return false
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	// Under the lock, so that what the tap sees of the client from here on is
	// late: see admit.
	if !r.tap.idle() {
		return false
	}
	r.leaving, r.down.discarding = true, true
	r.client.setReadDeadline(lingerTime)
	if r.up.finished || r.up.discarding {
		r.upstream.setReadDeadline(lingerTime)
	} else {
		_ = r.upstream.sock.SetReadDeadline(time.Time{}) // wake may have set one
	}
	return true
}

// admit is asked, after the tap has seen b of the client's, whether it may be
// written on. On a connection that is being left there is no way back for a
// reply: of a request that wants one at least the end is not delivered, so that
// the server does nothing, and its sender, who meets the end, may try again. But
// nobody would try again with a write that wants none. It passes, and the client
// has its time anew.
func (r *relay) admit() bool {
	if !r.server.draining.Load() {
		return true
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.leaving {
		return true
	}
	if r.tooLate = r.tooLate || r.tap.awaits(); r.tooLate {
		return false
	}
	r.client.setReadDeadline(lingerTime)
	return true
}

// timeIsUp reports whether a read of the client ended because the connection is
// being left, and the client has said nothing for a while: it may keep idle
// connections and not look at them for hours.
func (d *direction) timeIsUp(err error) bool {
	if !d.clientToServer || !errors.Is(err, os.ErrDeadlineExceeded) {
		return false
	}
	r := d.relay
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.leaving && !d.discarding
}

// sent is told of what has gone to the server. If that was a write that wants no
// reply, nothing comes from the server for its direction to look up.
func (r *relay) sent() {
	if r.server.draining.Load() {
		r.wake()
	}
}

// wake makes the server direction, which waits for bytes, look up. One that has
// not begun looks by itself.
func (r *relay) wake() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.running > 0 && !r.ending() {
		_ = r.upstream.sock.SetReadDeadline(time.Unix(1, 0))
	}
}

// ending reports whether the legs have deadlines already. r.mu is held.
func (r *relay) ending() bool { return r.leaving || r.up.discarding || r.down.discarding }

// woken reports whether a read ended by wake, and undoes it.
func (r *relay) woken(err error) bool {
	if !errors.Is(err, os.ErrDeadlineExceeded) || !r.server.draining.Load() {
		return false
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.ending() {
		return false
	}
	_ = r.upstream.sock.SetReadDeadline(time.Time{})
	return true
}

// fail ends both legs after a read has failed: with a reset, for a cut stream
// must not look finished; but a connection that we left ourselves was finished.
func (r *relay) fail() {
	r.mu.Lock()
	leaving := r.leaving
	r.mu.Unlock()
	if leaving {
		r.close()
		return
	}
	r.reset()
}
