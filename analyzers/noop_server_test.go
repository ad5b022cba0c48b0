package analyzers_test

import (
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"mongoadvisor/internal/demo/mongod/mongodtest"
)

// TestNoopReplies holds what W04 rests on: the reply to a replacement by the same
// content says that a document was modified, that to a $set of the same does not.
func TestNoopReplies(t *testing.T) {
	server := mongodtest.Start(t)
	client, err := mongo.Connect(options.Client().ApplyURI(server.URI()))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = client.Disconnect(t.Context()) }()
	coll := client.Database("noop").Collection("c")
	doc := bson.D{{Key: "a", Value: 1}, {Key: "b", Value: "x"}}
	if _, err := coll.InsertOne(t.Context(), append(bson.D{{Key: "_id", Value: 1}}, doc...)); err != nil {
		t.Fatal(err)
	}
	one := bson.D{{Key: "_id", Value: 1}}
	if r, err := coll.ReplaceOne(t.Context(), one, doc); err != nil || r.MatchedCount != 1 || r.ModifiedCount != 1 {
		t.Errorf("replacement: %+v, %v", r, err)
	}
	if r, err := coll.UpdateOne(t.Context(), one, bson.D{{Key: "$set", Value: doc}}); err != nil || r.MatchedCount != 1 || r.ModifiedCount != 0 {
		t.Errorf("$set: %+v, %v", r, err)
	}
}
