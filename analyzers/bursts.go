package analyzers

import (
	"time"

	"mongoadvisor/internal/analysis"
	"mongoadvisor/internal/op"
	"mongoadvisor/internal/sketch"
)

// burstTime is how close together the queries of one burst are: each counts with
// those of the second before it.
const burstTime = time.Second

// maxBursts bounds the bursts that are followed of one client, the oldest going
// first; maxBurst the different values of one.
const (
	maxBursts = 64
	maxBurst  = maxPathValues
)

// burstKey is what makes queries one burst: the path of a reply that their values
// come from, or else a group (a transaction, a request that the comment names),
// and the query without its value.
type burstKey struct {
	read  uint32
	path  uint16
	group uint64
	query uint64
}

// burst are queries that differ in one value only.
type burst struct {
	key       burstKey
	from      *space // nil for a group
	path      string
	seen      [maxBurst]uint8 // queries for each of the values
	distinct  int
	low, high int // of the values' places among those of the reply
	reads     int
	first     time.Time   // query
	last      time.Time   // query
	times     []time.Time // of the first query for each value, within burstTime
	latency   time.Duration
	writes    int64             // of the collection, when it began
	places    map[uint64]uint16 // of a group: the values, by hash
	stretch   uint64            // of the traffic, of the first query
	told      told
}

// told is what was said of a burst.
type told uint8

const (
	toldBurst told = 1 << iota
	toldHigh
	toldDuplicate
)

// count adds a query to its burst.
func (t *trail) count(p *analysis.Pass, child *space) {
	l := t.link
	query := p.Op.ShapeID()
	rateOf(t.asked, query).Add(p.Op.Time, 1)
	if l == nil {
		return
	}
	query ^= op.HashString(l.Field)
	rateOf(t.linked, sourceKey{query, l.From.space, l.Use.path}).Add(p.Op.Time, 1)
	b := t.burstOf(burstKey{read: l.From.serial, path: l.Use.path, query: query})
	if b.reads == 0 {
		b.from, b.path, b.writes = l.From.space, l.Path, p.Env.Traffic(child.ns).Writes
	}
	b.add(p.Op, l.At)
	t.burst = b
}

// sourceKey is a query and the place in replies that its values come from.
type sourceKey struct {
	query uint64
	from  *space
	path  uint16
}

// maxRates bounds the rates of one kind; then they begin anew.
const maxRates = 128

func rateOf[K comparable](rates map[K]*sketch.Rate, key K) *sketch.Rate {
	r, ok := rates[key]
	if !ok {
		if len(rates) >= maxRates {
			clear(rates)
		}
		r = sketch.NewRate(burstTime)
		rates[key] = r
	}
	return r
}

// matched is how many percent of the queries like this one, within the last
// second, ask for values from the same place.
func (t *trail) matched(o *op.Operation) int64 {
	query := o.ShapeID()
	linked := rateOf(t.linked, sourceKey{query ^ op.HashString(t.link.Field), t.link.From.space, t.link.Use.path})
	return percent(linked.Count(o.Time), rateOf(t.asked, query).Count(o.Time))
}

// burstOf finds or makes a burst.
func (t *trail) burstOf(k burstKey) *burst {
	if b, ok := t.bursts[k]; ok {
		return b
	}
	if len(t.order) >= maxBursts {
		delete(t.bursts, t.order[0])
		t.order = t.order[1:]
	}
	b := &burst{key: k}
	t.bursts[k] = b
	t.order = append(t.order, k)
	return b
}

// add counts a query for the value at a place.
func (b *burst) add(o *op.Operation, place uint16) {
	if b.reads == 0 {
		b.first, b.low, b.high, b.stretch = o.Time, int(place), int(place), o.Sample.Stretch
	}
	b.reads++
	b.latency += o.Latency
	if o.Time.After(b.last) {
		b.last = o.Time
	}
	if b.seen[place] < 255 {
		b.seen[place]++
	}
	if b.seen[place] > 1 {
		return
	}
	b.distinct++
	b.low, b.high = min(b.low, int(place)), max(b.high, int(place))
	b.times = append(b.times, o.Time)
	for len(b.times) > 0 && b.last.Sub(b.times[0]) > burstTime {
		b.times = b.times[1:]
	}
}

// together is how many different values were asked for within burstTime.
func (b *burst) together() int64 { return int64(len(b.times)) }

// share is how many percent of the values between the first and the last one
// asked for were asked for: a loop takes them in order, and people pick.
func (b *burst) share() int64 {
	if b.distinct == 0 {
		return 0
	}
	return int64(100 * b.distinct / (b.high - b.low + 1))
}
