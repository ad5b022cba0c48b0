package session

import (
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/x/bsonx/bsoncore"

	"mongoadvisor/analyzers"
	"mongoadvisor/internal/engine"
	"mongoadvisor/internal/op"
	"mongoadvisor/internal/store"
)

// cleanWork are operations of an application that nothing is to be said of, in
// the shapes that most traffic has.
func cleanWork() map[string]op.Operation {
	id := bsoncore.AppendObjectIDElement(nil, "_id", [12]byte{1})
	filter := bsoncore.AppendDocumentElement(nil, "filter", doc(id))
	order := doc(id, bsoncore.AppendStringElement(nil, "status", "paid"), bsoncore.AppendInt32Element(nil, "total", 5), bsoncore.AppendDateTimeElement(nil, "at", 5), bsoncore.AppendObjectIDElement(nil, "customerId", [12]byte{2}))
	of := func(command string, reply op.Reply, elements ...[]byte) op.Operation {
		o := op.Operation{
			Latency: 300 * time.Microsecond, Has: op.HasTraffic, Conn: &op.Conn{ID: 1, App: "shop", Client: "10.0.0.1:5", Handshake: true},
			NS: op.Namespace{DB: "shop", Coll: "orders"}, Bytes: 200, Reply: reply,
			Body: doc(append([][]byte{bsoncore.AppendStringElement(nil, command, "orders")}, elements...)...),
		}
		o.Command, o.Kind = op.Command(command)
		o.Reply.Seen, o.Reply.OK, o.Reply.Returned, o.Reply.Bytes = true, true, len(reply.Docs), 300
		return o
	}
	set := doc(bsoncore.AppendDocumentElement(nil, "$set", doc(bsoncore.AppendStringElement(nil, "status", "sent"))))
	list := doc(bsoncore.AppendObjectIDElement(nil, "customerId", [12]byte{2}))
	update := of("update", op.Reply{N: 1, Modified: 1})
	update.Seqs = []op.Sequence{{Name: "updates", Docs: []bsoncore.Document{doc(bsoncore.AppendDocumentElement(nil, "q", doc(id)), bsoncore.AppendDocumentElement(nil, "u", set))}}}
	insert := of("insert", op.Reply{N: 1})
	insert.Seqs = []op.Sequence{{Name: "documents", Docs: []bsoncore.Document{order}}}
	return map[string]op.Operation{
		"find one":  of("find", op.Reply{Docs: []bsoncore.Document{order}}, filter, bsoncore.AppendInt32Element(nil, "limit", 1)),
		"find list": of("find", op.Reply{Docs: []bsoncore.Document{order, order, order, order, order}}, bsoncore.AppendDocumentElement(nil, "filter", list), bsoncore.AppendInt32Element(nil, "limit", 20)),
		"update":    update,
		"insert":    insert,
	}
}

// cleanEngine judges an operation again and again, its clock going on.
func cleanEngine(work op.Operation, step time.Duration) func() {
	e := engine.New(engine.Config{Rules: analyzers.All(), Recorder: store.New(store.Config{Profile: store.Staging})})
	rooms := [2]*op.Operation{{}, {}} // a rule may remember the operation before
	now, n := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC), 0
	return func() {
		n++
		now = now.Add(step)
		*rooms[n%2] = work
		rooms[n%2].Time = now
		e.Judge(rooms[n%2])
	}
}

// TestKnownShapesAllocateNothing: an operation of a shape that was seen before, and
// of which nothing is to be said, costs no memory whatever rule looks at it.
func TestKnownShapesAllocateNothing(t *testing.T) {
	for name, work := range cleanWork() {
		judge := cleanEngine(work, time.Minute)
		for range 1000 {
			judge()
		}
		if n := testing.AllocsPerRun(1000, judge); n != 0 {
			t.Errorf("%s: %v allocations", name, n)
		}
	}
}

// BenchmarkClean is what every rule and the store cost for the shapes that most
// traffic has.
//
//	go test ./internal/session -run '^$' -bench Clean -benchmem
func BenchmarkClean(b *testing.B) {
	for name, work := range cleanWork() {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			judge, before := cleanEngine(work, time.Minute), cpuTime()
			n := 0
			for b.Loop() {
				judge()
				n++
			}
			b.ReportMetric(float64(cpuTime()-before)/float64(n), "cpu-ns/op")
		})
	}
}
