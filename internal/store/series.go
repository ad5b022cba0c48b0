package store

import (
	"math"
	"time"

	"mongoadvisor/internal/analysis"
)

// Series is how a finding, or the whole traffic, went over time, by the
// traffic's clock.
type Series struct {
	Start time.Time     // of the first point
	Width time.Duration // of each point; the next begins where one ends
	// Figure names the evidence whose values the points have; "" when there is none.
	Figure    string
	Points    []Point // at most maxBuckets
	Latencies []Bar   // how many took how long, all points together; nil without latencies
}

// Point is one stretch of a series.
type Point struct {
	Count   int64
	Slowest time.Duration // 0 when no latency is known
	Value   int64         // the highest of the figure; 0 when it was not seen
}

// Bar is one bar of a histogram of latencies: its upper edge, and how many are
// below it and above the one before.
type Bar struct {
	UpTo  time.Duration
	Count int64
}

// maxBuckets bounds a series: with 16 bytes each, one finding's takes 768 at most.
const maxBuckets = 48

// widths are what a bucket may span. Each is a multiple of the one before, so that
// buckets can be joined and the result is what the wider ones would have counted.
var widths = []time.Duration{
	100 * time.Millisecond, 200 * time.Millisecond, time.Second, 2 * time.Second, 10 * time.Second, 30 * time.Second,
	time.Minute, 2 * time.Minute, 10 * time.Minute, 30 * time.Minute, time.Hour, 2 * time.Hour, 6 * time.Hour, 12 * time.Hour, 24 * time.Hour,
}

// series counts by time in buckets, which are joined when they would be too many.
// They begin at multiples of their width since 1970, and hold sums and maxima: the
// order in which things come does not matter.
type series struct {
	width   time.Duration
	first   int64 // the first bucket's time in widths since 1970
	buckets []bucket
	figure  string
}

// bucket is what is kept of one stretch of time. What does not fit stays at the
// highest that does.
type bucket struct {
	count   uint32
	slowest uint32 // microseconds
	value   int64
}

// end is a day in 2242: a later time is a wrong one, and no number of nanoseconds.
const end = 1 << 33

// add counts. A time that is not known, or wrong beyond doubt, is left out.
func (s *series) add(at time.Time, count int64, latency time.Duration, value int64) {
	if at.Unix() <= 0 || at.Unix() > end {
		return
	}
	if s.width == 0 {
		s.width = widths[0]
	}
	for {
		i := s.index(at)
		if i >= 0 && i < maxBuckets {
			for int(i) >= len(s.buckets) {
				s.buckets = append(s.buckets, bucket{})
			}
			s.buckets[i].join(bucket{saturated(count), saturated(int64(latency / time.Microsecond)), value})
			return
		}
		if i >= 0 || !s.extend(-i) {
			s.widen()
		}
	}
}

// index is the bucket of a time, counted from the first, which it may be before.
func (s *series) index(at time.Time) int64 {
	i := floorDiv(at.UnixNano(), int64(s.width))
	if len(s.buckets) == 0 {
		s.first = i
	}
	return i - s.first
}

// extend makes room for n buckets before the first, if there may be so many.
func (s *series) extend(n int64) bool {
	if n+int64(len(s.buckets)) > maxBuckets {
		return false
	}
	s.buckets = append(make([]bucket, n, n+int64(len(s.buckets))), s.buckets...)
	s.first -= n
	return true
}

// widen joins the buckets into ones of the next width.
func (s *series) widen() {
	width := 2 * s.width
	for _, w := range widths {
		if w > s.width {
			width = w
			break
		}
	}
	times := int64(width / s.width)
	first := floorDiv(s.first, times)
	for i, b := range s.buckets {
		to := floorDiv(s.first+int64(i), times) - first
		if to < int64(i) { // no later than it was, and what was there has moved
			s.buckets[i] = bucket{}
			s.buckets[to].join(b)
		}
	}
	s.buckets = s.buckets[:floorDiv(s.first+int64(len(s.buckets))-1, times)-first+1]
	s.first, s.width = first, width
}

func (b *bucket) join(other bucket) {
	b.count = saturated(int64(b.count) + int64(other.count))
	b.slowest = max(b.slowest, other.slowest)
	b.value = max(b.value, other.value)
}

func saturated(n int64) uint32 { return uint32(min(max(n, 0), math.MaxUint32)) }

func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}

// report counts an occurrence with the first of its figures that has a limit. The
// series keeps to the figure that it began with: a rule may measure several.
func (s *series) report(r *analysis.Report) {
	value := int64(0)
	for _, x := range r.Finding.Evidence {
		if x.Limit == 0 {
			continue
		}
		if s.figure == "" {
			s.figure = x.Name
		}
		if x.Name == s.figure {
			value = x.Value
		}
		break
	}
	s.add(r.Time, r.Count, r.Op.Latency, value)
}

// view makes the public form; nil of an empty series.
func (s *series) view(l *latencies) *Series {
	if len(s.buckets) == 0 {
		return nil
	}
	out := &Series{Start: time.Unix(0, s.first*int64(s.width)).UTC(), Width: s.width, Figure: s.figure, Latencies: l.bars()}
	for _, b := range s.buckets {
		out.Points = append(out.Points, Point{int64(b.count), time.Duration(b.slowest) * time.Microsecond, b.value})
	}
	return out
}

// bars is the histogram with one bar for each power of two, from the first that
// is not empty to the last.
func (l *latencies) bars() []Bar {
	var out []Bar
	empty := 0 // bars at the end that are
	for i := 0; i < len(l.buckets); i += 4 {
		n := int64(0)
		for _, x := range l.buckets[i : i+4] {
			n += int64(x)
		}
		if n > 0 || len(out) > 0 {
			out = append(out, Bar{upper(i + 3), n})
		}
		if empty++; n > 0 {
			empty = 0
		}
	}
	return out[:max(len(out)-empty, 0)]
}
