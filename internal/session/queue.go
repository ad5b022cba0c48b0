package session

import (
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"mongoadvisor/internal/op"
	"mongoadvisor/wire"
)

// Queue carries messages from the forwarding goroutines to the one that
// analyses. Putting never blocks and wakes nobody while the drain is awake:
// it is bounded in bytes, and what does not fit is dropped whole and counted.
type Queue struct {
	stats   *Stats
	max     int64
	sampler *sampler

	mu     sync.Mutex
	events []event
	bytes  int64 // of events, under mu
	taken  int64 // of the batch being handled, under mu
	closed bool
	parked bool // the drain sleeps until wake is signalled, under mu

	wake    chan struct{}
	drained chan struct{}
	done    chan struct{}
	partial atomic.Int64 // bytes held by framers, all streams together
	waiting atomic.Int64 // bytes and taken, to be read without the lock
}

// event is one message, or the end of a connection, or a notice.
type event struct {
	at      time.Time
	session *Session
	message wire.Message
	sample  op.Sample // of a request
	notice  op.NoticeKind
	kind    eventKind
}

type eventKind uint8

const (
	eventRequest eventKind = iota
	eventReply
	eventNotice
	eventClose
)

// eventOverhead is what an event costs beside its message's bytes.
const eventOverhead = 200

func (e *event) size() int64 {
	return int64(cap(e.message.Body)+cap(e.message.Tail)) + eventOverhead
}

// NewQueue makes a queue that holds at most maxBytes, messages in the making
// included. Of each second fullRate operations are decoded, and the shapes of all
// others counted; 0 decodes all.
func NewQueue(maxBytes int64, fullRate int, stats *Stats) *Queue {
	return &Queue{
		stats: stats, max: maxBytes, sampler: newSampler(fullRate),
		wake: make(chan struct{}, 1), drained: make(chan struct{}), done: make(chan struct{}),
	}
}

// put takes an event, or drops it when there is no room. The end of a
// connection may go beyond the limit: a session that never hears of it holds
// its share of the budget for pending requests for ever. It reports whether it took
// the event.
func (q *Queue) put(e event) bool {
	size, room := e.size(), q.max
	if e.kind == eventClose {
		room *= 2
	}
	q.mu.Lock()
	if q.closed || q.bytes+q.taken+q.partial.Load()+size > room {
		q.mu.Unlock()
		if e.kind == eventRequest || e.kind == eventReply {
			q.stats.Shed[0].Add(1)
			q.sampler.hole()
		}
		return false
	}
	q.events = append(q.events, e)
	q.bytes += size
	q.waiting.Store(q.bytes + q.taken)
	parked := q.parked
	q.parked = false
	q.mu.Unlock()
	if parked {
		select {
		case q.wake <- struct{}{}:
		default:
		}
	}
	return true
}

// Rate is the share of reads and writes that all rules saw in the last second.
func (q *Queue) Rate() float64 { return 1 / float64(q.sampler.every.Load()) }

// pressed reports whether what is left of the budget is to be kept for what cannot
// be left out: replies, and requests that are not sampled.
func (q *Queue) pressed() bool { return q.waiting.Load() > q.max/4*3 }

// Pauses of the drain: it looks again after a short one while there is traffic,
// so that a busy proxy pays no wake-up per message, and parks after a long one.
const (
	drainPause = time.Millisecond
	drainIdle  = 50
	// drainTurn is after how many events the drain lets others run: forwarding on the
	// same processor waits for some 50 µs, and not for a batch.
	drainTurn = 4
)

// Run handles events until Close, then what is left. Only one Run per queue.
func (q *Queue) Run() {
	defer close(q.drained)
	timer := time.NewTimer(drainPause)
	defer timer.Stop()
	var batch []event
	rolled := time.Now()
	for idle := 0; ; {
		if now := time.Now(); now.Sub(rolled) >= rollEvery {
			rolled = now
			q.sampler.roll()
		}
		rest := idle >= drainIdle && !q.sampler.busy() // or the next second is to come
		batch = q.take(batch[:0], rest)
		if len(batch) > 0 {
			idle = 0
			for i := range batch {
				q.handle(&batch[i])
				batch[i] = event{}
				if i%drainTurn == drainTurn-1 {
					runtime.Gosched()
				}
			}
			continue
		}
		if rest {
			select {
			case <-q.wake:
				idle = 0
			case <-q.done:
				if q.empty() {
					return
				}
			}
			continue
		}
		idle++
		timer.Reset(drainPause)
		select {
		case <-timer.C:
		case <-q.done:
			if q.empty() {
				return
			}
		}
	}
}

// take swaps the filled slice for the used one.
func (q *Queue) take(used []event, park bool) []event {
	q.mu.Lock()
	defer q.mu.Unlock()
	batch := q.events
	q.events = used
	q.taken, q.bytes = q.bytes, 0
	q.waiting.Store(q.taken)
	q.parked = park && len(batch) == 0
	return batch
}

func (q *Queue) empty() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.events) == 0
}

// handle gives one event to its session. A panic in decoding costs that
// message and is counted.
func (q *Queue) handle(e *event) {
	defer func() {
		if v := recover(); v != nil {
			q.stats.undecoded("panic")
		}
	}()
	switch e.kind {
	case eventRequest:
		if e.message.OpCode == wire.OpCompressed {
			e.session.unpack(e.at, e.message, q.sampler)
		} else {
			e.session.request(e.at, e.message, int(e.message.Length), e.sample)
		}
	case eventReply:
		e.session.Reply(e.at, e.message)
	case eventNotice:
		e.session.Notice(e.at, e.notice)
	case eventClose:
		e.session.Close()
	}
}

// Close lets Run end once the queue is empty, and waits for it, at most for
// patience. It reports whether everything was handled.
func (q *Queue) Close(patience time.Duration) bool {
	q.mu.Lock()
	if !q.closed {
		q.closed = true
		close(q.done)
	}
	q.mu.Unlock()
	select {
	case <-q.drained:
		return true
	case <-time.After(patience):
		return false
	}
}

// Wait waits until everything put so far is handled, at most for patience. It
// reports whether it is.
func (q *Queue) Wait(patience time.Duration) bool {
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); time.Sleep(drainPause) {
		q.mu.Lock()
		idle := len(q.events) == 0 && q.taken == 0
		q.mu.Unlock()
		if idle {
			return true
		}
	}
	return false
}

// Held is how many bytes wait or are being handled.
func (q *Queue) Held() int64 {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.bytes + q.taken + q.partial.Load()
}
