package analyzers

import (
	"strings"

	"mongoadvisor/internal/op"
)

// Bounds of what is remembered of slow statements.
const (
	maxSlowCollections = 1024
	maxSlowShapes      = 64 // of one collection
)

// slowCalls counts the calls of statements that were slow at least once, from
// then on. A collection nothing of which was ever slow costs one look.
type slowCalls struct {
	byNS map[op.Namespace]map[uint64]*slowCount
}

// slowCount is one statement's calls since it was slow first.
type slowCount struct {
	calls, slow int64
}

func newSlowCalls() *slowCalls { return &slowCalls{byNS: map[op.Namespace]map[uint64]*slowCount{}} }

// add takes a call in and returns the counts of its statement; ok is false when
// it never was slow, or when there is no room.
func (c *slowCalls) add(s *op.Statement, slow bool) (n slowCount, ok bool) {
	shapes := c.byNS[s.NS]
	if shapes == nil {
		if !slow || len(c.byNS) >= maxSlowCollections {
			return n, false
		}
		shapes = map[uint64]*slowCount{}
		c.byNS[op.Namespace{DB: strings.Clone(s.NS.DB), Coll: strings.Clone(s.NS.Coll)}] = shapes
	}
	id := s.ShapeID()
	known := shapes[id]
	if known == nil {
		if !slow || len(shapes) >= maxSlowShapes {
			return n, false
		}
		known = &slowCount{}
		shapes[id] = known
	}
	known.calls++
	if slow {
		known.slow++
	}
	return *known, true
}

// oneInTwenty reports whether the 95th percentile of the calls is slow.
func (n slowCount) oneInTwenty() bool { return n.slow*20 >= n.calls }
