package proxy

import "sync/atomic"

// guardedTap keeps a tap's panics away from forwarding. After the first one
// the tap sees no more bytes. A nil *guardedTap is no tap.
type guardedTap struct {
	tap     Tap
	dropped atomic.Bool
	hooks   *Hooks
}

// newGuardedTap is nil when there is nothing to watch with, which includes a
// newTap that panics.
func newGuardedTap(newTap func(Conn) Tap, c Conn, hooks *Hooks) (g *guardedTap) {
	if newTap == nil {
		return nil
	}
	defer func() {
		if v := recover(); v != nil {
			hooks.tapPanic(v)
			g = nil
		}
	}()
	tap := newTap(c)
	if tap == nil {
		return nil
	}
	return &guardedTap{tap: tap, hooks: hooks}
}

func (g *guardedTap) client(b []byte) {
	if g == nil || g.dropped.Load() {
		return
	}
	defer g.recovered()
	g.tap.Client(b)
}

func (g *guardedTap) server(b []byte) {
	if g == nil || g.dropped.Load() {
		return
	}
	defer g.recovered()
	g.tap.Server(b)
}

// idle is false when nobody can tell.
func (g *guardedTap) idle() bool { return g.ask(Idler.Idle, false) }

// awaits is true when nobody can tell.
func (g *guardedTap) awaits() bool { return g.ask(Idler.Awaits, true) }

// ask puts a question to a tap that is an Idler; unknown is what others, and one
// that panics, are taken to say.
func (g *guardedTap) ask(question func(Idler) bool, unknown bool) (answer bool) {
	if g == nil || g.dropped.Load() {
		return unknown
	}
	i, ok := g.tap.(Idler)
	if !ok {
		return unknown
	}
	answer = unknown
	defer g.recovered()
	return question(i)
}

// close reaches dropped taps too: they may hold something to release.
func (g *guardedTap) close() {
	if g == nil {
		return
	}
	defer g.recovered()
	g.tap.Close()
}

// recovered is deferred directly, or recover would see nothing.
func (g *guardedTap) recovered() {
	if v := recover(); v != nil {
		g.dropped.Store(true)
		g.hooks.tapPanic(v)
	}
}
