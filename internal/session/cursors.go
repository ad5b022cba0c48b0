package session

import (
	"container/list"

	"mongoadvisor/internal/op"
)

// Cursors remembers which command opened a cursor. Cursor ids are the
// server's, and a driver may send getMore on another connection than the find,
// so one table serves all connections to one upstream. Not safe for concurrent
// use.
type Cursors struct {
	max   int
	stats *Stats
	byID  map[int64]*list.Element
	order *list.List // front: most recently used
}

type cursor struct {
	id     int64
	origin *op.Origin
}

// NewCursors keeps at most limit cursors; the least recently used go first and
// are counted.
func NewCursors(limit int, stats *Stats) *Cursors {
	return &Cursors{max: limit, stats: stats, byID: map[int64]*list.Element{}, order: list.New()}
}

func (c *Cursors) open(id int64, origin *op.Origin) {
	if e, ok := c.byID[id]; ok {
		e.Value.(*cursor).origin = origin
		c.order.MoveToFront(e)
		return
	}
	c.byID[id] = c.order.PushFront(&cursor{id: id, origin: origin})
	if c.order.Len() > c.max {
		last := c.order.Back()
		c.close(last.Value.(*cursor).id)
		c.stats.CursorsLost.Add(1)
	}
}

func (c *Cursors) find(id int64) *op.Origin {
	e, ok := c.byID[id]
	if !ok {
		return nil
	}
	c.order.MoveToFront(e)
	return e.Value.(*cursor).origin
}

func (c *Cursors) close(id int64) {
	if e, ok := c.byID[id]; ok {
		c.order.Remove(e)
		delete(c.byID, id)
	}
}
