package analyzers

import (
	"time"

	"mongoadvisor/internal/sketch"
)

// How many collections and arrays of one client are followed for trees, and the
// parents of one array.
const (
	maxTrees   = 64
	maxParents = 64
)

// walks are the walks through the tree of one collection, node by node.
type walks struct {
	recent *sketch.Rate // of the last minute
	depth  int          // of the deepest
}

// nested are the renumberings of the nested set in one collection. Both numbers
// of a node are moved; the one that was seen first stands for both.
type nested struct {
	field   string
	recent  *sketch.Rate // of the last nestedTime
	changed int64        // documents, by the largest
}

// nestedTime is how long renumberings are counted together.
const nestedTime = 3 * time.Minute

// placeKey is an array of children.
type placeKey struct {
	space *space
	path  string
}

// kids are the additions to one array of children.
type kids struct {
	pushes  int64
	parents *sketch.Top[struct{}] // additions, by hash of _id
	most    int64                 // to one parent
}

// entry finds or makes what is known under a key, nil when there are too many.
func entry[K comparable, V any](m map[K]*V, key K, fresh func() *V) *V {
	v, ok := m[key]
	if !ok && len(m) < maxTrees {
		v = fresh()
		m[key] = v
	}
	return v
}

// walk notes a query of a walk through a tree. It reports whether the walk is to
// be counted now: it got deep enough, or visited enough siblings one by one.
func (t *trail) walk(deep, wide int64) bool {
	l := t.link
	if l == nil || !l.step() {
		return false
	}
	depth := l.From.depth + 1
	if int64(depth) < deep && t.burst.together() < wide {
		return false
	}
	top := t.readOf(l.From.top)
	if top == nil || top.walked || top.at.Sub(t.stretch.gap) < memory {
		return false // soon after a gap it may be the rest of one that was counted
	}
	top.walked = true
	return true
}
