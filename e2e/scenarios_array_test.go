package e2e

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
)

// arrayScenarios are those for arrays and sizes of documents: W01, S01 to S03, I04.
var arrayScenarios = []scenario{
	{name: "comments in their post", rule: "W01", reason: "push", coll: "posts", run: repeated(12, func(ctx context.Context, db *mongo.Database, n int) error {
		return upsertByID(ctx, db, "posts", 1, bson.D{{Key: "$push", Value: bson.D{{Key: "comments", Value: newComment(n)}}}})
	})},
	{name: "buyers in their book", rule: "W01", reason: "add-to-set", coll: "books", run: repeated(5, func(ctx context.Context, db *mongo.Database, n int) error {
		return upsertByID(ctx, db, "books", 1, bson.D{{Key: "$addToSet", Value: bson.D{{Key: "buyers", Value: n}}}})
	})},
	{name: "a log that a pipeline appends to", rule: "W01", reason: "concat", coll: "jobs", run: repeated(3, func(ctx context.Context, db *mongo.Database, n int) error {
		sub := bson.D{{Key: "$mergeObjects", Value: bson.A{"$run", bson.D{{Key: "log", Value: bson.D{{Key: "$concatArrays", Value: bson.A{bson.D{{Key: "$ifNull", Value: bson.A{"$run.log", bson.A{}}}}, bson.A{n}}}}}}}}}
		return upsertByID(ctx, db, "jobs", 1, bson.A{bson.D{{Key: "$set", Value: bson.D{{Key: "run", Value: sub}}}}})
	})},
	{name: "items that are saved as a whole", rule: "W01", reason: "rewrite", coll: "lists", run: repeated(25, func(ctx context.Context, db *mongo.Database, n int) error {
		return upsertByID(ctx, db, "lists", 1, bson.D{{Key: "$set", Value: bson.D{{Key: "items", Value: newComments(n + 1)}}}})
	})},
	{
		name: "a growing post with a date", rule: "W01", reason: "push", coll: "posts", flags: []string{"--limit", "W01.forecast-minutes=0"},
		run: func(ctx context.Context, db *mongo.Database) error {
			posts := db.Collection("posts")
			for n := range 40 {
				after := options.FindOneAndUpdate().SetUpsert(true).SetReturnDocument(options.After)
				push := bson.D{{Key: "$push", Value: bson.D{{Key: "comments", Value: newComment(n)}}}}
				if err := posts.FindOneAndUpdate(ctx, whereID(1), push, after).Err(); err != nil {
					return err
				}
			}
			return nil
		},
	},
	{name: "a bounded preview", profiles: everywhere, run: repeated(60, func(ctx context.Context, db *mongo.Database, n int) error {
		if _, err := db.Collection("comments").InsertOne(ctx, append(newComment(n), bson.E{Key: "postId", Value: 1})); err != nil {
			return err
		}
		newest := bson.D{{Key: "$each", Value: bson.A{newComment(n)}}, {Key: "$slice", Value: -10}}
		return upsertByID(ctx, db, "posts", 1, bson.D{{Key: "$push", Value: bson.D{{Key: "recent", Value: newest}}}, {Key: "$inc", Value: bson.D{{Key: "count", Value: 1}}}})
	})},
	{name: "buckets of ten", profiles: everywhere, run: repeated(60, func(ctx context.Context, db *mongo.Database, n int) error {
		filter := bson.D{{Key: "sensorId", Value: 7}, {Key: "count", Value: bson.D{{Key: "$lt", Value: 10}}}}
		push := bson.D{{Key: "$push", Value: bson.D{{Key: "values", Value: n}}}, {Key: "$inc", Value: bson.D{{Key: "count", Value: 1}}}}
		_, err := db.Collection("readings").UpdateOne(ctx, filter, push, options.UpdateOne().SetUpsert(true))
		return err
	})},
	{name: "a cart that is filled and emptied", profiles: everywhere, run: repeated(90, func(ctx context.Context, db *mongo.Database, n int) error {
		return upsertByID(ctx, db, "carts", n/30, bson.D{{Key: "$set", Value: bson.D{{Key: "items", Value: newComments(n % 15)}}}})
	})},

	{name: "many likes in a post", rule: "S01", reason: "large", coll: "posts", prepare: insertDocs("posts", likedPost(1, 400)), run: readByID("posts", 1, 3, nil)},
	{name: "likes that are written at once", rule: "S01", reason: "large", coll: "posts", run: insertDocs("posts", likedPost(1, 400))},
	{
		name: "one bestseller among many books", rule: "S01", reason: "outlier", coll: "books",
		prepare: func(ctx context.Context, db *mongo.Database) error {
			return insertDocs("books", append(slices.Collect(func(yield func(any) bool) {
				for n := range 20 {
					yield(likedPost(n+2, 3))
				}
			}), likedPost(1, 400))...)(ctx, db)
		},
		run: func(ctx context.Context, db *mongo.Database) error {
			few := bson.D{{Key: "_id", Value: bson.D{{Key: "$gt", Value: 1}}}}
			for range 11 {
				var docs []bson.M
				cursor, err := db.Collection("books").Find(ctx, few)
				if err != nil {
					return err
				}
				if err := cursor.All(ctx, &docs); err != nil {
					return err
				}
			}
			return readByID("books", 1, 1, nil)(ctx, db)
		},
	},
	{name: "a vector and few likes", profiles: everywhere, prepare: insertDocs("posts", bson.D{{Key: "_id", Value: 1}, {Key: "embedding", Value: make([]float64, 1536)}, {Key: "likes", Value: []string{"a"}}}), run: readByID("posts", 1, 30, nil)},
	{name: "a part of the likes", profiles: everywhere, prepare: insertDocs("posts", likedPost(1, 400)), run: readByID("posts", 1, 30, bson.D{{Key: "likes", Value: bson.D{{Key: "$slice", Value: -10}}}})},

	{name: "two megabytes for a title", rule: "S02", reason: "large", coll: "manuals", prepare: insertDocs("manuals", manualOf(2_100_000)), run: readByID("manuals", 1, 3, nil)},
	{name: "a manual of 210 KB is written", rule: "S02", reason: "large", coll: "manuals", run: insertDocs("manuals", manualOf(210_000))},
	{name: "the title of two megabytes", profiles: everywhere, prepare: insertDocs("manuals", manualOf(2_100_000)), run: readByID("manuals", 1, 30, bson.D{{Key: "title", Value: 1}})},
	{
		name: "texts in a collection of their own", profiles: everywhere,
		prepare: insertDocs("manualsDetails", bson.D{{Key: "_id", Value: 1}, {Key: "text", Value: strings.Repeat("x", 2_100_000)}}), run: readByID("manualsDetails", 1, 30, nil),
	},

	{name: "a document that is almost full", rule: "S03", reason: "near-limit", coll: "logs", prepare: insertDocs("logs", manualOf(13<<20)), run: readByID("logs", 1, 1, nil)},
	{name: "a push into a full document", rule: "S03", reason: "refused", coll: "logs", prepare: insertDocs("logs", manualOf(16<<20-500)), run: func(ctx context.Context, db *mongo.Database) error {
		var refused mongo.WriteException
		err := upsertByID(ctx, db, "logs", 1, bson.D{{Key: "$push", Value: bson.D{{Key: "lines", Value: strings.Repeat("x", 40_000)}}}})
		if !errors.As(err, &refused) {
			return fmt.Errorf("the server took it: %w", err)
		}
		return nil
	}},

	{
		name: "an order with many indexed items", rule: "I04", reason: "fanout", coll: "orders", flags: []string{"--rules", "-S01"},
		run: func(ctx context.Context, db *mongo.Database) error {
			keys := bson.D{{Key: "items.text", Value: 1}}
			if _, err := db.Collection("orders").Indexes().CreateOne(ctx, mongo.IndexModel{Keys: keys}); err != nil {
				return err
			}
			return insertDocs("orders", bson.D{{Key: "items", Value: newComments(1200)}})(ctx, db)
		},
	},
	{
		name: "two arrays in one index", rule: "I04", reason: "parallel-arrays", coll: "shelves",
		run: func(ctx context.Context, db *mongo.Database) error {
			keys := bson.D{{Key: "a", Value: 1}, {Key: "b", Value: 1}}
			if _, err := db.Collection("shelves").Indexes().CreateOne(ctx, mongo.IndexModel{Keys: keys}); err != nil {
				return err
			}
			if err := insertDocs("shelves", bson.D{{Key: "a", Value: bson.A{1}}, {Key: "b", Value: bson.A{1}}})(ctx, db); err == nil {
				return errors.New("the server took it")
			}
			return nil
		},
	},
	{name: "short arrays that are indexed", profiles: everywhere, run: func(ctx context.Context, db *mongo.Database) error {
		keys := bson.D{{Key: "likes", Value: 1}}
		if _, err := db.Collection("posts").Indexes().CreateOne(ctx, mongo.IndexModel{Keys: keys}); err != nil {
			return err
		}
		posts := make([]any, 30)
		for n := range posts {
			posts[n] = likedPost(n, 20)
		}
		return insertDocs("posts", posts...)(ctx, db)
	}},
}

