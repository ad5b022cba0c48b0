package demo

import (
	"context"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
)

// The stream of events: what is too much shows in how long it lasts, so the
// first rounds together take some seconds.
const (
	streamRounds = 3
	streamBatch  = 10
	streamEvery  = 50 * time.Millisecond
	streamFor    = 2300 * time.Millisecond
)

// stream inserts events for a while, as an application does that collects them
// and writes a few at a time. Rounds after the first few insert one batch.
func stream(coll string, event func(i int) bson.D) func(context.Context, *mongo.Database, int) error {
	return func(ctx context.Context, db *mongo.Database, n int) error {
		batches := int(streamFor / streamEvery)
		if n >= streamRounds {
			batches = 1
		}
		tick := time.NewTicker(streamEvery)
		defer tick.Stop()
		for b := range batches {
			docs := bson.A{}
			for i := range streamBatch {
				docs = append(docs, event(n*batches*streamBatch+b*streamBatch+i))
			}
			if err := run(ctx, db, d("insert", coll, "documents", docs)); err != nil {
				return err
			}
			select {
			case <-tick.C:
			case <-ctx.Done():
				return ctx.Err()
			}
		}
		return nil
	}
}
