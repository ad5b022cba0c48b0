package store

import (
	"math"
	"math/bits"
	"time"
)

// latencies is a histogram of fixed size: four buckets per power of two of
// microseconds, so a quantile of 4 µs and more is at most 25 % too high, and
// never too low.
type latencies struct {
	buckets [4 * 33]uint32 // up to 2^32 µs, an hour and more
	n       uint64
	sum     time.Duration
	max     time.Duration
}

// add takes a latency in that stands for count of them: in the sum, which is
// compared with others; the quantiles are those of what was measured.
func (l *latencies) add(d time.Duration, count int64) {
	if d <= 0 {
		return
	}
	if b := &l.buckets[bucketOf(d)]; *b < math.MaxUint32 {
		*b++
		l.n++
	}
	l.sum += d * time.Duration(count)
	l.max = max(l.max, d)
}

func bucketOf(d time.Duration) int {
	us := uint64(d / time.Microsecond)
	if us < 4 {
		return int(us)
	}
	exp := bits.Len64(us) - 1 // us is in [2^exp, 2^(exp+1))
	quarter := (us >> (exp - 2)) & 3
	return min(4*(exp-1)+int(quarter), 4*33-1)
}

// upper is the upper edge of a bucket.
func upper(i int) time.Duration {
	if i < 4 {
		return time.Duration(i+1) * time.Microsecond
	}
	exp, quarter := i/4+1, uint64(i%4)
	return time.Duration((4+quarter+1)<<(exp-2)) * time.Microsecond
}

// quantile gives the upper edge of the bucket that holds the q-th value, at
// most the maximum; 0 when empty.
func (l *latencies) quantile(q float64) time.Duration {
	rank := uint64(q*float64(l.n) + 0.5)
	var seen uint64
	for i, n := range l.buckets {
		seen += uint64(n)
		if seen >= rank && n > 0 {
			return min(upper(i), l.max)
		}
	}
	return l.max
}
