package proxy

import (
	"errors"
	"os"
	"time"
)

// Idler is what a Tap may be besides: one that knows where messages end. Idle
// reports that no message is under way in either direction and no reply is
// awaited. It is called while Client may run: what a client sends in that moment
// it sends to a connection that is being closed, as with any server that stops.
type Idler interface {
	Idle() bool
}

// leaves reports whether the server drains and nothing is under way on this
// connection, whose server direction asks. Connections of which the tap cannot
// tell go on until they end by themselves or the time is up.
func (r *relay) leaves() bool { return r.server.draining.Load() && r.tap.idle() }

// leave ends an idle connection: FIN to both sides, and soon the end, for a
// client that keeps idle connections may not look at them for hours.
func (r *relay) leave() {
	r.client.finish()
	r.upstream.finish()
	r.mu.Lock()
	defer r.mu.Unlock()
	r.leaving = true
	r.client.setReadDeadline(lingerTime)
	r.upstream.setReadDeadline(lingerTime)
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
