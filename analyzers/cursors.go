package analyzers

import (
	linked "container/list" // a list here is one of values in a filter
	"strings"
	"time"

	"mongoadvisor/internal/op"
)

// cursorCommands are the commands that open, read and end cursors.
var cursorCommands = []string{"find", "aggregate", "getMore", "killCursors"}

// maxCursors bounds the open cursors that are followed; the one that was left
// alone longest goes first.
const maxCursors = 4096

// cursor is what one statement returned so far, over all its batches.
type cursor struct {
	id      int64 // 0 when the first batch was all
	ns      op.Namespace
	shape   op.Shape
	whole   bool  // a find without filter, limit or singleBatch
	batches int64 // getMores
	docs    int64 // about, where a batch was cut
	bytes   int64
	counted bool // its rule has counted it
	last    time.Time
	stretch uint64 // of the traffic, of its last batch

	known, knownBytes int64 // documents whose size is known
}

// cursors are the open cursors of all connections: a driver may send a getMore
// on another connection than the find.
type cursors struct {
	byID  map[int64]*linked.Element
	order *linked.List // front: used last
	whole cursor       // the latest that the first batch drained
}

func newCursors() *cursors {
	return &cursors{byID: map[int64]*linked.Element{}, order: linked.New()}
}

// follow takes an operation in and returns the cursor it belongs to, nil when
// there is none or its opening was not seen. What is returned is valid until the
// next call.
func (t *cursors) follow(o *op.Operation) *cursor {
	switch o.Command {
	case "find", "aggregate":
		if !o.Reply.Seen || !o.Reply.OK {
			return nil
		}
		return t.open(o)
	case "getMore":
		id, _ := op.Int(op.Get(o.Body, "getMore"))
		e := t.byID[id]
		if e == nil {
			return nil
		}
		c := e.Value.(*cursor)
		c.batches++
		c.add(o)
		t.order.MoveToFront(e)
		if o.Reply.Seen && o.Reply.CursorID == 0 { // drained, or an error ended it
			t.end(id)
		}
		return c
	case "killCursors":
		if arr := op.Arr(op.Get(o.Body, "cursors")); arr != nil {
			for v := range op.Items(arr) {
				id, _ := op.Int(v)
				t.end(id)
			}
		}
	}
	return nil
}

// open makes the cursor of a first batch; it is kept when there is more.
func (t *cursors) open(o *op.Operation) *cursor {
	s := &o.Statements()[0]
	c := &t.whole
	if o.Reply.CursorID != 0 {
		c = &cursor{}
	}
	*c = cursor{id: o.Reply.CursorID, ns: s.NS, whole: readsAll(o, s)}
	c.add(o)
	if c.id == 0 {
		return c
	}
	c.shape = s.Shape()
	c.ns = op.Namespace{DB: strings.Clone(s.NS.DB), Coll: strings.Clone(s.NS.Coll)}
	t.end(c.id)
	if t.order.Len() >= maxCursors {
		t.end(t.order.Back().Value.(*cursor).id)
	}
	t.byID[c.id] = t.order.PushFront(c)
	return c
}

func (t *cursors) end(id int64) {
	if e, ok := t.byID[id]; ok {
		t.order.Remove(e)
		delete(t.byID, id)
	}
}

// idle takes out and yields the cursors that nobody used since a time, the one
// left alone longest first.
func (t *cursors) idle(since time.Time, yield func(*cursor)) {
	for e := t.order.Back(); e != nil && e.Value.(*cursor).last.Before(since); e = t.order.Back() {
		c := e.Value.(*cursor)
		t.end(c.id)
		yield(c)
	}
}

// add takes a batch in. Of one that was cut, the documents that were kept tell
// how many there were.
func (c *cursor) add(o *op.Operation) {
	r := &o.Reply
	c.last, c.stretch = o.Time.Add(o.Latency), o.Sample.Stretch
	c.bytes += int64(r.Bytes)
	if r.Returned >= 0 {
		c.docs += int64(r.Returned)
		c.known, c.knownBytes = c.known+int64(r.Returned), c.knownBytes+int64(r.Bytes)
		return
	}
	for _, d := range r.Docs {
		c.known, c.knownBytes = c.known+1, c.knownBytes+int64(len(d))
	}
	if c.knownBytes > 0 {
		c.docs += int64(r.Bytes) * c.known / c.knownBytes
	}
}

// readsAll reports whether a find has nothing that limits what it returns: a view
// may.
func readsAll(o *op.Operation, s *op.Statement) bool {
	return o.Command == "find" && s.Limit == 0 && len(s.Pipeline) == 0 && (s.Filter == nil || everything(s.Filter)) && !op.True(op.Get(o.Body, "singleBatch"))
}
