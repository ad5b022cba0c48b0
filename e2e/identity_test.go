package e2e

import (
	"context"
	"crypto/sha256"
	"math/rand/v2"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"

	"mongoadvisor/internal/demo/mongod/mongodtest"
	"mongoadvisor/internal/op"
	"mongoadvisor/internal/session"
	"mongoadvisor/proxy"
)

// TestDriverSeesNoDifference writes and reads documents of random bytes, up to
// several megabytes, through the proxy while its analysis fails in every way
// it can.
func TestDriverSeesNoDifference(t *testing.T) {
	server := mongodtest.Start(t)
	for name, failing := range map[string]func(t *testing.T) func(proxy.Conn) proxy.Tap{
		"no tap":     func(*testing.T) func(proxy.Conn) proxy.Tap { return nil },
		"tap panics": func(*testing.T) func(proxy.Conn) proxy.Tap { return func(proxy.Conn) proxy.Tap { return panicking{} } },
		"engine panics": func(t *testing.T) func(proxy.Conn) proxy.Tap {
			return taps(t, 64<<20, func(*op.Operation) { panic("engine") })
		},
		"engine stalled": func(t *testing.T) func(proxy.Conn) proxy.Tap { return taps(t, 64<<20, stalled(t)) },
		"queue full":     func(t *testing.T) func(proxy.Conn) proxy.Tap { return taps(t, 1<<10, func(*op.Operation) {}) },
	} {
		t.Run(name, func(t *testing.T) {
			p := &proxy.Server{Listen: "127.0.0.1:0", Upstream: server.Addr(), NewTap: failing(t)}
			if err := p.Start(); err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() {
				ctx, cancel := context.WithTimeout(context.Background(), time.Second)
				defer cancel()
				_ = p.Shutdown(ctx)
			})
			client := connect(t, "mongodb://"+p.Addrs()[0].String()+"/?directConnection=true&compressors=zlib,zstd,snappy&timeoutMS=60000", "identity")
			coll := client.Database("identity").Collection("c")
			if err := coll.Drop(t.Context()); err != nil {
				t.Fatal(err)
			}
			r := rand.New(rand.NewPCG(3, 4))
			want := map[int32][32]byte{}
			for i, size := range []int{0, 1, 100, 16 << 10, 300 << 10, 1 << 20, 5 << 20, 12 << 20} {
				data := make([]byte, size)
				for j := range data {
					data[j] = byte(r.Uint32())
				}
				want[int32(i)] = sha256.Sum256(data)
				if _, err := coll.InsertOne(t.Context(), bson.D{{Key: "_id", Value: int32(i)}, {Key: "data", Value: data}}); err != nil {
					t.Fatal(err)
				}
			}
			cursor, err := coll.Find(t.Context(), bson.D{})
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = cursor.Close(t.Context()) }()
			for cursor.Next(t.Context()) {
				var doc struct {
					ID   int32 `bson:"_id"`
					Data []byte
				}
				if err := cursor.Decode(&doc); err != nil {
					t.Fatal(err)
				}
				if sha256.Sum256(doc.Data) != want[doc.ID] {
					t.Errorf("document %d came back changed", doc.ID)
				}
				delete(want, doc.ID)
			}
			if err := cursor.Err(); err != nil || len(want) > 0 {
				t.Errorf("%d documents missing, %v", len(want), err)
			}
		})
	}
}

type panicking struct{}

func (panicking) Client([]byte) { panic("tap") }
func (panicking) Server([]byte) { panic("tap") }
func (panicking) Close()        { panic("tap") }

// stalled blocks in the first operation until the test ends.
func stalled(t *testing.T) func(*op.Operation) {
	ctx := t.Context()
	return func(*op.Operation) { <-ctx.Done() }
}

// taps watch connections as the proxy command does, behind a queue of the
// given size.
func taps(t *testing.T, queueBytes int64, emit func(*op.Operation)) func(proxy.Conn) proxy.Tap {
	stats := &session.Stats{}
	queue := session.NewQueue(queueBytes, 0, stats)
	go queue.Run()
	t.Cleanup(func() { queue.Close(10 * time.Second) })
	config := session.Config{
		Source: op.SourceProxy, Stats: stats, Cursors: session.NewCursors(100, stats), Pending: session.NewPending(1 << 20), Emit: emit,
	}
	return func(c proxy.Conn) proxy.Tap {
		return session.NewStream(queue, session.New(config, op.Conn{ID: c.ID}), session.DefaultRequestLimit, session.DefaultReplyLimit)
	}
}
