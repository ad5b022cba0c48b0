package sink

import (
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"mongoadvisor/internal/analysis"
	"mongoadvisor/internal/store"
)

// collector takes findings, once it may.
type collector struct {
	name   string
	may    chan struct{} // nil: always
	err    error         // of each delivery
	mu     sync.Mutex
	got    []string
	closed atomic.Bool
}

func (c *collector) Name() string { return c.name }
func (c *collector) Close() error { c.closed.Store(true); return nil }
func (c *collector) Emit(ctx context.Context, entries []store.Entry) error {
	if c.may != nil {
		select {
		case <-c.may:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	if c.err != nil {
		return c.err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, e := range entries {
		c.got = append(c.got, e.Fingerprint)
	}
	return nil
}

func (c *collector) all() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.got)
}

// TestExchange: what was announced before goes to the old sink, what comes after to the
// new one; the log stays, and the counters go on.
func TestExchange(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log, before, after := &collector{name: "log"}, &collector{name: "webhook", may: make(chan struct{})}, &collector{name: "webhook"}
		d := NewDispatcher(nil, log)
		d.Exchange([]Route{{Key: "a", Sink: before}})
		d.Announce(store.Entry{Fingerprint: "1"})
		d.Announce(store.Entry{Fingerprint: "2"})
		d.Exchange([]Route{{Key: "b", Sink: after}})
		d.Announce(store.Entry{Fingerprint: "3"})
		synctest.Wait()
		if got := after.all(); !slices.Equal(got, []string{"3"}) || before.closed.Load() || d.Runs("a") || !d.Runs("b") {
			t.Errorf("the new sink has %q, closed %v", got, before.closed.Load())
		}
		close(before.may)
		synctest.Wait()
		if got := before.all(); !slices.Equal(got, []string{"1", "2"}) || !before.closed.Load() {
			t.Errorf("the old sink has %q, closed %v", got, before.closed.Load())
		}
		d.Exchange(nil)
		d.Announce(store.Entry{Fingerprint: "4"})
		d.Close()
		if got := log.all(); !slices.Equal(got, []string{"1", "2", "3", "4"}) || !after.closed.Load() {
			t.Errorf("the log has %q", got)
		}
		if got := outcomes(d); got["webhook delivered"] != 3 || got["log delivered"] != 4 || len(got) != 6 {
			t.Errorf("%v", got)
		}
	})
}

// TestSameSinkGoesOn: a sink whose configuration is the same keeps its lane, with what
// waits and the pause it is in; the one that was made for nothing is closed.
func TestSameSinkGoesOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var tries atomic.Int64
		flaky := &probe{name: "webhook", emit: func(context.Context) error {
			if tries.Add(1) < 4 {
				return errors.New("away")
			}
			return nil
		}}
		spare := &collector{name: "webhook"}
		d := NewDispatcher(nil)
		d.Exchange([]Route{{Key: "a", Sink: flaky, Options: Options{Retry: 8}}})
		d.Announce(store.Entry{})
		for range 5 {
			time.Sleep(time.Second)
			d.Exchange([]Route{{Key: "a", Sink: spare, Options: Options{Retry: 8}}})
			d.Exchange([]Route{{Key: "a"}}) // nothing made at all
		}
		time.Sleep(10 * time.Second)
		if tries.Load() != 4 || len(spare.all()) != 0 || !spare.closed.Load() || flaky.closed {
			t.Errorf("%d tries; spare %q, closed %v", tries.Load(), spare.all(), spare.closed.Load())
		}
		d.Close()
	})
}

// TestExchangedSinkHasItsTime: one that never answers is left half a minute, and what it
// did not take is counted.
func TestExchangedSinkHasItsTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		silent, failing := &collector{name: "silent", may: make(chan struct{})}, &collector{name: "failing", err: errors.New("away")}
		d := NewDispatcher(nil)
		d.Exchange([]Route{{Key: "a", Sink: silent}, {Key: "b", Sink: failing, Options: Options{Retry: 100}}})
		for range 10 {
			d.Announce(store.Entry{})
		}
		synctest.Wait()
		d.Exchange(nil)
		time.Sleep(retireTimeout - time.Second)
		if silent.closed.Load() || failing.closed.Load() {
			t.Error("closed before its time")
		}
		time.Sleep(2 * time.Second)
		if !silent.closed.Load() || !failing.closed.Load() {
			t.Error("not closed after its time")
		}
		if got := outcomes(d); got["silent failed"] != 10 || got["failing failed"] != 10 {
			t.Errorf("%v", got)
		}
		d.Close()
	})
}

// TestExchangeAfterClose: the program ends meanwhile. Nothing is started any more.
func TestExchangeAfterClose(t *testing.T) {
	late := &collector{name: "late"}
	d := NewDispatcher(nil, &collector{name: "log"})
	d.Close()
	d.Exchange([]Route{{Key: "a", Sink: late}})
	d.Announce(store.Entry{})
	d.Close()
	if got := outcomes(d); got["log dropped"] != 1 || !late.closed.Load() || len(late.all()) != 0 {
		t.Errorf("%v", got)
	}
}

// TestExchangeBesideAnnouncing: each announcement goes to one of the sinks, old or new.
func TestExchangeBesideAnnouncing(t *testing.T) {
	d := NewDispatcher(nil)
	sink := func(i int) Route {
		return Route{Key: string(rune('a' + i%26)), Sink: &collector{name: "x"}, Options: Options{MinSeverity: analysis.Info}}
	}
	d.Exchange([]Route{sink(0)})
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			for range 500 {
				d.Announce(store.Entry{})
			}
		})
	}
	wg.Go(func() {
		for i := range 200 {
			d.Exchange([]Route{sink(i)})
			d.Counts(func(string, Outcome, int64) {})
		}
	})
	wg.Wait()
	d.Close()
	if got := outcomes(d); got["x delivered"]+got["x dropped"] != 1000 {
		t.Errorf("%v", got)
	}
}
