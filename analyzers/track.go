package analyzers

import (
	"math"
	"time"
)

// track follows the array of one document. Its length is known once a reply or a
// write showed it; until then only what was added is, and figures are "at least".
type track struct {
	grown  int64 // elements added since it is followed, less those taken out
	length int64 // -1 when never shown
	start  int64 // length when it was first followed; -1 when never shown
	pushes int64 // additions, one or more elements each
	rises  int64 // times in a row that a write made it longer as a whole, or set the next position
	missed int64 // additions in a row that changed nothing, as their replies say
	stale  int64 // additions in a row after which it was shown no longer than before
	fresh  int64 // additions since it was last shown
	next   int64 // the position that would be set next; 0 when none was
	epoch  int64 // see array
	about  bool  // since it was last shown, a number was added or taken out that is not quite known

	first, latest time.Time // of its growth
	base          int64     // grown after the first addition

	bytes, elements int64 // of added elements
	shownBytes      int64 // of the array when last shown, with shownLength elements
	shownLength     int64

	size      int64 // of the document when last shown whole; 0 when never
	sizeGrown int64 // grown at that time
	sizeAt    time.Time
	firstSize int64 // when first shown whole since it is followed
	firstAt   time.Time
}

func newTrack() *track { return &track{length: -1, start: -1} }

// add counts elements that an update adds, or adds about.
func (t *track) add(at time.Time, elements, bytes int64, exact bool) {
	t.about = t.about || !exact
	t.pushes++
	t.fresh++
	t.grown += elements
	t.bytes += bytes
	t.elements += elements
	t.missed = 0
	if t.length >= 0 {
		t.length += elements
	}
	t.moved(at)
}

// moved notes the time of growth.
func (t *track) moved(at time.Time) {
	switch {
	case t.first.IsZero():
		t.first, t.latest, t.base = at, at, t.grown
	case at.After(t.latest):
		t.latest = at
	}
}

// take notes elements taken out: n of them, or an unknown number when n is 0.
// What is not known is believed only as far as the array is shown from time to
// time.
func (t *track) take(n int64) {
	if n == 0 && t.length < 0 {
		t.restart(-1)
		return
	}
	t.about = t.about || n == 0
	n = max(n, 1)
	t.grown = max(t.grown-n, 0)
	if t.length >= 0 {
		t.length = max(t.length-n, 0)
	}
}

// restart begins anew with a length, -1 for one that is not known.
func (t *track) restart(length int64) {
	t.grown, t.base, t.rises, t.next, t.fresh = 0, 0, 0, 0, 0
	t.missed, t.stale = 0, 0
	t.length, t.start = length, length
	t.first, t.latest = time.Time{}, time.Time{}
	t.size, t.sizeGrown, t.firstSize = 0, 0, 0
}

// interrupt begins anew after a gap in the traffic. That it was full stays known.
func (t *track) interrupt() {
	missed, stale := t.missed, t.stale
	t.restart(-1)
	t.missed, t.stale = missed, stale
}

// show notes the length and the size of the array as it is stored.
func (t *track) show(at time.Time, length, bytes int64) {
	if t.fresh > 0 && t.shownLength > 0 && length <= t.shownLength {
		t.stale += t.fresh
	} else if length > t.shownLength {
		t.stale = 0
	}
	t.fresh, t.shownLength, t.shownBytes, t.about = 0, length, bytes, false
	switch {
	case t.start < 0:
		t.start = max(length-t.grown, 0)
	case length < t.start:
		t.restart(length)
	}
	t.length, t.grown = length, length-t.start
	if !t.first.IsZero() && at.After(t.latest) {
		t.latest = at
	}
}

// replace notes an array that a write set as a whole, and returns how many
// elements longer it is than it was known to be.
func (t *track) replace(at time.Time, length, bytes int64) (longer int64) {
	before := t.length
	t.show(at, length, bytes)
	if before < 0 || length <= before {
		return 0
	}
	t.pushes++
	t.moved(at)
	return length - before
}

// place notes that the element at a position was set, and returns 1 when that is
// the one after the last.
func (t *track) place(position int64) int64 {
	if position < 0 {
		return 0
	}
	follows := position == t.next && t.length <= position
	t.next = position + 1
	if follows {
		return 1
	}
	return 0
}

// full reports whether so many additions in a row did not make it longer:
// something keeps it as it is.
func (t *track) full(plateau int64) bool { return max(t.missed, t.stale) >= plateau }

// weigh notes the size of the whole document.
func (t *track) weigh(at time.Time, size int64) {
	if t.firstSize == 0 || size < t.firstSize {
		t.firstSize, t.firstAt = size, at
	}
	t.size, t.sizeGrown, t.sizeAt = size, t.grown, at
}

// daily is how many bytes a day the document grows by: as its sizes say, when
// they were seen for long enough, else what the elements weigh.
func (t *track) daily(span time.Duration, perDay float64) float64 {
	if past := t.sizeAt.Sub(t.firstAt); perDay > 0 && past >= span && past > 0 && t.size > t.firstSize {
		return float64(t.size-t.firstSize) / past.Hours() * 24
	}
	return perDay * t.mean()
}

// mean is the size of one element in the document, in bytes: its type, its
// position as a name and its value.
func (t *track) mean() float64 {
	if t.shownLength > 0 {
		return float64(t.shownBytes) / float64(t.shownLength)
	}
	if t.elements == 0 {
		return 0
	}
	name := 3 + math.Floor(math.Log10(float64(max(t.least(), 1))))
	return float64(t.bytes)/float64(t.elements) + name
}

// least is how long the array is, or how long at least.
func (t *track) least() int64 { return max(t.length, t.grown) }

// weight is the size of the document, or what the array alone makes of it.
func (t *track) weight() float64 {
	added := float64(t.grown-t.sizeGrown) * t.mean()
	if t.size > 0 {
		return float64(t.size) + added
	}
	return float64(t.least()) * t.mean()
}

// perDay is how many elements a day are added; 0 when it was not followed for
// long enough to say.
func (t *track) perDay(span time.Duration, pushes int64) float64 {
	past := t.latest.Sub(t.first)
	if past < span || past <= 0 || t.pushes < pushes || t.grown <= t.base {
		return 0
	}
	return float64(t.grown-t.base) / past.Hours() * 24
}

// maxDocumentSize is the server's limit for one document, in bytes.
const maxDocumentSize = 16 << 20

// outlook is when an array that grows as it did reaches a length or the limit of
// its document, in days; negative when nothing can be said.
type outlook struct {
	perDay float64
	full   float64
}

func (t *track) outlook(span time.Duration, pushes int64) outlook {
	o := outlook{perDay: t.perDay(span, pushes), full: -1}
	if daily := t.daily(span, o.perDay); daily > 0 {
		o.full = max(maxDocumentSize-t.weight(), 0) / daily
	}
	return o
}

// until is when it has n elements, in days; negative when it has, or nothing can
// be said.
func (o outlook) until(n int64, t *track) float64 {
	if o.perDay <= 0 || t.least() >= n {
		return -1
	}
	return float64(n-t.least()) / o.perDay
}
