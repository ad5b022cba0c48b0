package analyzers

import (
	"time"

	"mongoadvisor/internal/op"
	"mongoadvisor/internal/sketch"
)

// heat is how often the documents of a collection are updated.
type heat struct {
	documents *sketch.Top[hotDocument] // by hash of what selects them
	all       seconds                  // of all writes
	others    meanLatency              // of writes to no one document
}

// hotDocuments is how many documents are watched in one collection: one with a
// larger share than one in that many cannot be missed.
const hotDocuments = 64

type hotDocument struct {
	seconds   seconds
	latency   meanLatency
	conflicts int64
}

func newHeat() *heat { return &heat{documents: sketch.NewTop[hotDocument](hotDocuments)} }

// seconds counts in whole seconds, and how many in a row were hot.
type seconds struct {
	second, n int64 // a second, by the traffic's clock, and what it counts
	before    int64 // what the second before this one counted
	run       int64 // hot seconds before this one
	told      bool  // this second is known to be hot
}

// add counts at a time. One that comes late counts in the current second.
func (c *seconds) add(at time.Time, n int64) {
	if second := at.Unix(); second > c.second {
		if second > c.second+1 || !c.told {
			c.run, c.before = 0, 0
		} else {
			c.run, c.before = c.run+1, c.n
		}
		c.second, c.n, c.told = second, 0, false
	}
	c.n += n
}

// hot counts one more. When that makes a second hot, it returns how many in a
// row are, and 0 at all other times.
func (c *seconds) hot(at time.Time, rate int64) int64 {
	c.add(at, 1)
	if c.told || c.n < rate {
		return 0
	}
	c.told = true
	return c.run + 1
}

// meanLatency is that of operations with a single statement.
type meanLatency struct {
	n   int64
	sum time.Duration
}

// enough operations are needed before a mean says anything.
const enough = 20

func (m *meanLatency) add(o *op.Operation) {
	if o.Latency > 0 && len(o.Statements()) == 1 {
		m.n++
		m.sum += o.Latency
	}
}

// mean is 0 as long as too little is known.
func (m *meanLatency) mean() time.Duration {
	if m.n < enough {
		return 0
	}
	return m.sum / time.Duration(m.n)
}
