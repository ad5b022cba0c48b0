package sink

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"mongoadvisor/internal/store"
)

// probe is a sink that does what it is told.
type probe struct {
	name   string
	emit   func(ctx context.Context) error
	closed bool
}

func (p *probe) Name() string                                    { return p.name }
func (p *probe) Emit(ctx context.Context, _ []store.Entry) error { return p.emit(ctx) }
func (p *probe) Close() error                                    { p.closed = true; return nil }
func works(context.Context) error                                { return nil }
func fails(context.Context) error                                { return errors.New("refused") }
func stuck(release chan struct{}) func(context.Context) error {
	return func(context.Context) error { <-release; return nil }
}

func outcomes(d *Dispatcher) map[string]int64 {
	out := map[string]int64{}
	d.Counts(func(sink string, o Outcome, n int64) { out[sink+" "+string(o)] = n })
	return out
}

// One stuck sink costs its own notifications, and nobody waits for it.
func TestStuckSinkBlocksNobody(t *testing.T) {
	release := make(chan struct{})
	slow, good := &probe{name: "slow", emit: stuck(release)}, &probe{name: "good", emit: works}
	d := NewDispatcher(nil, slow, good)
	for range 3000 {
		d.Announce(store.Entry{}) // would never return if anything waited
	}
	if got := outcomes(d); got["slow dropped"] < 3000-maxWaiting-1 {
		t.Errorf("%v", got)
	}
	close(release)
	d.Close()
	got := outcomes(d)
	if got["slow delivered"]+got["slow dropped"] != 3000 || got["good delivered"]+got["good dropped"] != 3000 || !slow.closed || !good.closed {
		t.Errorf("%v, closed %v %v", got, slow.closed, good.closed)
	}
}

func TestFailuresAndPanicsAreCounted(t *testing.T) {
	var mu sync.Mutex
	var told []string
	bad, broken, good := &probe{name: "bad", emit: fails}, &probe{name: "broken", emit: func(context.Context) error { panic("secret") }}, &probe{name: "good", emit: works}
	d := NewDispatcher(func(sink string, err error) {
		mu.Lock()
		defer mu.Unlock()
		told = append(told, sink+": "+err.Error())
	}, bad, broken, good)
	d.Announce(store.Entry{})
	d.Announce(store.Entry{})
	d.Close()
	got := outcomes(d)
	if got["bad failed"] != 2 || got["broken failed"] != 2 || got["good delivered"] != 2 || !broken.closed {
		t.Errorf("%v", got)
	}
	if len(told) != 4 {
		t.Errorf("told %q", told)
	}
	for _, s := range told {
		if s != "bad: refused" && s != "broken: panic" {
			t.Errorf("told %q", s)
		}
	}
}

func TestCloseLeavesAStuckSinkBehind(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		d := NewDispatcher(nil, &probe{name: "slow", emit: stuck(release)})
		d.Announce(store.Entry{})
		d.Close()
		d.Announce(store.Entry{}) // analysis may still run
		d.Close()
		if got := outcomes(d); got["slow dropped"] != 1 || got["slow delivered"] != 0 {
			t.Errorf("%v", got)
		}
		close(release)
	})
}

func TestADeliveryHasADeadline(t *testing.T) {
	d := NewDispatcher(nil, &probe{name: "x", emit: func(ctx context.Context) error {
		if _, ok := ctx.Deadline(); !ok {
			t.Error("no deadline")
		}
		return nil
	}})
	d.Announce(store.Entry{})
	d.Close()
}

func TestAnnounceAndCloseAtOnce(t *testing.T) {
	d := NewDispatcher(nil, &probe{name: "x", emit: works})
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for range 200 {
				d.Announce(store.Entry{})
			}
		})
	}
	wg.Go(func() {
		time.Sleep(time.Microsecond)
		d.Close()
	})
	wg.Wait()
	d.Close()
	if got := outcomes(d); got["x delivered"]+got["x dropped"] != 800 {
		t.Errorf("%v", got)
	}
}
