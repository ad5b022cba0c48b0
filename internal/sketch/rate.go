package sketch

import "time"

// slots is how many parts a window is cut into: a count is of the last window
// and at most one part more.
const slots = 12

// Rate counts what happened in the last window, by the clock of what it is told.
type Rate struct {
	width  time.Duration // of one slot
	counts [slots + 1]int64
	last   int64 // number of the newest slot
	total  int64
	first  time.Time
}

// NewRate counts over the last window.
func NewRate(window time.Duration) *Rate { return &Rate{width: window / slots} }

// Add counts n at a time and returns the count of the window that ends there.
// Times may come out of order; one before the window counts in the total only.
func (r *Rate) Add(at time.Time, n int64) int64 {
	if r.total == 0 || at.Before(r.first) {
		r.first = at
	}
	r.total += n
	r.move(at)
	if slot := r.slot(at); r.last-slot <= slots {
		r.counts[index(slot)] += n
	}
	return r.sum()
}

// Count is the count of the window that ends at a time.
func (r *Rate) Count(at time.Time) int64 {
	r.move(at)
	return r.sum()
}

// Total is the count of all time.
func (r *Rate) Total() int64 { return r.total }

// First is when the first was counted.
func (r *Rate) First() time.Time { return r.first }

func (r *Rate) slot(at time.Time) int64 { return at.UnixNano() / int64(r.width) }

// index is where a slot is counted; those before 1970 have negative numbers.
func index(slot int64) int64 { return (slot%(slots+1) + slots + 1) % (slots + 1) }

// move empties the slots between the newest and the one at a time.
func (r *Rate) move(at time.Time) {
	slot := r.slot(at)
	if slot-r.last > slots {
		r.counts = [slots + 1]int64{}
		r.last = slot
	}
	for r.last < slot {
		r.last++
		r.counts[index(r.last)] = 0
	}
}

func (r *Rate) sum() (n int64) {
	for _, c := range r.counts {
		n += c
	}
	return n
}