type runFunc = func(ctx context.Context, db *mongo.Database) error

func whereID(n int) bson.D { return bson.D{{Key: "_id", Value: n}} }

// upsertByID updates one document and makes it when it is not there.
func upsertByID(ctx context.Context, db *mongo.Database, coll string, n int, update any) error {
	_, err := db.Collection(coll).UpdateOne(ctx, whereID(n), update, options.UpdateOne().SetUpsert(true))
	return err
}

func insertDocs(coll string, docs ...any) runFunc {
	return func(ctx context.Context, db *mongo.Database) error {
		_, err := db.Collection(coll).InsertMany(ctx, docs)
		return err
	}
}

// readByID finds one document by its _id, some times.
func readByID(coll string, n, often int, projection any) runFunc {
	return repeated(often, func(ctx context.Context, db *mongo.Database, _ int) error {
		return db.Collection(coll).FindOne(ctx, whereID(n), options.FindOne().SetProjection(projection)).Err()
	})
}

func newComment(n int) bson.D {
	return bson.D{{Key: "author", Value: n}, {Key: "text", Value: "well said"}}
}

func newComments(n int) bson.A {
	out := bson.A{}
	for i := range n {
		out = append(out, newComment(i))
	}
	return out
}

func likedPost(n, many int) bson.D {
	names := make([]string, many)
	for i := range names {
		names[i] = fmt.Sprint("user", i)
	}
	return bson.D{{Key: "_id", Value: n}, {Key: "likes", Value: names}}
}

func manualOf(bytes int) bson.D {
	return bson.D{{Key: "_id", Value: 1}, {Key: "title", Value: "A manual"}, {Key: "text", Value: strings.Repeat("x", bytes)}}
}
