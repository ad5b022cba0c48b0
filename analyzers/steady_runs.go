package analyzers

import "time"

// steadyRun counts slots of time in a row that each had enough.
type steadyRun struct {
	slot, n int64
	full    int
	total   int64
	width   time.Duration
	last    int64 // of the slot before
}

// add counts n at a time and returns how many slots in a row were full.
func (r *steadyRun) add(at time.Time, n int64, width time.Duration, need int64) int {
	slot := at.UnixNano() / int64(width)
	if slot > r.slot {
		if r.n < need || slot > r.slot+1 {
			r.full, r.total = 0, 0
		} else {
			r.full++
		}
		r.slot, r.last, r.n, r.width = slot, r.n, 0, width
	}
	r.n += n
	r.total += n
	return r.full
}

// perSecond is the rate of the slot before.
func (r *steadyRun) perSecond() int64 { return int64(float64(r.last) / max(r.width.Seconds(), 0.001)) }
