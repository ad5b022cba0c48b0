package session

import (
	"bytes"
	"slices"
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"

	"mongoadvisor/internal/op"
	"mongoadvisor/wire"
)

// drain handles what is in the queue, in the place of Run.
func (l *live) drain() {
	for _, e := range l.queue.take(nil, false) {
		l.queue.handle(&e)
	}
	l.queue.take(nil, false)
}

// send sends a request and its reply, whole.
func send(s *Stream, id int32, flags wire.MsgFlags, request bson.D) {
	s.Client(opMsg(id, 0, flags, request))
	if !flags.Has(wire.MoreToCome) {
		s.Server(opMsg(1000+id, id, 0, cursorReply("firstBatch", 0)))
	}
}

// sampled is a connection whose framers have their first message behind them.
func sampled(t *testing.T, rate int) (*live, *Stream, *[]*op.Operation) {
	t.Helper()
	var seen []*op.Operation
	l := newSampled(1<<20, rate, func(o *op.Operation) { seen = append(seen, o) })
	return l, l.stream(1), &seen
}

// weight is how many operations those of a collection stand for.
func weight(ops []*op.Operation, coll string) (n int64) {
	for _, o := range ops {
		if o.NS.Coll == coll {
			n += o.Sample.Count()
		}
	}
	return n
}

func TestAStretchIsDecodedAndTheRestCounted(t *testing.T) {
	l, s, seen := sampled(t, 10)
	other := l.stream(2)
	for i := range int32(50) {
		send(s, i, 0, find("orders"))
		send(other, i, 0, find("orders"))
	}
	l.drain()
	if n := len(*seen); n != 11 {
		t.Fatalf("%d operations decoded, want the stretch of 10 and one alone", n)
	}
	for i, o := range *seen {
		if alone := i == 10; o.Sample.Alone != alone || o.Sample.Stretch != map[bool]uint64{false: 0, true: 1}[alone] || !o.Reply.Seen {
			t.Errorf("operation %d: %+v", i, o.Sample)
		}
	}
	if *seen = nil; l.stats.Sampled.Load() != 89 || l.stats.Operations.Load() != 100 {
		t.Errorf("%d left out of %d", l.stats.Sampled.Load(), l.stats.Operations.Load())
	}
	l.queue.sampler.roll()
	send(s, 100, 0, find("orders"))
	send(s, 101, 0, find("others"))
	l.drain()
	first, second := (*seen)[0].Sample, (*seen)[1].Sample
	if want := (op.Sample{Stretch: 2, Weight: 90, Every: 10}); first != want {
		t.Errorf("%+v, want %+v", first, want)
	}
	if want := (op.Sample{Stretch: 2, Weight: 1, Every: 10}); second != want {
		t.Errorf("of another shape: %+v, want %+v", second, want)
	}
	c := l.stats.Coverage()
	if c.Ratio != 1 || c.RepliesUnpaired != 0 || c.RequestsUnanswered != 0 || c.Recognised != 89 || c.SampleRate >= 0.2 {
		t.Errorf("coverage %+v", c)
	}
	if l.pending.used != 0 {
		t.Errorf("%d bytes wait for replies", l.pending.used)
	}
}

// Whatever else there is, each shape is shown once a gap, and no operation is
// counted twice or not at all.
func TestNoShapeIsMissed(t *testing.T) {
	l, s, seen := sampled(t, 5)
	id := int32(0)
	for range 4 {
		for i := range 60 {
			id++
			send(s, id, 0, find("orders"))
			if i%20 == 10 { // never in the stretch
				id++
				send(s, id, 0, find("rare"))
			}
		}
		l.queue.sampler.roll()
	}
	id++
	send(s, id, 0, find("rare"))
	send(s, id+1, 0, find("orders"))
	l.drain()
	if got := weight(*seen, "orders"); got != 241 {
		t.Errorf("orders stand for %d operations of 241", got)
	}
	if got := weight(*seen, "rare"); got != 13 {
		t.Errorf("the rare ones stand for %d of 13", got)
	}
	alone := 0
	for _, o := range *seen {
		if o.NS.Coll == "rare" && o.Sample.Alone {
			alone++
		}
	}
	if alone != 4 {
		t.Errorf("the rare shape was shown in %d gaps of 4", alone)
	}
}

func TestWhatIsNeverLeftOut(t *testing.T) {
	l, s, seen := sampled(t, 1)
	for i := range int32(5) {
		send(s, i, 0, find("orders"))
	}
	l.drain()
	*seen = nil
	commands := []bson.D{
		{{Key: "hello", Value: 1}, {Key: "$db", Value: "admin"}},
		{{Key: "createIndexes", Value: "orders"}, {Key: "$db", Value: "shop"}},
		{{Key: "commitTransaction", Value: 1}, {Key: "$db", Value: "admin"}},
		{{Key: "killCursors", Value: "orders"}, {Key: "$db", Value: "shop"}},
		{{Key: "saslContinue", Value: 1}, {Key: "$db", Value: "admin"}},
		{{Key: "find", Value: 5}, {Key: "$db", Value: "shop"}}, // no collection
	}
	for i, c := range commands {
		send(s, int32(10+i), 0, c)
	}
	s.Client(opMsg(90, 0, wire.ExhaustAllowed, find("orders"))) // its replies answer one another
	s.Server(opMsg(91, 90, 0, cursorReply("firstBatch", 0)))
	l.drain()
	if len(*seen) != len(commands)+1 {
		t.Errorf("%d operations, want %d", len(*seen), len(commands)+1)
	}
	for _, o := range *seen {
		if o.Sample.Stretch%2 != 1 || o.Sample.Alone {
			t.Errorf("%s: %+v", o.Command, o.Sample)
		}
	}
}

