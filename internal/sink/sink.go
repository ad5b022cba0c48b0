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

// emitTimeout bounds one delivery.
const emitTimeout = 30 * time.Second

// Dispatcher hands announcements to sinks, each on its own goroutine and
// behind its own bounded queue.
type Dispatcher struct {
	lanes []*lane
	wg    sync.WaitGroup
}

// lane is one sink with its queue and its counters.
type lane struct {
	sink    Sink
	waiting chan store.Entry
	counts  map[Outcome]*atomic.Int64
	onError func(sink string, err error)
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
	d := &Dispatcher{}
	for _, s := range sinks {
		l := &lane{sink: s, waiting: make(chan store.Entry, maxWaiting), counts: map[Outcome]*atomic.Int64{}, onError: onError}
		for _, o := range Outcomes {
			l.counts[o] = &atomic.Int64{}
		}
		d.lanes = append(d.lanes, l)
		d.wg.Go(l.deliver)
	}
	return d
}

// Announce queues a finding for every sink. It never blocks: what a sink has
// no room for is dropped for that sink and counted.
func (d *Dispatcher) Announce(e store.Entry) {
	for _, l := range d.lanes {
		select {
		case l.waiting <- e:
		default:
			l.counts[Dropped].Add(1)
		}
	}
}

// Close delivers what waits and closes the sinks.
func (d *Dispatcher) Close() {
	for _, l := range d.lanes {
		close(l.waiting)
	}
	d.wg.Wait()
}

// Counts yields the notifications per sink and outcome.
func (d *Dispatcher) Counts(each func(sink string, outcome Outcome, n int64)) {
	for _, l := range d.lanes {
		for _, o := range Outcomes {
			each(l.sink.Name(), o, l.counts[o].Load())
		}
	}
}

func (l *lane) deliver() {
	for e := range l.waiting {
		ctx, cancel := context.WithTimeout(context.Background(), emitTimeout)
		err := l.sink.Emit(ctx, []store.Entry{e})
		cancel()
		l.note(err)
	}
	l.complain(l.sink.Close())
}

func (l *lane) note(err error) {
	if err == nil {
		l.counts[Delivered].Add(1)
		return
	}
	l.counts[Failed].Add(1)
	l.complain(err)
}

func (l *lane) complain(err error) {
	if err != nil && l.onError != nil {
		l.onError(l.sink.Name(), err)
	}
}
