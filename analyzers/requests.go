package analyzers

import (
	"strings"

	"go.mongodb.org/mongo-driver/v2/x/bsonx/bsoncore"

	"mongoadvisor/internal/analysis"
	"mongoadvisor/internal/op"
	"mongoadvisor/internal/sketch"
)

// judgeGroup judges queries whose values come from nowhere.
func judgeGroup(p *analysis.Pass, t *trail) {
	group := t.group(p.Op)
	unlinked := p.Limit("unlinked")
	if group == 0 && unlinked == 0 {
		return
	}
	s := &p.Op.Statements()[0]
	conditions, n := askedFor(p.Op)
	if n != 1 || predicates(p.Op) != 1 {
		return
	}
	asked := conditions[0]
	k := burstKey{group: group, query: s.ShapeID()}
	b := t.burstOf(k)
	if p.Op.Time.Sub(b.last) > burstTime {
		*b = burst{key: k, writes: p.Env.Traffic(s.NS).Writes}
	}
	place, ok := b.place(asked.Value)
	if !ok {
		return
	}
	b.add(p.Op, place)
	limit := p.Limit("burst")
	if group == 0 {
		limit = unlinked
	}
	var f analysis.Finding
	switch {
	case b.told != 0:
		return
	case b.together() >= limit:
		b.told |= toldBurst
		f = fanOut(p, b, asked.Field)
	case group != 0 && int64(b.seen[place]) >= p.Limit("duplicate") && b.last.Sub(b.first) <= burstTime && b.stretch == p.Op.Sample.Stretch && b.writes == p.Env.Traffic(s.NS).Writes:
		b.told |= toldDuplicate
		f = duplicates(p, b, asked.Field)
	default:
		return
	}
	if group != 0 {
		f.Confidence = analysis.Observed
	} else {
		f.Severity, f.Override = analysis.Info, true
	}
	p.Report(f)
}

// predicates counts the conditions of a query.
func predicates(o *op.Operation) (n int) {
	for range (op.Filter{Doc: firstFilter(o)}).Predicates() {
		n++
	}
	return n
}

// traces remembers, for each kind of comment that carries an identifier, the
// comments of that kind: when they differ they name requests, and else a build.
type traces map[uint64]*sketch.Set

// maxTraces bounds the kinds of comments, and variants is how many of one must
// have been seen.
const (
	maxTraces = 64
	variants  = 3
)

// group is what a query belongs to beside its values: the transaction, or the
// request that its comment names. 0 when it names none.
func (t *trail) group(o *op.Operation) uint64 {
	if o.Session.InTxn {
		return op.HashString("txn") ^ o.Session.ID ^ uint64(o.Session.Txn)<<1
	}
	if !strings.Contains(o.Comment, "<id>") {
		return 0
	}
	kind := op.HashString(o.Comment)
	known, ok := t.traces[kind]
	if !ok {
		if len(t.traces) >= maxTraces {
			return 0
		}
		known = sketch.NewSet(variants)
		t.traces[kind] = known
	}
	this := op.Hash(op.Get(o.Body, "comment"))
	known.Add(this)
	if known.Len() < variants {
		return 0
	}
	return this
}

// place is the number of a value of a group, by which its queries are counted.
func (b *burst) place(v bsoncore.Value) (uint16, bool) {
	if b.places == nil {
		b.places = map[uint64]uint16{}
	}
	h := op.Hash(v)
	at, ok := b.places[h]
	if !ok {
		if at = uint16(len(b.places)); at >= maxBurst {
			return 0, false
		}
		b.places[h] = at
	}
	return at, true
}
