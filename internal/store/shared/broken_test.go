package shared

import (
	"math"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"

	"mongoadvisor/internal/demo/mongod/mongodtest"
)

// TestBrokenDocuments: a document that somebody has damaged costs what is in it.
func TestBrokenDocuments(t *testing.T) {
	server := mongodtest.Start(t)
	c, s := connect(t, server.URI()), newStore()
	see(s, "orders", "app", time.Millisecond)
	sync1(t, c, s)
	now := time.Now()
	for _, d := range []bson.D{
		{{Key: "_id", Value: "0123456789abcde0"}, {Key: "updated", Value: now}, {Key: "count", Value: math.NaN()}},
		{{Key: "_id", Value: "0123456789abcde1"}, {Key: "updated", Value: now}, {Key: "fields", Value: 7}},
		{{Key: "_id", Value: "0123456789abcde2"}, {Key: "updated", Value: now}, {Key: "count", Value: 7}, {Key: "rule", Value: "\xff\x1b"}, {Key: "clients", Value: bson.D{}}},
		{{Key: "_id", Value: 5}, {Key: "updated", Value: now}},
	} {
		for _, name := range []string{findings, namespaces} {
			if _, err := c.db.Collection(name).InsertOne(t.Context(), d); err != nil {
				t.Fatal(err)
			}
		}
	}
	see(s, "orders", "app", time.Millisecond)
	sync1(t, c, s)
	other := newStore()
	reader := connect(t, server.URI())
	sync1(t, reader, other)
	if f := other.Findings(); len(f) != 1 || f[0].Count != 2 || reader.LeftOut != 4 || other.Totals().Operations != 2 {
		t.Errorf("%d left out of %+v", reader.LeftOut, f)
	}
}

// TestMoreThanAStoreKeeps: of a store that has grown over the years the newest are read.
func TestMoreThanAStoreKeeps(t *testing.T) {
	server := mongodtest.Start(t)
	c, s := connect(t, server.URI()), newStore()
	see(s, "orders", "app", time.Millisecond)
	sync1(t, c, s)
	var old []any
	for range maxRead + 10 {
		old = append(old, bson.D{{Key: "updated", Value: time.Unix(1_700_000_000, 0)}})
	}
	if _, err := c.db.Collection(findings).InsertMany(t.Context(), old); err != nil {
		t.Fatal(err)
	}
	state, _, err := connect(t, server.URI()).Load(t.Context())
	if err != nil || len(state.Findings) != maxRead || state.Findings[0].Figures.Count != 1 {
		t.Errorf("%d findings, %v", len(state.Findings), err)
	}
}

// TestBrokenDocumentIsNotWritten: what cannot be added to it is given up, and everything
// else is written.
func TestBrokenDocumentIsNotWritten(t *testing.T) {
	server := mongodtest.Start(t)
	c, s := connect(t, server.URI()), newStore()
	see(s, "orders", "app", time.Millisecond)
	see(s, "items", "app", time.Millisecond)
	sync1(t, c, s)
	for _, field := range []string{"count", "writes", "clients"} {
		if _, err := c.db.Collection(findings).UpdateOne(t.Context(), bson.D{{Key: "collection", Value: "orders"}},
			bson.D{{Key: "$set", Value: bson.D{{Key: field, Value: "broken"}}}}); err != nil {
			t.Fatal(err)
		}
		see(s, "orders", "another "+field, time.Millisecond)
		see(s, "items", "another "+field, time.Millisecond)
		see(s, "new "+field, "another", time.Millisecond)
		sync1(t, c, s)
		if c.flight != nil {
			t.Errorf("with a broken %s something is in flight for ever", field)
		}
	}
	other := newStore()
	sync1(t, connect(t, server.URI()), other)
	counts := map[string]int64{}
	for _, f := range other.Findings() {
		counts[f.Namespace] = f.Count
	}
	if counts["shop.items"] != 4 || counts["shop.new count"] != 1 || counts["shop.new writes"] != 1 || counts["shop.new clients"] != 1 || len(counts) != 4 {
		t.Errorf("another process reads %v", counts)
	}
}
