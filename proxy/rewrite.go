package proxy

import (
	"errors"
	"fmt"
)

// Rewriter changes what passes. Nothing but the opt-in topology mode has one.
//
// Client and Server return the bytes to be written in the place of b: b itself
// (the normal case), nothing while a message is held back, or more than b. They
// may run concurrently with each other. A result is valid until the next call of
// the same method. ClientEnd and ServerEnd return what is held back when that
// direction has ended by FIN; what a reset cuts is not asked for.
//
// A Rewriter must not panic. If it does, its connection is reset: what it held
// back is not known.
type Rewriter interface {
	Client(b []byte) []byte
	Server(b []byte) []byte
	ClientEnd() []byte
	ServerEnd() []byte
}

var errRewriter = errors.New("panic in a rewriter")

// rewriteWith gives both directions their half of a rewriter, if there is one.
func (r *relay) rewriteWith(make func(Conn) Rewriter) {
	if make == nil {
		return
	}
	w := make(r.info)
	if w == nil {
		return
	}
	r.up.rewrite, r.up.rest = w.Client, w.ClientEnd
	r.down.rewrite, r.down.rest = w.Server, w.ServerEnd
}

// rewritten is b as it is to be written.
func (d *direction) rewritten(b []byte) (out []byte, err error) {
	defer d.recoverRewriter(&err)
	return d.rewrite(b), nil
}

// passRest writes what is held back at the end.
func (d *direction) passRest() (err error) {
	defer d.recoverRewriter(&err)
	if b := d.rest(); len(b) > 0 {
		return d.send(b)
	}
	return nil
}

func (d *direction) recoverRewriter(err *error) {
	if v := recover(); v != nil {
		*err = fmt.Errorf("%w: %v", errRewriter, v)
		d.relay.server.Hooks.error(*err)
	}
}
