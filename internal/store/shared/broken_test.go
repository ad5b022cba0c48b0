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
