package mongod_test

import (
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"mongoadvisor/internal/demo/mongod"
	"mongoadvisor/internal/demo/mongod/mongodtest"
)

// A primary that is killed is replaced and comes back on its port as a
// secondary; one that steps down gives way; what was written stays.
func TestSet(t *testing.T) {
	ctx := t.Context()
	set := mongodtest.StartSet(t, mongod.SetOptions{})
	client, err := mongo.Connect(options.Client().ApplyURI(set.URI()))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = client.Disconnect(ctx) }()
	c := client.Database("test").Collection("things")
	if _, err := c.InsertOne(ctx, bson.D{{Key: "_id", Value: 1}}); err != nil {
		t.Fatal(err)
	}
	first, err := set.Primary(ctx)
	if err != nil {
		t.Fatal(err)
	}
	addr := first.Addr()
	if err := first.Kill(); err != nil {
		t.Fatal(err)
	}
	second, err := set.Primary(ctx)
	if err != nil || second == first {
		t.Fatalf("primary %v, %v", second, err)
	}
	if err := first.Restart(ctx); err != nil {
		t.Fatal(err)
	}
	if err := set.Await(ctx); err != nil || first.Addr() != addr {
		t.Fatalf("%s, before %s: %v", first.Addr(), addr, err)
	}
	if second, err = set.Primary(ctx); err != nil {
		t.Fatal(err)
	}
	if err := set.StepDown(ctx); err != nil {
		t.Fatal(err)
	}
	if third, err := set.Primary(ctx); err != nil || third == second {
		t.Fatalf("primary after stepping down: %v, %v", third, err)
	}
	if n, err := c.CountDocuments(ctx, bson.D{}); err != nil || n != 1 {
		t.Fatalf("%d documents, %v", n, err)
	}
}
