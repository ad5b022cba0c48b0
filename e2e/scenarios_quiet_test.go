package e2e

import (
	"context"
	"errors"
	"fmt"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
)

// everywhere are the profiles in which nothing may be reported.
var everywhere = []string{"ci", "staging"}

// quietScenarios are what an advisor must not report: what the lessons teach, and
// what only looks like a fault. Each is done often enough to pass every floor.
var quietScenarios = []scenario{
	{name: "bucket with a count guard", profiles: everywhere, run: repeated(40, func(ctx context.Context, db *mongo.Database, n int) error {
		return upsert(ctx, db, "buckets", bson.D{{Key: "sensor", Value: n % 3}, {Key: "count", Value: bson.D{{Key: "$lt", Value: 10}}}},
			bson.D{{Key: "$push", Value: bson.D{{Key: "values", Value: n}}}, {Key: "$inc", Value: bson.D{{Key: "count", Value: 1}}}})
	})},
	{name: "array bounded by a missing element", profiles: everywhere, run: repeated(40, func(ctx context.Context, db *mongo.Database, n int) error {
		return update(ctx, db, "posts", bson.D{{Key: "_id", Value: n % 3}, {Key: "tags.9", Value: bson.D{{Key: "$exists", Value: false}}}},
			bson.D{{Key: "$push", Value: bson.D{{Key: "tags", Value: n}}}})
	})},
	{
		name: "array bounded by its size", profiles: everywhere, prepare: documents("posts", 5, bson.D{{Key: "tags", Value: bson.A{}}}),
		run: repeated(40, func(ctx context.Context, db *mongo.Database, n int) error {
			size := bson.D{{Key: "$expr", Value: bson.D{{Key: "$lt", Value: bson.A{bson.D{{Key: "$size", Value: "$tags"}}, 10}}}}}
			return update(ctx, db, "posts", append(bson.D{{Key: "_id", Value: n % 3}}, size...), bson.D{{Key: "$push", Value: bson.D{{Key: "tags", Value: n}}}})
		}),
	},
	{name: "append cut in the pipeline", profiles: everywhere, run: repeated(40, func(ctx context.Context, db *mongo.Database, n int) error {
		last := bson.D{{Key: "$slice", Value: bson.A{bson.D{{Key: "$concatArrays", Value: bson.A{bson.D{{Key: "$ifNull", Value: bson.A{"$log", bson.A{}}}}, bson.A{n}}}}, -5}}}
		return upsert(ctx, db, "posts", bson.D{{Key: "_id", Value: n % 3}}, bson.A{bson.D{{Key: "$set", Value: bson.D{{Key: "log", Value: last}}}}})
	})},
	{name: "trim without an element", profiles: everywhere, run: repeated(40, func(ctx context.Context, db *mongo.Database, n int) error {
		return update(ctx, db, "posts", bson.D{{Key: "_id", Value: n % 3}},
			bson.D{{Key: "$push", Value: bson.D{{Key: "log", Value: bson.D{{Key: "$each", Value: bson.A{}}, {Key: "$slice", Value: -100}}}}}})
	})},
	{name: "anchored regular expression", profiles: everywhere, prepare: indexed("items", "sku"), run: repeated(40, func(ctx context.Context, db *mongo.Database, n int) error {
		return drain(db.Collection("items").Find(ctx, bson.D{{Key: "sku", Value: bson.Regex{Pattern: fmt.Sprintf("^EL-%02d", n)}}}))
	})},
	{name: "regular expression beside an indexed equality", profiles: everywhere, run: func(ctx context.Context, db *mongo.Database) error {
		if _, err := db.Collection("items").Indexes().CreateOne(ctx, mongo.IndexModel{Keys: bson.D{{Key: "shop", Value: 1}}}); err != nil {
			return err
		}
		return repeated(40, func(ctx context.Context, db *mongo.Database, n int) error {
			return drain(db.Collection("items").Find(ctx, bson.D{{Key: "shop", Value: n}, {Key: "title", Value: bson.Regex{Pattern: "lamp", Options: "i"}}}))
		})(ctx, db)
	}},
	{name: "a thousand ids in one list", profiles: everywhere, run: repeated(25, func(ctx context.Context, db *mongo.Database, n int) error {
		ids := make(bson.A, 1000)
		for i := range ids {
			ids[i] = n*1000 + i
		}
		return drain(db.Collection("items").Find(ctx, bson.D{{Key: "_id", Value: bson.D{{Key: "$in", Value: ids}}}}))
	})},
	{name: "one lookup of a report", profiles: everywhere, run: repeated(1, func(ctx context.Context, db *mongo.Database, _ int) error {
		join := bson.D{{Key: "$lookup", Value: bson.D{{Key: "from", Value: "customers"}, {Key: "localField", Value: "customerId"}, {Key: "foreignField", Value: "_id"}, {Key: "as", Value: "customer"}}}}
		return drain(db.Collection("orders").Aggregate(ctx, bson.A{join}))
	})},
	{name: "three hundred collections", profiles: everywhere, run: repeated(300, func(ctx context.Context, db *mongo.Database, n int) error {
		name := fmt.Sprintf("coll_%d", n)
		_, err := db.Collection(name).InsertOne(ctx, bson.D{{Key: "_id", Value: 1}})
		return err
	})},
	{name: "numeric vector", profiles: everywhere, run: repeated(25, func(ctx context.Context, db *mongo.Database, n int) error {
		vector := make(bson.A, 1536)
		for i := range vector {
			vector[i] = float64(i) / 1536
		}
		if _, err := db.Collection("embeddings").InsertOne(ctx, bson.D{{Key: "_id", Value: n}, {Key: "vector", Value: vector}}); err != nil {
			return err
		}
		return db.Collection("embeddings").FindOne(ctx, bson.D{{Key: "_id", Value: n}}).Err()
	})},
	{name: "tags out of a few", profiles: []string{"staging"}, run: repeated(60, func(ctx context.Context, db *mongo.Database, n int) error {
		return upsert(ctx, db, "items", bson.D{{Key: "_id", Value: n}}, bson.D{{Key: "$addToSet", Value: bson.D{{Key: "tags", Value: []string{"new", "sale", "last"}[n%3]}}}})
	})},
	{name: "array that an object mapper shortens", profiles: []string{"staging"}, run: shortened},
	{name: "transfers that seldom meet", profiles: everywhere, replSet: true, run: transfers},
	{name: "change stream", profiles: everywhere, replSet: true, run: watch},
	{name: "retried write", profiles: everywhere, replSet: true, run: retried},
	{
		name: "mongodump", profiles: everywhere, app: "mongodump", prepare: documents("items", 500, bson.D{{Key: "n", Value: 1}}),
		run: repeated(40, func(ctx context.Context, db *mongo.Database, _ int) error {
			if _, err := db.ListCollectionNames(ctx, bson.D{}); err != nil {
				return err
			}
			return drain(db.Collection("items").Find(ctx, bson.D{}, options.Find().SetBatchSize(10)))
		}),
	},
}

