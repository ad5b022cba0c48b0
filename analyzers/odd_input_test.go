package analyzers_test

import (
	"math"
	"math/rand/v2"
	"runtime/debug"
	"strings"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/x/bsonx/bsoncore"

	"mongoadvisor/analyzers"
	"mongoadvisor/internal/analysis"
	"mongoadvisor/internal/analysis/analysistest"
	"mongoadvisor/internal/analysis/cases"
	"mongoadvisor/internal/engine"
	"mongoadvisor/internal/op"
	"mongoadvisor/internal/session"
	"mongoadvisor/internal/store"
	"mongoadvisor/wire"
)

// mostRepeats is how often a repeated step of a data file is played with odd
// input: the rest would be more of the same.
const mostRepeats = 8

// TestOddInputHarmsNoRule: the traffic of all data files, with types swapped,
// fields dropped, arrays emptied, numbers huge and negative, replies missing and
// messages cut, in times that jump: no rule panics, whatever it concludes.
func TestOddInputHarmsNoRule(t *testing.T) {
	files, err := analysistest.Files("testdata")
	if err != nil {
		t.Fatal(err)
	}
	odd := &oddity{rand: rand.New(rand.NewPCG(20, 26))}
	operations := 0
	st := store.New(store.Config{Profile: store.CI})
	eng := engine.New(engine.Config{Rules: traced(t, analyzers.All()), Recorder: st})
	judge := func(o *op.Operation) {
		odd.operation(o)
		eng.Judge(o)
		operations++
	}
	for _, path := range files {
		f, err := cases.Load(path)
		if err != nil {
			t.Fatal(err)
		}
		odd.play(f, judge)
	}
	for _, s := range eng.Stats() {
		if n := s.Panics.Load(); n > 0 {
			t.Errorf("rule %s panicked %d times", s.ID, n)
		}
	}
	if n := len(st.Findings()); operations < 5000 || n < 100 {
		t.Errorf("%d operations and %d findings: the input is too odd to reach the rules", operations, n)
	}
}

// traced are rules that say where they panic, the first time each.
func traced(t *testing.T, rules []*analysis.Analyzer) []*analysis.Analyzer {
	for _, a := range rules {
		run, told := a.Run, false
		a.Run = func(p *analysis.Pass) {
			defer func() {
				if v := recover(); v != nil {
					if !told {
						t.Logf("%s: %v\n%s", a.ID, v, debug.Stack())
					}
					told = true
					panic(v)
				}
			}()
			run(p)
		}
	}
	return rules
}

// oddity makes input odd, always the same way.
type oddity struct {
	rand *rand.Rand
	id   int32
	now  time.Time
}

func (x *oddity) oneIn(n int) bool { return x.rand.IntN(n) == 0 }

// play sends a data file through sessions, some messages changed, some cut.
func (x *oddity) play(f *cases.File, judge func(*op.Operation)) {
	stats := &session.Stats{}
	config := session.Config{
		Source: op.SourceProxy, Has: op.HasTraffic, Stats: stats,
		Cursors: session.NewCursors(100, stats), Pending: session.NewPending(1 << 20), Emit: judge,
	}
	sessions := map[string]*session.Session{}
	var open []*session.Session
	start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	x.now = start
	for _, step := range f.Operations {
		if step.At > 0 {
			x.now = start.Add(step.At)
		}
		if step.Nth >= mostRepeats && step.Nth < step.Of-mostRepeats {
			continue
		}
		for range min(step.Repeat, mostRepeats) {
			s := sessions[step.Conn]
			if s == nil {
				s = session.New(config, op.Conn{ID: uint64(len(sessions) + 1), Client: "192.0.2.1:50000"})
				sessions[step.Conn] = s
				open = append(open, s)
			}
			x.send(s, step)
		}
	}
	for _, s := range open {
		s.Close()
	}
}

func (x *oddity) send(s *session.Session, step cases.Step) {
	x.now = x.now.Add(max(step.After, time.Millisecond))
	x.id += 2
	if notice := op.Str(op.Get(step.Command, op.Notice)); notice != "" {
		s.Notice(x.now, op.NoticeKind(notice))
		return
	}
	flags := wire.MsgFlags(0)
	if step.NoReply {
		flags = wire.MoreToCome
	}
	sequences := map[string][]bsoncore.Document{}
	for name, docs := range step.Sequences {
		for _, d := range docs {
			sequences[name] = append(sequences[name], x.document(d, 0))
		}
		if x.oneIn(20) {
			sequences[name] = nil
		}
	}
	s.Request(x.now, x.framed(analysistest.Message(x.id, 0, flags, x.document(step.Command, 2), sequences)))
	if step.NoReply || x.oneIn(20) {
		return
	}
	reply := step.Reply
	if reply == nil {
		reply = bsoncore.BuildDocument(nil, bsoncore.AppendDoubleElement(nil, "ok", 1))
	}
	s.Reply(x.now.Add(step.Latency), x.framed(analysistest.Message(x.id+1, x.id, 0, x.document(reply, 0), nil)))
}

// framed cuts a message out of the stream, now and then one longer than what is kept.
func (x *oddity) framed(raw []byte) wire.Message {
	f := wire.Framer{}
	if x.oneIn(8) {
		f.Limit = 16 + x.rand.IntN(1+len(raw))
	}
	m, _, _ := f.Next(raw)
	return m
}

