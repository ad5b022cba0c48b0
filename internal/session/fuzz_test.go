package session

import (
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"

	"mongoadvisor/internal/op"
	"mongoadvisor/wire"
)

// FuzzSession feeds any bytes to both directions of a connection.
func FuzzSession(f *testing.F) {
	for _, name := range []string{"plain", "snappy", "zlib", "zstd", "streaming_hello", "scram", "np_getmore", "mongoose"} {
		streams := map[chunkKey][]byte{}
		for _, c := range readCapture(f, name) {
			k := chunkKey{uint16(c.client), c.dir}
			if len(streams[k]) < 4<<10 {
				streams[k] = append(streams[k], c.data...)
			}
		}
		for k, b := range streams {
			if k.dir == FromClient {
				f.Add(b, streams[chunkKey{k.client, FromServer}], uint16(300))
			}
		}
	}
	f.Add(opUpdate(1, "a.b", bson.D{}, bson.D{}), opReply(2, 1, okReply), uint16(0))
	f.Add(opQuery(1, "admin.$cmd", find("a")), opMsg(2, 1, wire.MoreToCome, okReply), uint16(20))
	f.Fuzz(func(t *testing.T, client, server []byte, limit uint16) {
		stats := &Stats{}
		pending := NewPending(64 << 10)
		s := New(Config{
			Source: op.SourceProxy, Has: op.HasReply | op.HasLatency, Stats: stats, Cursors: NewCursors(4, stats), Pending: pending,
			Emit: func(o *op.Operation) {
				_ = o.Shape()
				for i := range o.Statements() {
					st := &o.Statements()[i]
					_ = st.Shape()
					for flt := range st.Filters() {
						for range flt.Predicates() {
						}
					}
				}
			},
		}, op.Conn{ID: 1})
		at := time.Unix(0, 0)
		framers := [2]wire.Framer{{Limit: int(limit)}, {Limit: int(limit)}}
		feed := func(d Direction, b []byte) []byte {
			m, rest, ok := framers[d].Next(b)
			if !ok {
				return nil
			}
			at = at.Add(time.Millisecond)
			if d == FromClient {
				s.Request(at, m)
			} else {
				s.Reply(at, m)
			}
			return rest
		}
		for len(client) > 0 || len(server) > 0 { // in turns: replies find their requests
			client = feed(FromClient, client)
			server = feed(FromServer, server)
		}
		s.Close()
		if len(s.pending) != 0 || pending.used != 0 {
			t.Errorf("%d requests with %d bytes wait after the end", len(s.pending), pending.used)
		}
	})
}

type chunkKey struct {
	client uint16
	dir    Direction
}
