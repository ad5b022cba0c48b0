package analyzers

import (
	"strings"
	"time"

	"go.mongodb.org/mongo-driver/v2/x/bsonx/bsoncore"

	"mongoadvisor/internal/analysis"
	"mongoadvisor/internal/op"
	"mongoadvisor/internal/sketch"
)

// writeBurst is a row of writes on one connection.
type writeBurst struct {
	ns       op.Namespace // its strings are the burst's own
	form     uint64
	start    time.Time // of the current window
	last     time.Time
	writes   int64 // in the current window
	latency  time.Duration
	targets  *sketch.Set // filters after the first, by hash: a counter is no burst
	reported bool
	row      int64 // writes since the row began
	longest  int64 // row on this connection that has ended
	stretch  stretch
}

// maxTargets bounds the filters that are told apart in one burst.
const maxTargets = 128

// add takes a write into the current window.
func (b *writeBurst) add(p *analysis.Pass, s *op.Statement, window time.Duration) {
	if b.writes == 0 || p.Now.Sub(b.start) > window {
		b.start, b.writes, b.latency, b.targets = p.Now, 0, 0, nil
	}
	b.writes++
	b.latency += p.Op.Latency
	if b.writes < 2 || s.Command == "insert" {
		return
	}
	if b.targets == nil {
		b.targets = sketch.NewSet(maxTargets)
	}
	b.targets.Add(op.Hash(bsoncore.Value{Type: bsoncore.TypeEmbeddedDocument, Data: s.Filter}))
}

// others is how many filters there were beside the first.
func (b *writeBurst) others() int64 {
	if b.targets == nil {
		return 0
	}
	return int64(b.targets.Len())
}

// lonely is the only statement of a write that a batch could hold, or nil.
func lonely(o *op.Operation) *op.Statement {
	if o.Kind != op.KindWrite || o.Command == "findAndModify" || o.Session.InTxn || o.Cut {
		return nil
	}
	if !o.Reply.Seen || !o.Reply.OK || o.Reply.Errors > 0 {
		return nil
	}
	if statements := o.Statements(); len(statements) == 1 && !statements[0].Multi {
		return &statements[0]
	}
	return nil
}

func (b *writeBurst) end() {
	b.longest = max(b.longest, b.row)
	b.row, b.writes, b.reported = 0, 0, false
}

// interrupt begins to count anew: something may have come between the writes. When
// their burst was reported it may be the same one that goes on.
func (b *writeBurst) interrupt(now time.Time) {
	b.longest = max(b.longest, b.row)
	b.row, b.writes, b.last = 0, 0, now
}

func (b *writeBurst) begin(s *op.Statement, form uint64) {
	if s.NS != b.ns {
		b.ns = cloned(s.NS)
	}
	b.form = form
}

// formOf hashes the names in a write: cheaper than its shape, and as good for
// telling two that stand next to each other apart.
func formOf(s *op.Statement) uint64 {
	h := op.HashString(s.Command)
	for _, doc := range []bsoncore.Document{s.Filter, s.Update.Operators} {
		for name, v := range op.Fields(doc) {
			h = h*31 + op.HashString(name)
			if strings.HasPrefix(name, "$") {
				for path := range op.Fields(op.Doc(v)) {
					h = h*31 + op.HashString(path)
				}
			}
		}
	}
	return h
}
