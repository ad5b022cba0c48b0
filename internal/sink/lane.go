package sink

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"mongoadvisor/internal/analysis"
	"mongoadvisor/internal/store"
)

// Options say how a sink is served. The zero value hands on each finding at once, and
// once.
type Options struct {
	// MinSeverity leaves out what is less severe.
	MinSeverity analysis.Severity
	// Batch is how many findings go together at most; 0 is one.
	Batch int
	// Interval is the least time between two batches: what comes meanwhile goes together.
	// Batch bounds it. 0 for none.
	Interval time.Duration
	// Retry is how often a delivery that failed is tried again, each time after twice the
	// pause: 1 s, 2 s, … up to a minute. What waits behind it is bounded.
	Retry int
	// Every is after how long without news the sink is called with none, for those that
	// must say again what they have said; 0 for never.
	Every time.Duration
}

// Times between deliveries.
const (
	// batchPause is how long a batch waits for more findings: those of one change come
	// together.
	batchPause   = 500 * time.Millisecond
	firstPause   = time.Second
	longestPause = time.Minute
)

// Permanent marks an error of a sink that trying again will not mend.
type Permanent struct{ Err error }

func (p *Permanent) Error() string { return p.Err.Error() }
func (p *Permanent) Unwrap() error { return p.Err }

// Later is an error with the time after which the receiver wants to be asked again.
type Later struct {
	Err   error
	After time.Duration
}

func (l *Later) Error() string { return l.Err.Error() }
func (l *Later) Unwrap() error { return l.Err }

// lane is one sink with its queue and its counters.
type lane struct {
	sink    Sink
	options Options
	waiting chan store.Entry
	closing chan struct{}
	counts  map[Outcome]*atomic.Int64
	onError func(sink string, err error)
	sent    time.Time // when the last batch was, whatever became of it

	key    string          // of its route; "" for one that stays
	life   context.Context // over when a lane that was exchanged has had its time
	giveUp context.CancelFunc
}

// newLane makes a lane; its counters come with its start.
func newLane(s Sink, o Options, onError func(string, error), closing chan struct{}) *lane {
	l := &lane{sink: s, options: o, waiting: make(chan store.Entry, maxWaiting), closing: closing, onError: onError}
	l.life, l.giveUp = context.WithCancel(context.Background())
	return l
}

func (l *lane) deliver() {
	defer l.giveUp()
	var again <-chan time.Time
	if l.options.Every > 0 {
		ticker := time.NewTicker(l.options.Every)
		defer ticker.Stop()
		again = ticker.C
	}
	for {
		select {
		case e, ok := <-l.waiting:
			if !ok {
				l.complain(l.sink.Close())
				return
			}
			l.send(l.batch(e))
			l.sent = time.Now()
		case <-again:
			l.send(nil)
		}
	}
}

// batch is a finding, and those that come soon after it.
func (l *lane) batch(first store.Entry) []store.Entry {
	out := []store.Entry{first}
	if l.options.Batch <= 1 {
		return out
	}
	timer := time.NewTimer(max(batchPause, time.Until(l.sent.Add(l.options.Interval))))
	defer timer.Stop()
	for len(out) < l.options.Batch {
		select {
		case e, ok := <-l.waiting:
			if !ok {
				return out
			}
			out = append(out, e)
		case <-timer.C:
			return out
		}
	}
	return out
}

// send delivers a batch, again and again if it must and may.
func (l *lane) send(batch []store.Entry) {
	pause := firstPause
	for try := 0; ; try++ {
		err := l.emit(batch)
		if err == nil {
			l.counts[Delivered].Add(int64(len(batch)))
			return
		}
		var permanent *Permanent
		if try >= l.options.Retry || errors.As(err, &permanent) || !l.rest(max(pause, after(err))) {
			l.counts[Failed].Add(int64(max(len(batch), 1)))
			l.complain(err)
			return
		}
		pause = min(2*pause, longestPause)
	}
}

// after is the time that a receiver asked for, a minute at most.
func after(err error) time.Duration {
	var later *Later
	if errors.As(err, &later) {
		return min(later.After, longestPause)
	}
	return 0
}

// rest waits. It reports false when the program, or the time of the lane, ends meanwhile.
func (l *lane) rest(pause time.Duration) bool {
	timer := time.NewTimer(pause)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-l.closing:
		return false
	case <-l.life.Done():
		return false
	}
}

// errPanic stands for a panic of a sink, whose text may hold anything.
var errPanic = errors.New("panic")

// emit makes one delivery. A panic is a failed one.
func (l *lane) emit(batch []store.Entry) (err error) {
	ctx, cancel := context.WithTimeout(l.life, emitTimeout)
	defer cancel()
	defer func() {
		if v := recover(); v != nil {
			err = errPanic
		}
	}()
	return l.sink.Emit(ctx, batch)
}

func (l *lane) complain(err error) {
	if err != nil && l.onError != nil {
		l.onError(l.sink.Name(), err)
	}
}
