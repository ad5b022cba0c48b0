package main

import (
	"errors"
	"fmt"
	"strings"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
)

func bulk() []test {
	// mixed has a duplicate in the middle.
	mixed := []mongo.WriteModel{
		mongo.NewInsertOneModel().SetDocument(d("_id", 1)),
		mongo.NewUpdateOneModel().SetFilter(d("_id", 2)).SetUpdate(d("$set", d("n", 1))).SetUpsert(true),
		mongo.NewInsertOneModel().SetDocument(d("_id", 1)),
		mongo.NewReplaceOneModel().SetFilter(d("_id", 1)).SetReplacement(d("n", 2)),
		mongo.NewDeleteManyModel().SetFilter(bson.D{}),
	}
	write := func(ordered bool) func(a *app) error {
		return func(a *app) error {
			res, err := a.things().BulkWrite(a, mixed, options.BulkWrite().SetOrdered(ordered))
			var bulk mongo.BulkWriteException
			if !errors.As(err, &bulk) || len(bulk.WriteErrors) != 1 {
				return fmt.Errorf("want one write error: %w", err)
			}
			text := fmt.Sprintf("code %d at %d, inserted %d, upserted %d, modified %d, deleted %d", bulk.WriteErrors[0].Code, bulk.WriteErrors[0].Index,
				res.InsertedCount, res.UpsertedCount, res.ModifiedCount, res.DeletedCount)
			if ordered {
				return want("result", text, "code 11000 at 2, inserted 1, upserted 1, modified 0, deleted 0")
			}
			return want("result", text, "code 11000 at 2, inserted 1, upserted 1, modified 1, deleted 2")
		}
	}
	return []test{
		{name: "bulk/ordered, with an error", run: write(true)},
		{name: "bulk/unordered, with an error", run: write(false)},
		{name: "bulk/100001 documents in two messages", run: func(a *app) error {
			res, err := a.things().InsertMany(a, numbered(0, 100_001))
			if err != nil {
				return err
			}
			n, err := a.things().CountDocuments(a, bson.D{})
			return errors.Join(err, want("inserted", len(res.InsertedIDs), 100_001), want("count", n, 100_001))
		}},
		{name: "bulk/60 MB in two messages", run: func(a *app) error {
			var docs []any
			for i := range 60 {
				docs = append(docs, bson.D{{Key: "_id", Value: i}, {Key: "x", Value: strings.Repeat("x", 1<<20)}})
			}
			if _, err := a.things().InsertMany(a, docs); err != nil {
				return err
			}
			cursor, err := a.things().Find(a, bson.D{})
			if err != nil {
				return err
			}
			var got []bson.Raw
			err = cursor.All(a, &got)
			size := 0
			for _, g := range got {
				size += len(g)
			}
			return errors.Join(err, want("bytes", size, 60*(1<<20+22)))
		}},
		{name: "bulk/many errors", run: func(a *app) error {
			docs := append(numbered(0, 500), numbered(0, 500)...)
			_, err := a.things().InsertMany(a, docs, options.InsertMany().SetOrdered(false))
			var bulk mongo.BulkWriteException
			if !errors.As(err, &bulk) {
				return fmt.Errorf("want write errors: %w", err)
			}
			return want("errors", len(bulk.WriteErrors), 500)
		}},
	}
}
