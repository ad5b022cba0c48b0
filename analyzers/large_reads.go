package analyzers

import (
	"time"

	"mongoadvisor/internal/op"
	"mongoadvisor/internal/sketch"
)

// maxLargeReads bounds the shapes and the collections that are remembered.
const maxLargeReads = 512

// largeReads are the reads that crossed the limit.
type largeReads struct {
	open    *cursors
	byShape *recent[largeKey, *sketch.Rate]
	scans   *recent[op.Namespace, *largeScan]
	stretch stretch
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
	return &largeReads{
		open:    newCursors(),
		byShape: newRecent(maxLargeReads, cloneLargeKey, func() *sketch.Rate { return sketch.NewRate(time.Hour) }),
		scans:   newScans(),
	}
}

func newScans() *recent[op.Namespace, *largeScan] {
	return newRecent(maxLargeReads, cloneNS, func() *largeScan { return &largeScan{} })
}

// interrupt forgets what was scanned last: there may have been another scan.
func (l *largeReads) interrupt() {
	if !l.scans.empty() {
		l.scans = newScans()
	}
}

// count takes a large read in. It returns how many of its shape the last hour
// had, and what became of the one before.
func (l *largeReads) count(c *cursor, now time.Time) (times int64, before largeScan) {
	scan := l.scans.at(c.ns)
	before = *scan
	*scan = largeScan{docs: c.docs}
	return l.byShape.at(largeKey{c.ns, c.shape.ID}).Add(now, 1), before
}

// written counts the documents of a scanned collection that are replaced by _id.
func (l *largeReads) written(o *op.Operation) {
	if l.scans.empty() {
		return
	}
	statements := o.Statements()
	for i := range statements {
		s := &statements[i]
		if s.Update.Replacement == nil || op.Get(s.Filter, "_id").Type == 0 {
			continue
		}
		if known := l.scans.known(s.NS); known != nil {
			known.replaced++
		}
	}
}
