package demo

import (
	"context"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
)

// How many documents or values the exercises below send at a time.
const (
	batch         = 25
	longList      = 1200
	shortList     = 150
	pageOfReviews = 40
)

// batches: too many round trips, and too much in one.
func batches() []Exercise {
	return []Exercise{
		{
			Name: "an insert per document", Lesson: "bucket pattern: many tiny documents", Rules: []string{"W05"}, Namespace: "imports",
			Why: "each round trip costs more than the write in it",
			Avoid: func(ctx context.Context, db *mongo.Database, n int) error {
				for i := range batch {
					if err := run(ctx, db, insertOne("imports", d("run", n, "line", i))); err != nil {
						return err
					}
				}
				return nil
			},
			Prefer: side(func(n int) bson.D {
				docs := make(bson.A, batch)
				for i := range docs {
					docs[i] = d("run", n, "line", i)
				}
				return d("insert", "imports", "documents", docs)
			}),
		},
		{
			Name: "a list of a thousand", Lesson: "data that is read together", Rules: []string{"Q07"}, Namespace: "orders", Field: "customerId",
			Why:   "each value is a range of its own to seek, and the whole list is planned and kept at once",
			Avoid: side(once(find("orders", d("customerId", d("$in", numbers(0, longList)))))),
			Prefer: func(ctx context.Context, db *mongo.Database, n int) error {
				for from := 0; n == 0 && from < longList; from += shortList {
					list := numbers(from, shortList)
					if err := run(ctx, db, find("orders", d("customerId", d("$in", list)))); err != nil {
						return err
					}
				}
				return nil
			},
		},
		{
			Name: "two documents at a time", Lesson: "cursors and batches", Rules: []string{"O02"}, Namespace: "reviews",
			Why:    "each batch is a round trip, and the server's own batches would hold the whole list",
			Avoid:  side(always(find("reviews", d("productId", d("$lt", batch)), "limit", pageOfReviews, "batchSize", 2))),
			Prefer: side(always(find("reviews", d("productId", d("$lt", batch)), "limit", pageOfReviews))),
		},
	}
}

// numbers are count integers in a row.
func numbers(from, count int) bson.A {
	out := make(bson.A, count)
	for i := range out {
		out[i] = from + i
	}
	return out
}
