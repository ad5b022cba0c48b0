package session

import (
	"sync/atomic"
	"time"

	"mongoadvisor/internal/op"
	"mongoadvisor/wire"
)

// DefaultFullRate is how many operations of each second are decoded and shown to
// every rule, unless configured. They take about 10 µs each (docs/performance.md),
// so 2 % of a processor in all, whatever the load.
const DefaultFullRate = 2000

// sampler decides which operations are decoded. Those that the rate has room for
// are: the first of each second, of all connections, so that what rules see is a
// stretch without holes. Of the others the shape is recognised, and counted, by one
// walk over the request; what is not decoded is credited to the next operation of
// its shape that is. The first of a shape in each gap is decoded, too, for rules
// that judge it by itself: a shape that is new is not missed.
//
// Only reads and writes are sampled. Safe for concurrent use; an operation costs one
// atomic addition, and one more for its shape in a gap.
type sampler struct {
	rate uint64 // operations of a second; 0: all
	// state is the number of gaps so far, and the operations since the last roll.
	state   atomic.Uint64
	every   atomic.Int64 // of how many operations one is in a stretch
	sampled atomic.Bool  // there has been a gap: shapes may be owed something
	alone   atomic.Int64 // operations that may still be decoded in this gap
	shapes  shapeTable
}

const (
	gapShift  = 32
	countMask = 1<<gapShift - 1
	// maxAlone is how many operations are decoded in one gap beside the stretch.
	maxAlone = 500
	// rollEvery is how often a stretch may begin.
	rollEvery = time.Second
)

func newSampler(rate int) *sampler {
	s := &sampler{rate: uint64(max(rate, 0))}
	s.every.Store(1)
	s.alone.Store(maxAlone)
	s.shapes.init()
	return s
}

// verdict says what becomes of a request.
type verdict struct {
	decode bool
	sample op.Sample
}

// admit decides on a request. pressed says that there is no room for more, whatever
// the rate; must, that this one cannot be left out.
func (s *sampler) admit(m *wire.Message, pressed, must bool) verdict {
	if !sampleable(m) {
		return verdict{true, s.now()}
	}
	state := s.state.Add(1)
	gap := pressed || s.rate > 0 && state&countMask > s.rate
	if !s.sampled.Load() {
		if !gap {
			return verdict{true, op.Sample{Stretch: stretch(state>>gapShift, false)}}
		}
		s.sampled.Store(true)
	}
	shape := s.shapes.find(recognise(s.shapes.seed, m), uint32(state>>gapShift))
	v := verdict{sample: op.Sample{Stretch: stretch(state>>gapShift, gap), Every: s.every.Load()}}
	switch {
	case !gap:
		v.decode, v.sample.Weight = true, v.sample.Every
	case must, !pressed && shape != nil && shape.firstOf(uint32(state>>gapShift)) && s.alone.Add(-1) >= 0:
		v.decode, v.sample.Alone = true, true
	case shape != nil:
		shape.owed.Add(1)
	}
	if pressed {
		s.hole()
	}
	if v.decode && shape != nil {
		v.sample.Weight = 1 + shape.owed.Swap(0)
	}
	return v
}

// now is what a command belongs to that is never left out.
func (s *sampler) now() op.Sample {
	state := s.state.Load()
	gap := s.rate > 0 && state&countMask > s.rate
	return op.Sample{Stretch: stretch(state>>gapShift, gap), Every: s.every.Load()}
}

// stretch numbers stretches evenly and the gaps behind them oddly.
func stretch(gaps uint64, gap bool) uint64 {
	n := 2 * gaps
	if gap {
		n++
	}
	return n
}

// hole ends the stretch: something was lost.
func (s *sampler) hole() { s.state.Add(1 << gapShift) }

// roll begins a stretch if there is a gap, and the next second in any case.
func (s *sampler) roll() {
	for {
		state := s.state.Load()
		count, next := state&countMask, state&^countMask
		every := int64(1)
		if s.rate > 0 && count > s.rate {
			next += 1 << gapShift
			every = int64((count + s.rate/2) / s.rate)
		}
		if s.state.CompareAndSwap(state, next) {
			s.every.Store(every)
			s.alone.Store(maxAlone)
			return
		}
	}
}

// busy reports whether there has been anything since the last roll.
func (s *sampler) busy() bool { return s.state.Load()&countMask > 0 }
