package faults

import (
	"testing"

	"mongoadvisor/analyzers"
	"mongoadvisor/internal/engine"
	"mongoadvisor/internal/op"
	"mongoadvisor/internal/session"
	"mongoadvisor/internal/store"
	"mongoadvisor/proxy"
)

// analysis is what stands behind a proxy, put together as the program does it.
type analysis struct {
	queue   *session.Queue
	pending *session.Pending
	engine  *engine.Engine
	config  session.Config
}

func newAnalysis() *analysis {
	stats := &session.Stats{}
	st := store.New(store.Config{Profile: store.CI})
	a := &analysis{
		queue: session.NewQueue(16<<20, 0, stats), pending: session.NewPending(16 << 20),
		engine: engine.New(engine.Config{Rules: analyzers.All(), Recorder: st}),
	}
	a.config = session.Config{
		Source: op.SourceProxy, Has: op.HasTraffic, Stats: stats,
		Cursors: session.NewCursors(1000, stats), Pending: a.pending, Emit: a.engine.Judge,
	}
	go a.queue.Run()
	return a
}

// watch is the tap of a connection.
func (a *analysis) watch(c proxy.Conn) proxy.Tap {
	s := session.New(a.config, op.Conn{ID: c.ID, Client: c.Client.String(), Server: c.Upstream.String()})
	return session.NewStream(a.queue, s, session.DefaultRequestLimit, session.DefaultReplyLimit)
}

// end waits until everything was judged. Then nothing may wait for a reply, for
// all connections have ended, and no rule may have failed.
func (a *analysis) end(t testing.TB) {
	t.Helper()
	if !a.queue.Close(guard) {
		t.Fatal("the analysis hangs")
	}
	if n := a.pending.Held(); n != 0 {
		t.Errorf("requests with %d bytes wait for replies of connections that have ended", n)
	}
	if n := a.queue.Held(); n != 0 {
		t.Errorf("%d bytes are left in the queue", n)
	}
	if n := a.config.Stats.Coverage().Undecoded["panic"]; n != 0 {
		t.Errorf("decoding panicked %d times", n)
	}
	for _, s := range a.engine.Stats() {
		if n := s.Panics.Load(); n != 0 {
			t.Errorf("rule %s panicked %d times", s.ID, n)
		}
	}
}