// operation makes odd what no message can: where an operation comes from and when.
func (x *oddity) operation(o *op.Operation) {
	switch x.rand.IntN(50) {
	case 0:
		o.Conn = nil
	case 1:
		o.Time = o.Time.Add(-time.Duration(x.rand.Int64N(int64(2 * time.Hour))))
	case 2:
		o.Time = time.Unix(x.rand.Int64N(200_000)-100_000, 0)
	case 3:
		o.Latency = time.Duration(x.rand.Int64()) - math.MaxInt64/2
	case 4:
		o.Reply.Returned = -1
	case 5:
		o.Cut = true
	case 6:
		o.Reply.Docs = nil
	case 7:
		o.Has, o.Exec = o.Has|op.HasExec, op.Exec{KeysExamined: x.rand.Int64() - math.MaxInt64/2, DocsExamined: math.MaxInt64, Plan: "COLLSCAN", SortInMemory: true}
	case 8:
		o.Origin = nil
	case 9:
		o.Body = nil
	case 10:
		o.Time = time.Time{}
	case 11:
		o.Reply = op.Reply{Seen: true, OK: x.oneIn(2), Code: int32(x.rand.Uint32()), N: math.MinInt64, Modified: math.MaxInt64, Returned: math.MaxInt32, CursorID: -1, Bytes: -1}
	case 12:
		o.NS = op.Namespace{}
	}
}

// document makes a document odd in one place or three; its first fields keep
// their names, so that a command stays one.
func (x *oddity) document(raw bsoncore.Document, keep int) bsoncore.Document {
	if x.oneIn(3) {
		return raw
	}
	var d bson.D
	if err := bson.Unmarshal(raw, &d); err != nil {
		return raw
	}
	for range 1 + x.rand.IntN(3) {
		d = x.fields(d, keep)
	}
	out, err := bson.Marshal(d)
	if err != nil {
		return raw
	}
	return out
}

func (x *oddity) fields(d bson.D, keep int) bson.D {
	if len(d) == 0 {
		return bson.D{{Key: "a", Value: x.value()}}
	}
	i := x.rand.IntN(len(d))
	whole := i < keep || d[i].Key == "$db"
	switch n := x.rand.IntN(14); {
	case whole && n > 0 || n > 5: // go deeper, and stay out of names most of the time
		if d[i].Key != "$db" {
			d[i].Value = x.inside(d[i].Value)
		}
	case n == 0 && d[i].Key != "$db":
		d[i].Value = x.value()
	case n == 1:
		return append(d[:i:i], d[i+1:]...)
	case n == 2:
		d[i].Key = []string{"", "$", ".", "a..b", "$x", "a.", "_id", strings.Repeat("k", 300), "0"}[x.rand.IntN(9)]
	case n == 3:
		d[i].Value = bson.A{d[i].Value, d[i].Value}
	case n == 4:
		d[i].Value = bson.D{{Key: d[i].Key, Value: d[i].Value}}
	default:
		return append(d, d[i])
	}
	return d
}

// inside makes a value odd somewhere.
func (x *oddity) inside(v any) any {
	switch v := v.(type) {
	case bson.D:
		return x.fields(v, 0)
	case bson.A:
		if len(v) == 0 {
			return bson.A{x.value()}
		}
		i := x.rand.IntN(len(v))
		switch x.rand.IntN(10) {
		case 0:
			return bson.A{}
		case 1:
			return append(v, x.value())
		case 2:
			return v[:i]
		}
		v[i] = x.inside(v[i])
		return v
	}
	return x.value()
}

// value is one that hardly anybody expects.
func (x *oddity) value() any {
	deep := any(int32(1))
	for range 60 {
		deep = bson.D{{Key: "$and", Value: bson.A{deep}}}
	}
	odd := []any{
		nil, "", "$", "$a", "$$", "$$ROOT", "a.b", strings.Repeat("é", 400), int32(-1), int32(0), int64(math.MinInt64), int64(math.MaxInt64),
		math.NaN(), math.Inf(1), math.Inf(-1), 1e300, -0.5, true, false,
		bson.A{},
		bson.D{},
		bson.A{nil},
		bson.A{bson.D{}},
		bson.A{bson.A{}},
		bson.D{{Key: "", Value: nil}},
		bson.D{{Key: "$each", Value: 1}},
		bson.D{{Key: "$eq", Value: bson.D{}}},
		bson.D{{Key: "$in", Value: bson.A{}}},
		bson.D{{Key: "$in", Value: 3}},
		bson.D{{Key: "$elemMatch", Value: bson.A{}}},
		bson.Regex{},
		bson.Regex{Pattern: "(", Options: "i"},
		bson.Binary{Subtype: 4, Data: []byte{1}},
		bson.Binary{Subtype: 6},
		bson.ObjectID{},
		bson.DateTime(math.MinInt64), bson.DateTime(math.MaxInt64),
		bson.MinKey{},
		bson.MaxKey{},
		bson.Undefined{},
		bson.Null{},
		bson.Symbol("x"), bson.JavaScript("x"),
		bson.CodeWithScope{Code: "x", Scope: bson.D{}},
		bson.Timestamp{},
		bson.NewDecimal128(1, 1),
		bson.DBPointer{DB: "x"},
		deep,
	}
	return odd[x.rand.IntN(len(odd))]
}
