// Package sink takes findings out: into the log, and into reports. One way out
// per file.
package sink

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"mongoadvisor/internal/store"
)

// Sink takes findings as they are announced. It may block and may fail: the
// Dispatcher keeps both away from the analysis.
type Sink interface {
	Name() string
	Emit(ctx context.Context, entries []store.Entry) error
	Close() error
}

// maxWaiting is how many announcements may wait for one sink.
const maxWaiting = 1024

// emitTimeout bounds one delivery, and closeTimeout all that is left at the end.
const (
	emitTimeout  = 30 * time.Second
	closeTimeout = 5 * time.Second
)

// Dispatcher hands announcements to sinks, each on its own goroutine and
// behind its own bounded queue.
type Dispatcher struct {
	wg      sync.WaitGroup
	onError func(sink string, err error)
	closing chan struct{} // closed by Close: nobody waits to try again any more

	mu     sync.RWMutex
	lanes  []*lane
	closed bool       // the lanes' queues are
	counts []counters // of all sinks there ever were
}

// Outcome says what became of a notification.
type Outcome string

// The outcomes.
const (
	Delivered Outcome = "delivered"
	Failed    Outcome = "failed"
	Dropped   Outcome = "dropped" // the sink was too slow
)

// Outcomes lists all of them.
var Outcomes = []Outcome{Delivered, Failed, Dropped}

// NewDispatcher starts one goroutine per sink. onError, which may be nil, is
// told of failed deliveries.
func NewDispatcher(onError func(sink string, err error), sinks ...Sink) *Dispatcher {
	d := &Dispatcher{onError: onError, closing: make(chan struct{})}
	for _, s := range sinks {
		d.Add(s, Options{})
	}
	return d
}

// Add starts one more sink, which stays until Close.
func (d *Dispatcher) Add(s Sink, o Options) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.start(newLane(s, o, d.onError, d.closing))
}

// start lets a lane deliver. The caller holds mu.
func (d *Dispatcher) start(l *lane) {
	l.counts = d.countersOf(l.sink.Name())
	d.lanes = append(d.lanes, l)
	d.wg.Go(l.deliver)
}

// Announce queues a finding for every sink. It never blocks: what a sink has
// no room for is dropped for that sink and counted, as is what comes after Close.
func (d *Dispatcher) Announce(e store.Entry) {
	d.mu.RLock()
	defer d.mu.RUnlock()
	for _, l := range d.lanes {
		if e.Severity < l.options.MinSeverity {
			continue
		}
		if d.closed {
			l.counts[Dropped].Add(1)
			continue
		}
		select {
		case l.waiting <- e:
		default:
			l.counts[Dropped].Add(1)
		}
	}
}

// Close delivers what waits and closes the sinks. A sink that is stuck is left
// behind.
func (d *Dispatcher) Close() {
	d.mu.Lock()
	if !d.closed {
		d.closed = true
		close(d.closing)
		for _, l := range d.lanes {
			close(l.waiting)
		}
	}
	d.mu.Unlock()
	finished := make(chan struct{})
	go func() {
		d.wg.Wait()
		close(finished)
	}()
	select {
	case <-finished:
	case <-time.After(closeTimeout):
	}
}

// counters are what became of the notifications of all sinks with a name, one after the
// other.
type counters struct {
	name string
	n    map[Outcome]*atomic.Int64
}

// countersOf are those of a name, made at 0. The caller holds mu.
func (d *Dispatcher) countersOf(name string) map[Outcome]*atomic.Int64 {
	for _, c := range d.counts {
		if c.name == name {
			return c.n
		}
	}
	c := counters{name, map[Outcome]*atomic.Int64{}}
	for _, o := range Outcomes {
		c.n[o] = &atomic.Int64{}
	}
	d.counts = append(d.counts, c)
	return c.n
}

// Counts yields the notifications per sink and outcome, also of sinks that are gone.
func (d *Dispatcher) Counts(each func(sink string, outcome Outcome, n int64)) {
	d.mu.RLock()
	defer d.mu.RUnlock()
	for _, c := range d.counts {
		for _, o := range Outcomes {
			each(c.name, o, c.n[o].Load())
		}
	}
}
