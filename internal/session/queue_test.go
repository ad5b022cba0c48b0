package session

import (
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"mongoadvisor/internal/op"
)

// live is a queue with a stream per connection.
type live struct {
	stats   *Stats
	queue   *Queue
	config  Config
	pending *Pending
}

func newLive(maxBytes int64, emit func(*op.Operation)) *live { return newSampled(maxBytes, 0, emit) }

// newSampled decodes rate operations of each second.
func newSampled(maxBytes int64, rate int, emit func(*op.Operation)) *live {
	l := &live{stats: &Stats{}, pending: NewPending(1 << 20)}
	l.queue = NewQueue(maxBytes, rate, l.stats)
	l.config = Config{
		Source: op.SourceProxy, Has: op.HasReply | op.HasConn, Stats: l.stats, Cursors: NewCursors(100, l.stats),
		Pending: l.pending, Emit: emit,
	}
	return l
}

func (l *live) stream(id uint64) *Stream {
	return NewStream(l.queue, New(l.config, op.Conn{ID: id}), DefaultRequestLimit, DefaultReplyLimit)
}

// exchange sends n finds and their replies, in small pieces.
func exchange(s *Stream, n int32) {
	for i := range n {
		request, reply := opMsg(2*i, 0, 0, find("orders")), opMsg(2*i+1, 2*i, 0, cursorReply("firstBatch", 0))
		s.Client(request[:10])
		s.Client(request[10:])
		s.Server(reply[:21])
		s.Server(reply[21:])
	}
}

func TestFullQueueShedsWholeMessagesAndResumes(t *testing.T) {
	var judged atomic.Int64
	l := newLive(20_000, func(o *op.Operation) {
		if o.NS.String() != "shop.orders" {
			t.Errorf("namespace %s: a message was torn", o.NS)
		}
		judged.Add(1)
	})
	s := l.stream(1)
	exchange(s, 200) // nobody drains yet
	shed := l.stats.Shed[0].Load()
	if held := l.queue.Held(); shed == 0 || held > 20_000 {
		t.Fatalf("%d shed, %d bytes held", shed, held)
	}
	c := l.stats.Coverage()
	if c.Messages != 400 || c.Shed["queue_full"] != shed {
		t.Errorf("coverage %+v", c)
	}
	go l.queue.Run()
	for l.queue.Held() > 0 {
		time.Sleep(time.Millisecond)
	}
	before := judged.Load()
	exchange(s, 5)
	s.Close()
	if !l.queue.Close(time.Minute) {
		t.Fatal("the queue did not end")
	}
	if got := judged.Load() - before; got < 5 {
		t.Errorf("%d operations after the queue had room again", got)
	}
	if l.stats.Decoded.Load()+l.stats.Shed[0].Load() != 410 || l.stats.Shed[0].Load() != shed {
		t.Errorf("%d decoded and %d shed of 410", l.stats.Decoded.Load(), l.stats.Shed[0].Load())
	}
	if l.pending.used != 0 {
		t.Errorf("%d bytes still wait for replies", l.pending.used)
	}
}

func TestStalledHandlerBlocksNobody(t *testing.T) {
	release, entered := make(chan struct{}), make(chan struct{})
	var once sync.Once
	l := newLive(50_000, func(*op.Operation) {
		once.Do(func() { close(entered) })
		<-release
	})
	go l.queue.Run()
	s := l.stream(1)
	exchange(s, 1)
	<-entered
	exchange(s, 1000) // would never return if anything waited
	s.Close()
	if l.stats.Shed[0].Load() == 0 {
		t.Error("nothing was shed")
	}
	if held := l.queue.Held(); held > 50_000+eventOverhead {
		t.Errorf("%d bytes held", held)
	}
	if l.queue.Close(0) {
		t.Error("Close says that a stalled handler is done")
	}
	close(release)
	if !l.queue.Close(time.Minute) {
		t.Error("the queue did not end")
	}
}

// The end of a connection is told even when the queue is full: else its
// requests would hold their share of the budget for ever.
func TestCloseIsNotShed(t *testing.T) {
	l := newLive(3000, func(*op.Operation) {})
	s := l.stream(1)
	for i := range int32(100) {
		s.Client(opMsg(i, 0, 0, find("orders")))
	}
	shed := l.stats.Shed[0].Load()
	s.Close()
	if shed == 0 || l.stats.Shed[0].Load() != shed {
		t.Errorf("%d shed before and %d after the end", shed, l.stats.Shed[0].Load())
	}
	go l.queue.Run()
	l.queue.Close(time.Minute)
	if l.pending.used != 0 || l.stats.Unanswered.Load() != 100-shed {
		t.Errorf("%d bytes wait, %d unanswered", l.pending.used, l.stats.Unanswered.Load())
	}
}

func TestPanicCostsOneMessage(t *testing.T) {
	n := 0
	l := newLive(1<<20, func(o *op.Operation) {
		if n++; n == 2 {
			panic("rule")
		}
	})
	s := l.stream(1)
	exchange(s, 5)
	go l.queue.Run()
	if !l.queue.Close(time.Minute) {
		t.Fatal("the queue did not end")
	}
	if n != 5 || l.stats.Coverage().Undecoded["panic"] != 1 {
		t.Errorf("%d operations, %d panics", n, l.stats.Coverage().Undecoded["panic"])
	}
}

func TestCloseWaitsAtMostForItsPatience(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		l := newLive(1<<20, func(*op.Operation) { <-release })
		go l.queue.Run()
		exchange(l.stream(1), 1)
		if l.queue.Close(time.Minute) {
			t.Error("Close says that a stalled handler is done")
		}
		exchange(l.stream(2), 1) // after the end: dropped
		close(release)
		if !l.queue.Close(time.Minute) {
			t.Error("Close gave up though the handler goes on")
		}
	})
}

// A parked drain wakes up for the next message.
func TestIdleQueueWakesUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var n atomic.Int64
		l := newLive(1<<20, func(*op.Operation) { n.Add(1) })
		go l.queue.Run()
		s := l.stream(1)
		for range 3 {
			time.Sleep(time.Hour)
			exchange(s, 1)
		}
		if !l.queue.Close(time.Minute) || n.Load() != 3 {
			t.Errorf("%d operations", n.Load())
		}
	})
}

func TestManyStreamsAtOnce(t *testing.T) {
	const streams, each = 50, 40
	var n atomic.Int64
	l := newLive(64<<20, func(*op.Operation) { n.Add(1) })
	go l.queue.Run()
	var wg sync.WaitGroup
	for id := range uint64(streams) {
		s := l.stream(id)
		requests := make(chan struct{}, each)
		both := &sync.WaitGroup{}
		both.Go(func() {
			for i := range int32(each) {
				s.Client(opMsg(2*i, 0, 0, find("orders")))
				requests <- struct{}{}
			}
		})
		both.Go(func() { // the other direction runs beside it, never ahead
			for i := range int32(each) {
				<-requests
				s.Server(opMsg(2*i+1, 2*i, 0, cursorReply("firstBatch", 0)))
			}
		})
		wg.Go(func() {
			both.Wait()
			s.Close()
		})
		wg.Go(func() { _ = l.stats.Coverage() })
	}
	wg.Wait()
	if !l.queue.Close(time.Minute) {
		t.Fatal("the queue did not end")
	}
	if n.Load() != streams*each || l.stats.Orphans.Load() != 0 || l.pending.used != 0 || l.queue.Held() != 0 {
		t.Errorf("%d operations, %d orphans, %d bytes wait, %d held", n.Load(), l.stats.Orphans.Load(), l.pending.used, l.queue.Held())
	}
}
