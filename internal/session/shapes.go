package session

import (
	"hash/maphash"
	"sync/atomic"
)

// shapeTable counts operations by shape. Its size is fixed: what finds no place is
// counted by nobody, and decoded only in a stretch.
type shapeTable struct {
	seed  maphash.Seed
	slots [maxShapes]shapeSlot
}

const (
	maxShapes = 1 << 12
	shapeTry  = 8  // places that a shape may have
	shapeRest = 60 // gaps without an operation after which its place may be taken
)

// shapeSlot is one shape.
type shapeSlot struct {
	key  atomic.Uint64 // 0: free
	owed atomic.Int64  // operations that were not decoded, since one was
	gap  atomic.Uint32 // the last one in which it was seen, 1 more
}

func (t *shapeTable) init() { t.seed = maphash.MakeSeed() }

// find is the place of a shape, nil when there is none.
func (t *shapeTable) find(key uint64, gap uint32) *shapeSlot {
	var old *shapeSlot
	for i := range uint64(shapeTry) {
		slot := &t.slots[(key+i)%maxShapes]
		switch have := slot.key.Load(); {
		case have == key:
			return slot
		case have == 0:
			if slot.key.CompareAndSwap(0, key) || slot.key.Load() == key {
				return slot
			}
		case old == nil && gap-slot.gap.Load() > shapeRest:
			old = slot
		}
	}
	if old != nil && old.key.CompareAndSwap(old.key.Load(), key) {
		old.owed.Store(0) // so long ago that nobody is to be told
		return old
	}
	return nil
}

// firstOf reports whether this is the first time in a gap.
func (s *shapeSlot) firstOf(gap uint32) bool {
	return s.gap.Load() != gap+1 && s.gap.Swap(gap+1) != gap+1
}
