package session

import "sync/atomic"

// maxSkips is how many requests of one connection can be left out while their
// replies have not come. Drivers have up to 3 under way (measured); a pipelining
// client may have more.
const maxSkips = 32

// skips are the requests of one connection that were not decoded: their replies are
// not, either. One goroutine notes, another one ends.
type skips struct {
	ids [maxSkips]atomic.Uint64
}

const (
	skipped = 1 << 32 // marks a place that is taken: 0 is an id like any other
	shed    = 1 << 33 // for want of room
)

func (k *skips) at(id int32) *atomic.Uint64 { return &k.ids[uint32(id)%maxSkips] }

// free reports whether a request can be noted.
func (k *skips) free(id int32) bool { return k == nil || k.at(id).Load() == 0 }

// note notes a request, pressed if it was left out for want of room.
func (k *skips) note(id int32, pressed bool) {
	v := skipped | uint64(uint32(id))
	if pressed {
		v |= shed
	}
	k.at(id).Store(v)
}

// has reports whether the request was left out and its reply has not come, and why.
func (k *skips) has(id int32) (left, pressed bool) {
	if k == nil {
		return false, false
	}
	v := k.at(id).Load()
	return v&^shed == skipped|uint64(uint32(id)), v&shed != 0
}

func (k *skips) end(id int32) { k.at(id).Store(0) }