// A request of which the reply cannot be told from others is decoded.
func TestRepliesThatNeverCame(t *testing.T) {
	l, s, seen := sampled(t, 1)
	send(s, 1, 0, find("orders"))
	send(s, 2, 0, find("orders")) // alone
	for id := range int32(2 * maxSkips) {
		s.Client(opMsg(100+id, 0, 0, find("orders")))
	}
	if got := l.stats.Sampled.Load(); got != maxSkips {
		t.Errorf("%d left out, with room for %d", got, maxSkips)
	}
	for id := range int32(2 * maxSkips) {
		s.Server(opMsg(id, 100+id, 0, cursorReply("firstBatch", 0)))
	}
	l.drain()
	if c := l.stats.Coverage(); c.RepliesUnpaired != 0 || c.Ratio != 1 || l.pending.used != 0 {
		t.Errorf("coverage %+v", c)
	}
	if got := weight(*seen, "orders"); got != 2*maxSkips+2 {
		t.Errorf("%d operations, want %d", got, 2*maxSkips+2)
	}
	for i := range int32(3 * maxSkips) { // unacknowledged: no reply to note
		send(s, 1000+i, wire.MoreToCome, find("orders"))
	}
	if got := l.stats.Sampled.Load(); got != 4*maxSkips {
		t.Errorf("%d left out", got)
	}
}

// However the bytes come, the same is decoded and nothing else is kept.
func TestSamplingInPieces(t *testing.T) {
	long := cursorReply("firstBatch", 0, bson.D{{Key: "text", Value: string(bytes.Repeat([]byte("x"), 5000))}})
	for _, size := range []int{1, 7, 20, 5000} {
		l, s, seen := sampled(t, 1)
		for id := range int32(20) {
			for c := range slices.Chunk(opMsg(id, 0, 0, find("orders")), size) {
				s.Client(c)
			}
			for c := range slices.Chunk(opMsg(100+id, id, 0, long), size) {
				s.Server(c)
				if held := s.half[FromServer].framer.Buffered(); id > 2 && held > 64 {
					t.Fatalf("%d bytes kept of a reply nobody wants", held)
				}
			}
		}
		l.drain()
		if len(*seen) != 2 || l.stats.Coverage().RepliesUnpaired != 0 || !s.Idle() {
			t.Errorf("pieces of %d: %d operations, %+v", size, len(*seen), l.stats.Coverage())
		}
	}
}

func TestCompressedRequestsAreSampled(t *testing.T) {
	l, s, seen := sampled(t, 3)
	for id := range int32(20) {
		s.Client(compressed(opMsg(id, 0, 0, find("orders"))))
		s.Server(compressed(opMsg(100+id, id, 0, cursorReply("firstBatch", 0))))
	}
	l.drain()
	if len(*seen) != 4 || l.stats.Sampled.Load() != 16 {
		t.Errorf("%d decoded, %d left out", len(*seen), l.stats.Sampled.Load())
	}
	if c := l.stats.Coverage(); c.Ratio != 1 || c.RepliesUnpaired != 0 || l.pending.used != 0 {
		t.Errorf("coverage %+v", c)
	}
}

// When there is no room, operations are shed whole, and counted by their shape.
func TestPressureShedsWholeOperations(t *testing.T) {
	var seen []*op.Operation
	l := newLive(40_000, func(o *op.Operation) { seen = append(seen, o) })
	s := l.stream(1)
	for id := range int32(500) { // nobody drains
		send(s, id, 0, find("orders"))
	}
	l.drain()
	c := l.stats.Coverage()
	if c.RepliesUnpaired != 0 || c.RequestsUnanswered != 0 || c.Shed["queue_full"] != 2*c.Recognised || c.Recognised == 0 || c.Ratio > 0.5 {
		t.Errorf("coverage %+v", c)
	}
	send(s, 1000, 0, find("orders"))
	l.drain()
	if last := seen[len(seen)-1].Sample; last.Weight != 1+c.Recognised || last.Stretch == seen[0].Sample.Stretch {
		t.Errorf("after %d were shed: %+v, before %+v", c.Recognised, last, seen[0].Sample)
	}
}

func TestOperationsLostForWantOfRoomEndTheStretch(t *testing.T) {
	l, s, _ := sampled(t, 0)
	before := l.queue.sampler.now()
	l.queue.max = 0
	send(s, 1, 0, bson.D{{Key: "hello", Value: 1}, {Key: "$db", Value: "admin"}})
	if after := l.queue.sampler.now(); after.Stretch == before.Stretch {
		t.Errorf("the stretch goes on: %+v", after)
	}
	if l.queue.max = 1 << 20; l.stats.Shed[0].Load() != 2 {
		t.Errorf("%d messages shed, want the request and its reply", l.stats.Shed[0].Load())
	}
}

func TestShapeTable(t *testing.T) {
	var s shapeTable
	first := s.find(1, 0)
	first.owed.Store(3)
	for i := uint64(1); i < shapeTry; i++ { // fill its neighbourhood
		if s.find(1+i*maxShapes, 0) == nil {
			t.Fatalf("no place for shape %d", i)
		}
	}
	if s.find(1, 0) != first || first.owed.Load() != 3 {
		t.Error("a shape has two places")
	}
	const late = 1 + shapeTry*maxShapes
	if s.find(late, shapeRest) != nil {
		t.Error("a place where there is none")
	}
	if got := s.find(late, shapeRest+1); got == nil || got.owed.Load() != 0 || s.find(late, shapeRest+1) != got {
		t.Error("a place that nobody used for long is not given away")
	}
	if !first.firstOf(7) || first.firstOf(7) || !first.firstOf(8) {
		t.Error("the first of a gap is not told from others")
	}
}
