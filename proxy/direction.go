package proxy

import (
	"errors"
	"io"
)

// direction moves bytes one way: from src to dst. See the package comment for
// how it ends.
type direction struct {
	relay          *relay
	other          *direction
	src, dst       *leg
	see            func([]byte)        // the tap's half; does nothing without a tap
	rewrite        func([]byte) []byte // nil: bytes pass unchanged
	rest           func() []byte       // what rewrite holds back at the end
	clientToServer bool
	bytes          int64 // written to dst; read by others only after the end

	finished   bool // ended by FIN, guarded by relay.mu
	discarding bool // dst cannot be written any more, guarded by relay.mu
}

// move returns when the direction has ended in one of the ways of the package
// comment.
func (d *direction) move() {
	for {
		if !d.clientToServer && d.relay.leaves() {
			d.relay.client.finish()
			d.discard()
			return
		}
		b, err := d.src.read.next()
		var writeErr error
		if len(b) > 0 {
			writeErr = d.pass(b)
		}
		d.src.read.release()
		if err == io.EOF && writeErr == nil && d.rest != nil {
			writeErr = d.passRest()
		}
		switch {
		case errors.Is(writeErr, errRewriter):
			d.relay.reset()
			return
		case writeErr != nil:
			d.discard()
			return
		case err == io.EOF || d.timeIsUp(err):
			d.finish()
			return
		case err != nil && !d.relay.woken(err):
			d.relay.fail()
			return
		}
	}
}

// pass shows b to the tap and writes it on. The tap comes first: a request
// written first could be answered, and the reply seen, before it.
func (d *direction) pass(b []byte) error {
	if d.rewrite != nil {
		var err error
		if b, err = d.rewritten(b); err != nil || len(b) == 0 {
			return err
		}
	}
	return d.send(b)
}

func (d *direction) send(b []byte) error {
	d.see(b)
	if d.clientToServer && !d.relay.admit() {
		return nil
	}
	n, err := d.dst.write(b)
	d.bytes += int64(n)
	if n > 0 {
		d.relay.server.Hooks.forwarded(d.clientToServer, n)
	}
	if d.clientToServer {
		d.relay.sent()
	}
	return err
}

// finish passes the EOF of src on.
func (d *direction) finish() {
	if d.src.endedByReset() {
		d.relay.reset()
		return
	}
	r := d.relay
	r.mu.Lock()
	last := d.other.finished && d.dst.tls == nil
	r.mu.Unlock()
	if !last { // or both legs are closed next, which says the same
		d.dst.closeWrite()
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	d.finished = true
	if d.other.discarding {
		d.dst.setReadDeadline(lingerTime) // d.dst is what the other direction reads
	}
}

// discard reads on from src after dst could not be written, so that the peer
// at src can come to read what the other direction has for it.
func (d *direction) discard() {
	d.limitDiscarding()
	for {
		_, err := d.src.read.next()
		d.src.read.release()
		if err == io.EOF {
			return
		}
		if err != nil {
			d.relay.fail()
			return
		}
	}
}

func (d *direction) limitDiscarding() {
	r := d.relay
	r.mu.Lock()
	defer r.mu.Unlock()
	d.discarding = true
	if r.leaving {
		if d.clientToServer {
			r.upstream.setReadDeadline(lingerTime)
		}
		return // the client has its deadline
	}
	if d.other.finished {
		d.src.setReadDeadline(lingerTime)
		return
	}
	limit := maxDrainTime
	if t := r.server.drainTime; t > 0 {
		limit = t
	}
	d.src.setDeadline(limit)
	d.dst.setDeadline(limit)
}
