package gotests

import (
	"context"
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
)

// marked says that a test runs, and when it has ended.
func marked(t *testing.T, db *mongo.Database) {
	say := func(what string) {
		comment := "mongoadvisor:" + what + " " + t.Name()
		_ = db.RunCommand(context.Background(), bson.D{{Key: "ping", Value: 1}, {Key: "comment", Value: comment}}).Err()
	}
	say("begin")
	t.Cleanup(func() { say("end") })
}
