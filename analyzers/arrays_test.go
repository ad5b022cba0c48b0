package analyzers

import (
	"fmt"
	"testing"

	"mongoadvisor/internal/op"
)

// TestArraysAreBounded: whatever names and documents come, no more is kept than
// docs/design.md says.
func TestArraysAreBounded(t *testing.T) {
	a := arrayState().New().(*arrays)
	for n := range 2 * maxCollections {
		ns := op.Namespace{DB: "shop", Coll: fmt.Sprint("c", n)}
		a.of(ns)
		a.count(ns)
	}
	for n := range 2 * maxCounts {
		a.count(op.Namespace{DB: "shop", Coll: fmt.Sprint("d", n)})
	}
	c := a.of(op.Namespace{DB: "shop", Coll: "posts"})
	for n := range 2 * maxArrays {
		x := c.array(fmt.Sprintf("list%c%c", 'a'+n/26, 'a'+n%26))
		for id := range uint64(maxDocuments) {
			c.track(x, id+uint64(n)<<32, 1)
		}
	}
	for name, n := range map[string][2]int{
		"collections": {len(a.byNS), maxCollections}, "in their order": {a.order.Len(), maxCollections}, "counts": {len(a.counts), maxCounts},
		"arrays": {len(c.byPath), maxArrays + 1}, "tracks": {c.tracks.Len(), maxDocuments},
	} {
		if n[0] != n[1] {
			t.Errorf("%d %s are kept, want %d", n[0], name, n[1])
		}
	}
}
