package analyzers

import (
	"time"

	"go.mongodb.org/mongo-driver/v2/x/bsonx/bsoncore"

	"mongoadvisor/internal/analysis"
	"mongoadvisor/internal/op"
	"mongoadvisor/internal/sketch"
)

// How much is remembered of one client, all connections of its pool together.
// What is older than remembered is as if it was never read.
const (
	maxTrails       = 128
	maxTracedReads  = 256  // replies
	maxTracedValues = 4096 // values in them
	maxSpaces       = 256  // collections
	maxPaths        = 1024
	maxPathsRead    = 32  // paths of one reply
	maxPathValues   = 256 // different values of one path of one reply
	maxTracedDocs   = 64  // of one batch: as many as make a burst high, and some
	maxDocFields    = 64
	maxReference    = 64 // bytes of a string that refers to something
)

// memory is how long after a reply a value that it carried still explains a query.
const memory = 5 * time.Second

// trail is what one client was told of late, and what it asked next: where the
// values of its queries come from. The rules that read it share it.
type trail struct {
	last uint64 // serial number of the operation taken in last
	link *link  // where its value comes from, nil when nobody knows
	read *read  // what its reply is remembered as, nil when it brought nothing
	// burst is what it adds to: the queries made out of the same reply.
	burst *burst

	spaces map[op.Namespace]*space
	paths  []string
	byHash map[uint64]uint16 // path, by its hash
	scores map[relation]int8

	reads  [maxTracedReads]read // ring, by serial
	serial uint32
	calls  uint64 // operations taken in
	// stretch is that of the traffic.
	stretch stretch
	values  values
	walker  op.Walker

	asked  map[uint64]*sketch.Rate // queries, by shape
	linked map[sourceKey]*sketch.Rate
	bursts map[burstKey]*burst
	order  []burstKey // of bursts, oldest first
	traces traces
	pairs  *recent[pairKey, *pair]
	walks  map[*space]*walks
	nested map[*space]*nested
	kids   map[placeKey]*kids
}

// space is a collection as a client uses it.
type space struct {
	ns    op.Namespace
	base  string       // its name without the plural, in lower case
	reads *sketch.Rate // queries of the last minute
	// linked are those for a value of the reply to another collection's.
	linked  *sketch.Rate
	traced  map[uint16]*tracing // by path
	replies uint32
	links   []string // fields of its documents that hold what queries asked for
}

// tracing is what came of remembering the values at one path of a collection.
type tracing struct {
	replies uint32
	linked  bool // a query asked for one of them
}

// What nothing ever came from is remembered of the first replies, then of one in
// some: most lists, and most fields of the others, are looked at and not followed. Of
// the other replies only the fields are looked at that queries took values from.
const (
	tracedReplies = 64
	tracedOneIn   = 16
)

func traced(replies uint32, linked bool) bool {
	return linked || replies <= tracedReplies || replies%tracedOneIn == 0
}

// trace reports whether the values at a path of this reply are remembered.
func (s *space) trace(path uint16) bool {
	t := s.traced[path]
	if t == nil {
		t = &tracing{}
		s.traced[path] = t // as many as paths, at most
	}
	t.replies++
	return traced(t.replies, t.linked)
}

// read is one query whose reply was seen; its later batches belong to it.
type read struct {
	serial   uint32
	space    *space
	at, last time.Time // when its first and its last batch were there
	call     uint64    // which operation of the client it was
	cursor   int64
	docs     int
	fields   int // of its largest document
	paths    []pathUse
	expected int // place in paths of the next value, if this document is like the last
	// depth is the length of the chain of queries on one collection that led to
	// it, each made out of the reply to the one before; top is the first of them.
	depth  int
	top    uint32
	walked bool     // the chain from here was counted
	pairs  [2]*pair // it was counted in
}

// pathUse is what one reply has at one path.
type pathUse struct {
	hash     uint64 // of the path as it was sent
	path     uint16
	distinct uint16
	rows     uint16
	array    bool // it stands in an array
	skip     bool // its values are not remembered this time
}

func newTrail() *trail {
	return &trail{
		spaces: map[op.Namespace]*space{}, byHash: map[uint64]uint16{}, scores: map[relation]int8{},
		walker: op.Walker{MaxFields: maxDocFields, MaxDepth: 6}, asked: map[uint64]*sketch.Rate{}, linked: map[sourceKey]*sketch.Rate{}, bursts: map[burstKey]*burst{}, traces: traces{},
		pairs: newPairs(), walks: map[*space]*walks{}, nested: map[*space]*nested{}, kids: map[placeKey]*kids{},
	}
}

func trailState() *analysis.StateSpec {
	return &analysis.StateSpec{Scope: analysis.ScopeClient, Max: maxTrails, Shared: "provenance", New: func() any { return newTrail() }}
}

