package analyzers

import (
	"time"

	"mongoadvisor/internal/op"
	"mongoadvisor/internal/sketch"
)

// pairKey is a field of one collection whose value another one is asked for.
type pairKey struct {
	from, child *space
	path        uint16
	field       uint64
}

// maxPairs bounds the pairs followed of one client, pairValues the different
// values of one.
const (
	maxPairs   = 64
	pairValues = 256
)

// pairTime is how soon a query follows when the two are read together.
const pairTime = time.Second

// pairCalls is how many reads of the client later, when the value is a number or
// a short string: these agree by chance now and then.
const pairCalls = 4

// pair are two queries for one document each, the second for a value of the
// first one's reply.
type pair struct {
	recent  *sketch.Rate // pairs of the last minute
	pairs   int64
	queries int64 // second ones: a pair may have two
	values  *sketch.Set
	repeats int64 // of values, while there is room for new ones
	many    bool  // the second query has brought several documents: they are no part of the first
	bytes   int   // of the largest second reply
	latency time.Duration
}

func newPairs() *recent[pairKey, *pair] {
	return newRecent(maxPairs, ownedKey[pairKey], func() *pair { return &pair{recent: sketch.NewRate(time.Minute), values: sketch.NewSet(pairValues)} })
}

// together notes the second query of a pair. It returns nil when the last
// operation was none.
func (t *trail) together(o *op.Operation) *pair {
	l := t.link
	if l == nil || l.From.space == l.Child {
		return nil
	}
	l.Child.linked.Add(o.Time, 1)
	if l.From.docs > 2 || l.From.space.ns.DB != l.Child.ns.DB {
		return nil
	}
	if l.Gap > pairTime || !l.Sure && t.calls-l.From.call > pairCalls || !o.Reply.Seen || !o.Reply.OK {
		return nil
	}
	k := pairKey{l.From.space, l.Child, l.Use.path, op.HashString(l.Field)}
	p := t.pairs.at(k)
	p.many = p.many || o.Reply.Returned > 1
	p.bytes = max(p.bytes, o.Reply.Bytes)
	p.queries++
	p.latency += o.Latency
	if o.Reply.Returned != 1 || !l.From.pairWith(p) {
		return nil // nothing came, or it is one more for the same document
	}
	p.pairs++
	p.recent.Add(o.Time, 1)
	if !p.values.Full() && !p.values.Add(l.Value) {
		p.repeats++
	}
	return p
}

// pairWith notes that a read is the first of a pair. It reports whether it was
// none before; there is room for few.
func (r *read) pairWith(p *pair) bool {
	for i := range r.pairs {
		if r.pairs[i] == nil {
			r.pairs[i] = p
			return true
		}
		if r.pairs[i] == p {
			return false
		}
	}
	return false
}

// separate reports whether what the second query reads could stand in the
// documents of the first: one document for each, seldom the same.
func (p *pair) separate(shared int64) bool {
	seen := int64(p.values.Len()) + p.repeats
	return !p.many && p.queries <= 2*p.pairs && p.repeats*100 <= shared*seen
}
