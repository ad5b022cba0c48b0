package session

import (
	"strings"
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"

	"mongoadvisor/internal/op"
)

func getMore(cursor int64) bson.D {
	return bson.D{{Key: "getMore", Value: cursor}, {Key: "collection", Value: "orders"}, {Key: "$db", Value: "shop"}}
}

func TestCursorTableHasACap(t *testing.T) {
	stats := &Stats{}
	c := NewCursors(3, stats)
	for id := range int64(5) {
		c.open(id+1, &op.Origin{Command: "find"})
		c.find(1) // in use: others go first
	}
	if len(c.byID) != 3 || c.order.Len() != 3 || stats.CursorsLost.Load() != 2 {
		t.Errorf("%d cursors, %d lost", len(c.byID), stats.CursorsLost.Load())
	}
	if c.find(1) == nil || c.find(5) == nil || c.find(2) != nil {
		t.Error("the least recently used did not go first")
	}
}

// A driver may ask for more on another connection than the find's.
func TestCursorIsSharedByConnections(t *testing.T) {
	r := newRig(t)
	r.client(opMsg(1, 0, 0, find("orders")))
	r.server(opMsg(2, 1, 0, cursorReply("firstBatch", 42)))
	r.session = r.connect()
	r.client(opMsg(1, 0, 0, getMore(42)))
	r.server(opMsg(3, 1, 0, cursorReply("nextBatch", 0)))
	if o := r.ops[1]; o.Origin == nil || o.Origin.Command != "find" || o.NS.Coll != "orders" {
		t.Fatalf("origin %+v", o.Origin)
	}
	r.client(opMsg(5, 0, 0, getMore(42))) // exhausted: the id may be used again
	r.server(opMsg(6, 5, 0, bson.D{{Key: "ok", Value: 0.0}, {Key: "code", Value: 43}, {Key: "codeName", Value: "CursorNotFound"}}))
	if o := r.ops[2]; o.Origin != nil {
		t.Errorf("an exhausted cursor has origin %+v", o.Origin)
	}
}

func TestKilledCursorIsForgotten(t *testing.T) {
	r := newRig(t)
	r.client(opMsg(1, 0, 0, find("orders")))
	r.server(opMsg(2, 1, 0, cursorReply("firstBatch", 42)))
	r.client(opMsg(3, 0, 0, bson.D{{Key: "killCursors", Value: "orders"}, {Key: "cursors", Value: bson.A{int64(42)}}, {Key: "$db", Value: "shop"}}))
	r.server(opMsg(4, 3, 0, okReply))
	if r.cursors.find(42) != nil || len(r.cursors.byID) != 0 {
		t.Error("the cursor is still known")
	}
}

// A first batch longer than what is kept still yields the cursor behind it.
func TestCutReplyYieldsItsCursor(t *testing.T) {
	r := newRig(t)
	r.client(opMsg(1, 0, 0, find("orders")))
	r.server(opMsg(2, 1, 0, cursorReply("firstBatch", 42, bson.D{{Key: "small", Value: 1}}, bson.D{{Key: "big", Value: strings.Repeat("x", 3*DefaultReplyLimit)}})))
	if o := r.ops[0]; !o.Reply.Seen || !o.Reply.OK || o.Reply.CursorID != 42 || o.Reply.Returned != -1 || len(o.Reply.Docs) != 1 {
		t.Fatalf("reply %+v", o.Reply)
	}
	r.client(opMsg(3, 0, 0, getMore(42)))
	r.server(opMsg(4, 3, 0, cursorReply("nextBatch", 0)))
	if o := r.ops[1]; o.Origin == nil || o.Origin.NS.String() != "shop.orders" || o.Origin.Shape.ID != r.ops[0].Shape().ID {
		t.Errorf("origin %+v", o.Origin)
	}
	r.idle()
}

// Origins must not keep the messages they came from.
func TestOriginOwnsItsNames(t *testing.T) {
	r := newRig(t)
	raw := opMsg(1, 0, 0, find("orders"))
	r.client(raw)
	r.server(opMsg(2, 1, 0, cursorReply("firstBatch", 42)))
	body := r.ops[0].Body
	for i := range body {
		body[i] = 'z'
	}
	if o := r.cursors.find(42); o.NS.String() != "shop.orders" || o.Shape.Text != "{filter: {a: <number>}}" {
		t.Errorf("origin %+v", o)
	}
}
