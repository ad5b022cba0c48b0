package logged

import (
	"slices"
	"strings"

	"mongoadvisor/internal/op"
)

// maxCursors is how many open cursors are remembered; the oldest goes first.
const maxCursors = 4096

// cursors remember what opened them. A getMore carries the command that opened its
// cursor, but that of a view is the server's translation, and a long one is cut
// elsewhere.
type cursors struct {
	byID map[int64]*op.Origin
	ring [maxCursors]int64
	next int
}

func (c *cursors) open(o *op.Operation) {
	id := o.Reply.CursorID
	if id == 0 || o.Kind != op.KindRead {
		return
	}
	if c.byID == nil {
		c.byID = map[int64]*op.Origin{}
	}
	delete(c.byID, c.ring[c.next])
	c.ring[c.next] = id
	c.next = (c.next + 1) % maxCursors
	c.byID[id] = &op.Origin{Command: o.Command, NS: o.NS.Clone(), Shape: o.Shape()}
}

// origin is the command that opened the cursor of a getMore, nil when it is not
// known.
func (m *Maker) origin(r *Record, ns op.Namespace) *op.Origin {
	id, ok := op.Int(op.Get(r.Command, "getMore"))
	if !ok {
		id = r.Cursor
	}
	if o := m.cursors.byID[id]; o != nil {
		if r.Exhausted {
			delete(m.cursors.byID, id)
		}
		return o
	}
	original := slices.Clone(r.Original)
	if original == nil && r.Legacy {
		original = findOf(r, ns, slices.Clone(r.Command))
	}
	if original == nil {
		return nil
	}
	if isRedacted(original) {
		original = renamed(m.redaction.document(original, ""), ns)
	}
	var o op.Operation
	o.Read(original, strings.Clone(ns.DB))
	if o.Body == nil {
		return nil
	}
	return &op.Origin{Command: o.Command, NS: o.NS, Shape: o.Shape()}
}
