package analyzers

import (
	"strings"
	"time"

	"mongoadvisor/internal/op"
	"mongoadvisor/internal/sketch"
)

// maxLargeReads bounds the shapes and the collections that are remembered.
const maxLargeReads = 512

// largeReads are the reads that crossed the limit.
type largeReads struct {
	open    *cursors
	byShape map[largeKey]*sketch.Rate
	scans   map[op.Namespace]*largeScan
}

type largeKey struct {
	ns    op.Namespace
	shape uint64
}

// largeScan is the latest large read of a collection, and what was replaced since.
type largeScan struct {
	docs, replaced int64
}

func newLargeReads() *largeReads {
	return &largeReads{open: newCursors(), byShape: map[largeKey]*sketch.Rate{}, scans: map[op.Namespace]*largeScan{}}
}

// count takes a large read in. It returns how many of its shape the last hour
// had, and what became of the one before.
func (l *largeReads) count(c *cursor, now time.Time) (times int64, before largeScan) {
	ns := op.Namespace{DB: strings.Clone(c.ns.DB), Coll: strings.Clone(c.ns.Coll)}
	key := largeKey{ns, c.shape.ID}
	rate := l.byShape[key]
	if rate == nil {
		if len(l.byShape) >= maxLargeReads {
			return 0, largeScan{}
		}
		rate = sketch.NewRate(time.Hour)
		l.byShape[key] = rate
	}
	if s := l.scans[ns]; s != nil {
		before = *s
		s.docs, s.replaced = c.docs, 0
	} else if len(l.scans) < maxLargeReads {
		l.scans[ns] = &largeScan{docs: c.docs}
	}
	return rate.Add(now, 1), before
}

// written counts the documents of a scanned collection that are replaced by _id.
func (l *largeReads) written(o *op.Operation) {
	if len(l.scans) == 0 {
		return
	}
	statements := o.Statements()
	for i := range statements {
		s := &statements[i]
		if s.Update.Replacement == nil || op.Get(s.Filter, "_id").Type == 0 {
			continue
		}
		if known := l.scans[s.NS]; known != nil {
			known.replaced++
		}
	}
}
