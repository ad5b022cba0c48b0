package faults

import (
	"bytes"
	"context"
	"sync"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"mongoadvisor/internal/demo/mongod/mongodtest"
	"mongoadvisor/proxy"
)

// record is one connection of a driver with a real server: its handshake, an
// insert with a document sequence, a find.
func record(t testing.TB) []turn {
	t.Helper()
	var mu sync.Mutex
	var taps []*seen
	p := &proxy.Server{Listen: "127.0.0.1:0", Upstream: mongodtest.Start(t).Addr(), NewTap: func(proxy.Conn) proxy.Tap {
		mu.Lock()
		defer mu.Unlock()
		s := see(silent{})
		taps = append(taps, s)
		return s
	}}
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), guard)
	defer cancel()
	talk(t, ctx, p.Addrs()[0].String())
	down, stop := context.WithTimeout(context.Background(), time.Second)
	defer stop()
	_ = p.Shutdown(down)
	for _, s := range taps {
		<-s.closed
		if bytes.Contains(s.client, []byte("recorded\x00")) {
			return s.turns
		}
	}
	t.Fatal("nothing was recorded")
	return nil
}

func talk(t testing.TB, ctx context.Context, address string) {
	t.Helper()
	c, err := mongo.Connect(options.Client().ApplyURI("mongodb://" + address + "/?directConnection=true&maxPoolSize=1&retryWrites=false").SetAppName("faults"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = c.Disconnect(ctx) }()
	coll := c.Database("shop").Collection("recorded")
	if _, err := coll.InsertMany(ctx, []any{bson.D{{Key: "_id", Value: 1}}, bson.D{{Key: "_id", Value: 2}, {Key: "name", Value: "second"}}}); err != nil {
		t.Fatal(err)
	}
	var docs []bson.D
	cursor, err := coll.Find(ctx, bson.D{{Key: "name", Value: bson.Regex{Pattern: "sec", Options: "i"}}})
	if err == nil {
		err = cursor.All(ctx, &docs)
	}
	if err != nil || len(docs) != 1 {
		t.Fatalf("%d documents, %v", len(docs), err)
	}
}

// silent watches nothing.
type silent struct{}

func (silent) Client([]byte) {}
func (silent) Server([]byte) {}
func (silent) Close()        {}
