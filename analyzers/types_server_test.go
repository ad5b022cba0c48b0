package analyzers_test

import (
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
	"go.mongodb.org/mongo-driver/v2/mongo/writeconcern"

	"mongoadvisor/internal/demo/mongod/mongodtest"
)

// TestTypesNeverMatch holds what S08 says of the server: values of the confused
// types never match each other, numbers of all widths do.
func TestTypesNeverMatch(t *testing.T) {
	server := mongodtest.Start(t)
	client, err := mongo.Connect(options.Client().ApplyURI(server.URI()))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = client.Disconnect(t.Context()) }()
	coll := client.Database("types").Collection("c")
	const hex = "656000000000000000000001"
	id, _ := bson.ObjectIDFromHex(hex)
	decimal, _ := bson.ParseDecimal128("42")
	at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	numbers := []any{int32(42), int64(42), 42.0, decimal}
	type pair struct {
		stored, asked any
		n             int64
	}
	pairs := []pair{
		{id, hex, 0},
		{hex, id, 0},
		{at, "2026-01-01T00:00:00.000Z", 0},
		{"2026-01-01T00:00:00.000Z", at, 0},
		{at, bson.D{{Key: "$gte", Value: "2025-01-01"}}, 0},
		{"2026-01-01", bson.D{{Key: "$gte", Value: at.AddDate(-1, 0, 0)}}, 0},
		{42, bson.D{{Key: "$gt", Value: "5"}}, 0},
		{"42", bson.D{{Key: "$gt", Value: 5}}, 0},
		{id, bson.D{{Key: "$in", Value: bson.A{hex, id}}}, 1},
	}
	for _, stored := range numbers {
		pairs = append(pairs, pair{stored, "42", 0}, pair{"42", stored, 0})
		for _, asked := range numbers {
			pairs = append(pairs, pair{stored, asked, 1})
		}
	}
	for _, p := range pairs {
		if _, err := coll.DeleteMany(t.Context(), bson.D{}); err != nil {
			t.Fatal(err)
		}
		if _, err := coll.InsertOne(t.Context(), bson.D{{Key: "f", Value: p.stored}}); err != nil {
			t.Fatal(err)
		}
		if n, err := coll.CountDocuments(t.Context(), bson.D{{Key: "f", Value: p.asked}}); err != nil || n != p.n {
			t.Errorf("%T %v asked for with %T %v: %d documents, %v", p.stored, p.stored, p.asked, p.asked, n, err)
		}
	}
}

// TestUnacknowledgedSaysNothing holds what O06 says of the server: a write that
// fails with w: 0 leaves no trace, neither in the data nor with the client.
func TestUnacknowledgedSaysNothing(t *testing.T) {
	server := mongodtest.Start(t)
	client, err := mongo.Connect(options.Client().ApplyURI(server.URI()))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = client.Disconnect(t.Context()) }()
	coll := client.Database("unacknowledged").Collection("c")
	quiet := client.Database("unacknowledged").Collection("c", options.Collection().SetWriteConcern(writeconcern.Unacknowledged()))
	if _, err := coll.InsertOne(t.Context(), bson.D{{Key: "_id", Value: 1}, {Key: "n", Value: 1}}); err != nil {
		t.Fatal(err)
	}
	if _, err := quiet.InsertOne(t.Context(), bson.D{{Key: "_id", Value: 1}, {Key: "n", Value: 2}}); err != nil {
		t.Errorf("the client learnt of it: %v", err)
	}
	if n, err := coll.CountDocuments(t.Context(), bson.D{{Key: "n", Value: 2}}); err != nil || n != 0 {
		t.Errorf("%d documents, %v", n, err)
	}
}
