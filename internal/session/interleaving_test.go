package session

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"pgregory.net/rapid"

	"mongoadvisor/internal/op"
	"mongoadvisor/wire"
)

// step is one message of one connection.
type step struct {
	conn int
	dir  Direction
	raw  []byte
}

// script draws what one connection says: requests, each answered some time
// after it was sent, several under way at once.
func script(t *rapid.T, conn int) []step {
	var out []step
	var open []int32
	for i := range rapid.Int32Range(1, 12).Draw(t, "requests") {
		id := 100*i + 1
		var flags wire.MsgFlags
		d := find(rapid.SampledFrom([]string{"orders", "users", "items"}).Draw(t, "coll"))
		switch rapid.IntRange(0, 5).Draw(t, "kind") {
		case 0:
			flags, d = wire.MoreToCome, bson.D{{Key: "insert", Value: "logs"}, {Key: "$db", Value: "shop"}}
		case 1:
			d = bson.D{{Key: "hello", Value: 1}, {Key: "$db", Value: "admin"}}
		}
		out = append(out, step{conn, FromClient, opMsg(id, 0, flags, d)})
		if flags == 0 {
			open = append(open, id)
		}
		for len(open) > 0 && rapid.Bool().Draw(t, "answer") {
			j := rapid.IntRange(0, len(open)-1).Draw(t, "which")
			out = append(out, step{conn, FromServer, opMsg(open[j]+50, open[j], 0, cursorReply("firstBatch", 0, bson.D{}))})
			open = slices.Delete(open, j, j+1)
		}
	}
	return out
}

// run plays steps and lists the operations of each connection, in any order.
func run(steps []step, conns int) []string {
	stats := &Stats{}
	var got []string
	config := Config{
		Source: op.SourceProxy, Has: op.HasReply | op.HasConn, Stats: stats, Cursors: NewCursors(100, stats), Pending: NewPending(1 << 20),
		Emit: func(o *op.Operation) {
			got = append(got, fmt.Sprintf("%d %s %s %s seen %v, %d", o.Conn.ID, o.Command, o.NS, o.Shape().Text, o.Reply.Seen, o.Reply.Returned))
		},
	}
	sessions := make([]*Session, conns)
	framers := make([][2]wire.Framer, conns)
	for i := range sessions {
		sessions[i] = New(config, op.Conn{ID: uint64(i + 1)})
	}
	for i, x := range steps {
		m, _, ok := framers[x.conn][x.dir].Next(x.raw)
		if !ok {
			panic("a message that does not frame")
		}
		at := time.UnixMilli(int64(i))
		if x.dir == FromClient {
			sessions[x.conn].Request(at, m)
		} else {
			sessions[x.conn].Reply(at, m)
		}
	}
	for _, s := range sessions {
		s.Close()
	}
	slices.Sort(got)
	return append(got, fmt.Sprintf("orphans %d, unanswered %d", stats.Orphans.Load(), stats.Unanswered.Load()))
}

// How connections interleave changes nothing but the order.
func TestInterleavingChangesNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		conns := rapid.IntRange(2, 5).Draw(t, "conns")
		var sequential []step
		var left [][]step
		for c := range conns {
			s := script(t, c)
			sequential = append(sequential, s...)
			left = append(left, s)
		}
		var mixed []step
		for len(mixed) < len(sequential) {
			c := rapid.IntRange(0, conns-1).Draw(t, "next")
			if len(left[c]) > 0 {
				mixed = append(mixed, left[c][0])
				left[c] = left[c][1:]
			}
		}
		if want, got := run(sequential, conns), run(mixed, conns); !slices.Equal(want, got) {
			t.Fatalf("interleaved:\n%q\nsequential:\n%q", got, want)
		}
	})
}
