package session

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/x/bsonx/bsoncore"

	"mongoadvisor/analyzers"
	"mongoadvisor/internal/engine"
	"mongoadvisor/internal/op"
	"mongoadvisor/internal/store"
)

// randomTraffic makes operations whose collections, fields, ids, shapes and
// applications never repeat for long: the worst that bounded state can meet.
type randomTraffic struct {
	r   *rand.Rand
	now time.Time
	n   uint64
}

func (t *randomTraffic) name(prefix string) string {
	return fmt.Sprintf("%s%x", prefix, t.r.Uint32())
}

func (t *randomTraffic) oid(key string, b []byte) []byte {
	var id [12]byte
	for i := range id {
		id[i] = byte(t.r.Uint32())
	}
	return bsoncore.AppendObjectIDElement(b, key, id)
}

func doc(elements ...[]byte) bsoncore.Document { return bsoncore.BuildDocument(nil, elements...) }

// next is one random operation with its reply.
func (t *randomTraffic) next() *op.Operation {
	t.n++
	t.now = t.now.Add(time.Duration(t.r.IntN(2000)) * time.Microsecond)
	app := fmt.Sprintf("app-%d", t.r.IntN(5000))
	o := &op.Operation{
		Time: t.now, Latency: time.Duration(t.r.IntN(300)) * time.Millisecond, Has: op.HasTraffic,
		Conn: &op.Conn{ID: uint64(t.r.IntN(1_000_000)), App: app, Client: fmt.Sprintf("10.%d.%d.1:1", t.r.IntN(200), t.r.IntN(200)), Handshake: true},
		NS:   op.Namespace{DB: fmt.Sprintf("db%d", t.r.IntN(3000)), Coll: t.name("c")}, Bytes: 200,
		Reply: op.Reply{Seen: true, OK: true, N: 1, Modified: 1, Bytes: 300},
	}
	switch t.r.IntN(6) {
	case 0:
		filter := doc(bsoncore.AppendRegexElement(nil, t.name("f"), "x", "i"), t.oid("_id", nil))
		t.command(o, "find", bsoncore.AppendDocumentElement(nil, "filter", filter))
		t.found(o)
	case 1:
		push := doc(bsoncore.AppendStringElement(nil, t.name("a"), "v"))
		t.update(o, doc(bsoncore.AppendDocumentElement(nil, "$push", push)))
	case 2:
		set := doc(bsoncore.AppendInt32Element(nil, t.name("m")+"."+t.name("k"), 1))
		t.update(o, doc(bsoncore.AppendDocumentElement(nil, "$inc", set)))
	case 3:
		t.command(o, "insert", nil)
		o.Seqs = []op.Sequence{{Name: "documents", Docs: []bsoncore.Document{doc(t.oid("_id", nil), bsoncore.AppendDateTimeElement(nil, t.name("t"), 1), bsoncore.AppendStringElement(nil, t.name("s"), "x"))}}}
	case 4:
		lookup := doc(bsoncore.AppendStringElement(nil, "from", t.name("c")), bsoncore.AppendStringElement(nil, "localField", t.name("l")),
			bsoncore.AppendStringElement(nil, "foreignField", t.name("f")), bsoncore.AppendStringElement(nil, "as", t.name("as")))
		t.command(o, "aggregate", bsoncore.AppendArrayElement(nil, "pipeline", bsoncore.Array(doc(bsoncore.AppendDocumentElement(nil, "0", doc(bsoncore.AppendDocumentElement(nil, "$lookup", lookup)))))))
		t.found(o)
	case 5:
		t.command(o, "find", bsoncore.AppendDocumentElement(nil, "filter", doc(t.oid(t.name("ref"), nil))))
		o.Reply.CursorID = int64(t.r.Uint64() >> 1)
		t.found(o)
	}
	return o
}

func (t *randomTraffic) command(o *op.Operation, name string, rest []byte) {
	o.Command, o.Kind = op.Command(name)
	o.Body = doc(bsoncore.AppendStringElement(nil, name, o.NS.Coll), rest)
}

func (t *randomTraffic) update(o *op.Operation, change bsoncore.Document) {
	t.command(o, "update", nil)
	statement := doc(bsoncore.AppendDocumentElement(nil, "q", doc(t.oid("_id", nil))), bsoncore.AppendDocumentElement(nil, "u", change))
	o.Seqs = []op.Sequence{{Name: "updates", Docs: []bsoncore.Document{statement}}}
}

// found gives a reply some documents with references in them.
func (t *randomTraffic) found(o *op.Operation) {
	for range 5 {
		o.Reply.Docs = append(o.Reply.Docs, doc(t.oid("_id", nil), t.oid(t.name("r")+"Id", nil), bsoncore.AppendStringElement(nil, t.name("s"), t.name("v"))))
	}
	o.Reply.Returned = len(o.Reply.Docs)
}

// BenchmarkRandomTraffic judges random traffic and reports the heap that is left:
// it must not grow with the number of operations.
//
//	go test ./internal/session -run '^$' -bench RandomTraffic -benchtime 10000000x
func BenchmarkRandomTraffic(b *testing.B) {
	traffic := &randomTraffic{r: rand.New(rand.NewPCG(1, 2)), now: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)}
	st := store.New(store.Config{Profile: store.CI})
	e := engine.New(engine.Config{Rules: analyzers.All(), Recorder: st})
	var tenth, whole float64
	for i := range b.N {
		e.Judge(traffic.next())
		if i == b.N/10 {
			tenth = heapMiB()
		}
	}
	whole = heapMiB()
	b.ReportMetric(tenth, "MiB-after-a-tenth")
	b.ReportMetric(whole, "MiB-at-the-end")
	runtime.KeepAlive(e)
	for _, s := range e.Stats() {
		if s.Panics.Load() > 0 {
			b.Errorf("rule %s panicked %d times", s.ID, s.Panics.Load())
		}
	}
}

func heapMiB() float64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return float64(m.HeapAlloc) / (1 << 20)
}

// TestMemoryIsFlat is the same for what a test run can wait for: the second
// forty thousand operations need hardly more than the first.
func TestMemoryIsFlat(t *testing.T) {
	traffic := &randomTraffic{r: rand.New(rand.NewPCG(3, 4)), now: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)}
	e := engine.New(engine.Config{Rules: analyzers.All(), Recorder: store.New(store.Config{Profile: store.CI, MaxFindings: 1000})})
	var after [3]float64
	for i := range after {
		for range 40_000 {
			e.Judge(traffic.next())
		}
		after[i] = heapMiB()
	}
	if after[2] > after[1]*1.1+4 {
		t.Errorf("heap of %.0f, %.0f and %.0f MiB", after[0], after[1], after[2])
	}
	if after[2] > 256 {
		t.Errorf("%.0f MiB are kept", after[2])
	}
	for _, s := range e.Stats() {
		if s.Panics.Load() > 0 {
			t.Errorf("rule %s panicked %d times", s.ID, s.Panics.Load())
		}
	}
	runtime.KeepAlive(e)
}