// watch waits on a change stream while others write.
func watch(ctx context.Context, db *mongo.Database) error {
	stream, err := db.Watch(ctx, mongo.Pipeline{}, options.ChangeStream().SetMaxAwaitTime(20*time.Millisecond))
	if err != nil {
		return err
	}
	defer func() { _ = stream.Close(ctx) }()
	for n := range 40 {
		if _, err := db.Collection("orders").InsertMany(ctx, []any{bson.D{{Key: "_id", Value: 2 * n}}, bson.D{{Key: "_id", Value: 2*n + 1}}}); err != nil {
			return err
		}
		for range 2 {
			if !stream.Next(ctx) {
				return errors.Join(errors.New("the stream ended"), stream.Err())
			}
		}
	}
	for range 15 {
		stream.TryNext(ctx)
	}
	return stream.Err()
}

// retried loses the connection under each write, so that the driver sends it again
// under the same transaction number.
func retried(ctx context.Context, db *mongo.Database) error {
	fail := bson.D{
		{Key: "configureFailPoint", Value: "failCommand"},
		{Key: "mode", Value: bson.D{{Key: "times", Value: 1}}},
		{Key: "data", Value: bson.D{{Key: "failCommands", Value: bson.A{"update"}}, {Key: "closeConnection", Value: true}}},
	}
	for n := range 25 {
		if err := db.Client().Database("admin").RunCommand(ctx, fail).Err(); err != nil {
			return err
		}
		if err := upsert(ctx, db, "posts", bson.D{{Key: "_id", Value: n}}, bson.D{{Key: "$set", Value: bson.D{{Key: "n", Value: n}}}}); err != nil {
			return err
		}
	}
	return nil
}

