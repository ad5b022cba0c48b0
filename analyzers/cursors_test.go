package analyzers

import (
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/x/bsonx/bsoncore"

	"mongoadvisor/internal/op"
)

func readOp(t *testing.T, command bson.D, at time.Time, reply op.Reply) *op.Operation {
	t.Helper()
	body, err := bson.Marshal(command)
	if err != nil {
		t.Fatal(err)
	}
	reply.Seen, reply.OK = true, true
	return &op.Operation{Time: at, Command: command[0].Key, Kind: op.KindRead, NS: op.Namespace{DB: "d", Coll: "c"}, Body: body, Reply: reply}
}

// Of a batch that was cut, the documents that were kept tell how many there were.
func TestCursorEstimatesCutBatches(t *testing.T) {
	doc := bsoncore.NewDocumentBuilder().AppendString("s", string(make([]byte, 83))).Build() // 96 bytes
	kept := make([]bsoncore.Document, 10)
	for i := range kept {
		kept[i] = doc
	}
	open := newCursors()
	start := time.Unix(0, 0)
	c := open.follow(readOp(t, bson.D{{Key: "find", Value: "c"}}, start, op.Reply{Returned: 101, Bytes: 101 * 100, CursorID: 5}))
	if c.docs != 101 || !c.whole {
		t.Errorf("%+v", c)
	}
	c = open.follow(readOp(t, bson.D{{Key: "getMore", Value: int64(5)}}, start, op.Reply{Returned: -1, Bytes: 100_000, CursorID: 5, Docs: kept}))
	if c.docs < 1080 || c.docs > 1120 || c.bytes != 110_100 {
		t.Errorf("%d documents of 1101, %d bytes", c.docs, c.bytes)
	}
}

// What a client can open has a bound, and what is left longest goes first.
func TestCursorsAreBounded(t *testing.T) {
	open := newCursors()
	start := time.Unix(0, 0)
	for i := range maxCursors + 10 {
		open.follow(readOp(t, bson.D{{Key: "find", Value: "c"}}, start.Add(time.Duration(i)*time.Second), op.Reply{CursorID: int64(i + 1)}))
	}
	if len(open.byID) != maxCursors || open.order.Len() != maxCursors || open.byID[10] != nil || open.byID[11] == nil {
		t.Errorf("%d cursors", len(open.byID))
	}
	left := 0
	open.idle(start.Add(20*time.Second), func(*cursor) { left++ })
	if left != 10 || len(open.byID) != maxCursors-10 {
		t.Errorf("%d were idle, %d are left", left, len(open.byID))
	}
}