// follow takes an operation in, once however many rules ask.
func follow(p *analysis.Pass) *trail {
	t := p.State().(*trail)
	if t.last == p.Serial {
		return t
	}
	if len(t.spaces) >= maxSpaces || len(t.paths) >= maxPaths {
		*t = *newTrail() // a client of many tenants: what was learnt of the first ones goes
	}
	if t.stretch.broken(p) {
		t.interrupt()
	}
	t.last, t.link, t.read, t.burst = p.Serial, nil, nil, nil
	t.calls++
	switch p.Op.Command {
	case "find", "aggregate":
		s := t.space(p.Op.Statements()[0].NS)
		if s == nil {
			return t
		}
		s.reads.Add(p.Op.Time, 1)
		if t.ask(p.Op, s) {
			t.count(p, s)
		}
		t.learn(p.Op, s, 0)
	case "getMore":
		if p.Op.Origin == nil {
			return t
		}
		if s := t.space(p.Op.Origin.NS); s != nil {
			cursor, _ := op.Int(op.Get(p.Op.Body, "getMore"))
			t.learn(p.Op, s, cursor)
		}
	}
	return t
}

// interrupt forgets all replies: a value in one of them may have stood in another
// one since, and a query for it is not the next thing that the client did. Their
// cursors stay known, since later batches are no new lists.
func (t *trail) interrupt() {
	for i := range t.reads {
		t.reads[i].serial = 0
	}
}

// space finds or makes what is known of a collection; nil when there are too many.
func (t *trail) space(ns op.Namespace) *space {
	if s, ok := t.spaces[ns]; ok {
		return s
	}
	if len(t.spaces) >= maxSpaces || ns.Coll == "" {
		return nil
	}
	ns = cloneNS(ns)
	s := &space{ns: ns, base: stem(ns.Coll), reads: sketch.NewRate(time.Minute), linked: sketch.NewRate(time.Minute), traced: map[uint16]*tracing{}}
	t.spaces[ns] = s
	return s
}

// learn remembers what a reply carries.
func (t *trail) learn(o *op.Operation, s *space, cursor int64) {
	if !o.Reply.Seen || !o.Reply.OK || len(o.Reply.Docs) == 0 {
		return
	}
	at := o.Time.Add(o.Latency)
	r := t.opener(cursor)
	if r != nil && r.serial == 0 {
		return // forgotten
	}
	if r == nil {
		r = t.next()
		r.space, r.at, r.cursor, r.depth, r.top, r.call = s, at, cursor, 1, r.serial, t.calls
		if cursor == 0 {
			r.cursor = o.Reply.CursorID
		}
		if t.link != nil && t.link.step() {
			r.depth, r.top = t.link.From.depth+1, t.link.From.top
		}
	}
	if at.After(r.last) {
		r.last = at
	}
	t.read = r
	s.replies++
	full := traced(s.replies, false)
	if !full && len(s.links) == 0 {
		return
	}
	docs := o.Reply.Docs[:min(len(o.Reply.Docs), maxTracedDocs)]
	r.docs += len(docs)
	if !full {
		t.learnLinked(r, s, docs)
		return
	}
	for _, d := range docs {
		r.expected = 0
		fields := 0
		t.walker.Walk(d, func(w *op.Walker, v bsoncore.Value) {
			if len(w.Keys()) == 1 {
				fields++
			}
			t.keep(r, w, v)
		})
		r.fields = max(r.fields, fields)
	}
}

// learnLinked remembers the values of the fields that queries took values from.
func (t *trail) learnLinked(r *read, s *space, docs []bsoncore.Document) {
	r.fields = max(r.fields, op.Len(bsoncore.Value{Type: bsoncore.TypeEmbeddedDocument, Data: docs[0]}))
	for _, d := range docs {
		r.expected = 0
		for _, field := range s.links {
			if v := op.Get(d, field); v.Type != 0 {
				t.walker.WalkField(field, v, func(w *op.Walker, v bsoncore.Value) { t.keep(r, w, v) })
			}
		}
	}
}

// opener is the read whose cursor it is, nil when that is not remembered.
func (t *trail) opener(cursor int64) *read {
	if cursor == 0 {
		return nil
	}
	for i := range t.reads {
		if r := &t.reads[i]; r.cursor == cursor {
			return r
		}
	}
	return nil
}

// next makes room for one more read.
func (t *trail) next() *read {
	t.serial++
	r := &t.reads[t.serial%maxTracedReads]
	*r = read{serial: t.serial, paths: r.paths[:0]}
	return r
}

// readOf finds a read by its serial number, nil when it is forgotten, or another
// took its place or is the next to take it.
func (t *trail) readOf(serial uint32) *read {
	if r := &t.reads[serial%maxTracedReads]; r.serial == serial && t.serial-serial < maxTracedReads-1 {
		return r
	}
	return nil
}