// shortened adds to a list by $push and takes away by setting what is left, as
// Mongoose sends a push and a pop.
func shortened(ctx context.Context, db *mongo.Database) error {
	users := db.Collection("users")
	for n := range 30 {
		id := bson.D{{Key: "_id", Value: n % 10}}
		for range 2 {
			if err := upsert(ctx, db, "users", id, bson.D{{Key: "$push", Value: bson.D{{Key: "addresses", Value: bson.D{{Key: "city", Value: "Pune"}}}}}}); err != nil {
				return err
			}
		}
		var user struct{ Addresses bson.A }
		if err := users.FindOne(ctx, id).Decode(&user); err != nil {
			return err
		}
		if err := update(ctx, db, "users", id, bson.D{{Key: "$set", Value: bson.D{{Key: "addresses", Value: user.Addresses[1:]}}}}); err != nil {
			return err
		}
	}
	return nil
}

// transfers are transactions of which one in twenty-five meets a conflict at its
// first statement, and is run again.
func transfers(ctx context.Context, db *mongo.Database) error {
	fail := bson.D{
		{Key: "configureFailPoint", Value: "failCommand"},
		{Key: "mode", Value: bson.D{{Key: "times", Value: 1}}},
		{Key: "data", Value: bson.D{{Key: "failCommands", Value: bson.A{"update"}}, {Key: "errorCode", Value: 112}, {Key: "errorLabels", Value: bson.A{"TransientTransactionError"}}}},
	}
	if err := documents("accounts", 50, bson.D{{Key: "balance", Value: 1000}})(ctx, db); err != nil {
		return err
	}
	session, err := db.Client().StartSession()
	if err != nil {
		return err
	}
	defer session.EndSession(ctx)
	for n := range 550 {
		if n%25 == 0 {
			if err := db.Client().Database("admin").RunCommand(ctx, fail).Err(); err != nil {
				return err
			}
		}
		_, err := session.WithTransaction(ctx, func(ctx context.Context) (any, error) {
			for i, by := range []int{-5, 5} {
				if err := update(ctx, db, "accounts", bson.D{{Key: "_id", Value: (n + i) % 50}}, bson.D{{Key: "$inc", Value: bson.D{{Key: "balance", Value: by}}}}); err != nil {
					return nil, err
				}
			}
			return db.Collection("transfers").InsertOne(ctx, bson.D{{Key: "from", Value: n % 50}, {Key: "to", Value: (n + 1) % 50}, {Key: "sum", Value: 5}})
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// repeated repeats a step.
func repeated(n int, step func(ctx context.Context, db *mongo.Database, n int) error) func(context.Context, *mongo.Database) error {
	return func(ctx context.Context, db *mongo.Database) error {
		for i := range n {
			if err := step(ctx, db, i); err != nil {
				return err
			}
		}
		return nil
	}
}

// documents fills a collection with n copies of a document under the ids 0 to n-1.
func documents(coll string, n int, doc bson.D) func(context.Context, *mongo.Database) error {
	return func(ctx context.Context, db *mongo.Database) error {
		docs := make([]any, n)
		for i := range docs {
			docs[i] = append(bson.D{{Key: "_id", Value: i}}, doc...)
		}
		_, err := db.Collection(coll).InsertMany(ctx, docs)
		return err
	}
}

// indexed makes an index past the proxy.
func indexed(coll, field string) func(context.Context, *mongo.Database) error {
	return func(ctx context.Context, db *mongo.Database) error {
		_, err := db.Collection(coll).Indexes().CreateOne(ctx, mongo.IndexModel{Keys: bson.D{{Key: field, Value: 1}}})
		return err
	}
}

func update(ctx context.Context, db *mongo.Database, coll string, filter, change any) error {
	_, err := db.Collection(coll).UpdateOne(ctx, filter, change)
	return err
}

func upsert(ctx context.Context, db *mongo.Database, coll string, filter, change any) error {
	_, err := db.Collection(coll).UpdateOne(ctx, filter, change, options.UpdateOne().SetUpsert(true))
	return err
}

// drain reads a cursor to its end.
func drain(cursor *mongo.Cursor, err error) error {
	if err != nil {
		return err
	}
	var all []bson.Raw
	return cursor.All(context.Background(), &all)
}
