package e2e

import (
	"context"
	"errors"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
)

// operationScenarios are those for cursors, errors and indexes: Q09, Q10, O02, O04, I05.
// Connections and transactions have tests of their own.
var operationScenarios = []scenario{
	{
		name: "a collection read at each request", rule: "Q09", reason: "no-filter", coll: "c",
		prepare: numbered(2500), run: times(3, all(bson.D{})),
	},
	{
		name: "much of a collection read at each request", rule: "Q09", reason: "drained", coll: "c", flags: limit("Q09.documents=2000"),
		prepare: numbered(2500), run: times(3, func(ctx context.Context, db *mongo.Database) error {
			c, err := db.Collection("c").Aggregate(ctx, bson.A{bson.D{{Key: "$match", Value: bson.D{{Key: "n", Value: bson.D{{Key: "$gte", Value: 0}}}}}}})
			return drained(ctx, c, err)
		}),
	},
	{
		name: "pages, and a small collection as a whole", profiles: everywhere, prepare: numbered(900),
		run: times(20, func(ctx context.Context, db *mongo.Database) error {
			page := options.Find().SetLimit(50).SetSort(bson.D{{Key: "_id", Value: 1}})
			return errors.Join(all(bson.D{})(ctx, db), all(bson.D{{Key: "_id", Value: bson.D{{Key: "$gt", Value: 100}}}}, page)(ctx, db))
		}),
	},
	{
		name: "a field without an index", rule: "Q10", reason: "collscan", coll: "c", flags: limit("Q10.slow-ms=1"),
		prepare: numbered(20_000), run: func(ctx context.Context, db *mongo.Database) error {
			return errors.Join(all(bson.D{{Key: "_id", Value: 1}})(ctx, db), times(8, all(bson.D{{Key: "mod", Value: 7}}, options.Find().SetLimit(30)))(ctx, db))
		},
	},
	{
		name: "an order without an index", rule: "Q10", reason: "sort-in-memory", coll: "c", flags: limit("Q10.slow-ms=1"),
		prepare: numbered(20_000), run: func(ctx context.Context, db *mongo.Database) error {
			newest := options.Find().SetLimit(20).SetSort(bson.D{{Key: "mod", Value: -1}})
			return errors.Join(all(bson.D{{Key: "_id", Value: 1}})(ctx, db), times(8, all(bson.D{}, newest))(ctx, db))
		},
	},
	{
		name: "a field with the index", profiles: everywhere, flags: limit("Q10.slow-ms=0"), prepare: numbered(2000),
		run: func(ctx context.Context, db *mongo.Database) error {
			_, err := db.Collection("c").Indexes().CreateOne(ctx, mongo.IndexModel{Keys: bson.D{{Key: "mod", Value: 1}, {Key: "n", Value: -1}}})
			newest := options.Find().SetLimit(20).SetSort(bson.D{{Key: "n", Value: -1}})
			return errors.Join(err, times(30, all(bson.D{{Key: "mod", Value: 7}}, newest))(ctx, db))
		},
	},
	{
		name: "a result two documents at a time", rule: "O02", reason: "tiny-batch", coll: "c",
		prepare: numbered(30), run: times(3, all(bson.D{{Key: "n", Value: bson.D{{Key: "$lt", Value: 30}}}}, options.Find().SetBatchSize(2))),
	},
	{
		name: "slow reads without a deadline", rule: "O02", reason: "no-max-time", coll: "c", flags: limit("O02.slow-ms=1"),
		prepare: numbered(20_000), run: times(3, all(bson.D{{Key: "mod", Value: 7}})),
	},
	{
		name: "cursors without a timeout", rule: "O02", reason: "no-cursor-timeout", coll: "c",
		prepare: numbered(30), run: times(3, all(bson.D{{Key: "n", Value: 7}}, options.Find().SetNoCursorTimeout(true))),
	},
	{
		name: "cursors that are left", rule: "O02", reason: "abandoned-cursor", coll: "c", flags: append(limit("O02.idle=1"), limit("O02.abandoned=5")...),
		prepare: numbered(30), run: func(ctx context.Context, db *mongo.Database) error {
			open := func(ctx context.Context, db *mongo.Database) error {
				return db.RunCommand(ctx, bson.D{{Key: "find", Value: "c"}, {Key: "batchSize", Value: 3}}).Err()
			}
			err := times(6, open)(ctx, db)
			time.Sleep(1200 * time.Millisecond)
			return errors.Join(err, open(ctx, db))
		},
	},
	{
		name: "slow reads with the driver's deadline", profiles: everywhere, flags: limit("O02.slow-ms=0"),
		prepare: numbered(30), run: times(5, func(ctx context.Context, db *mongo.Database) error {
			ctx, cancel := context.WithTimeout(ctx, time.Minute) // the driver makes a maxTimeMS of it
			defer cancel()
			return db.Collection("c").FindOne(ctx, bson.D{{Key: "n", Value: 7}}).Err()
		}),
	},
	{
		name: "cursors that are closed", profiles: everywhere, flags: limit("O02.idle=1"),
		prepare: numbered(300), run: func(ctx context.Context, db *mongo.Database) error {
			peek := func(ctx context.Context, db *mongo.Database) error {
				c, err := db.Collection("c").Find(ctx, bson.D{{Key: "n", Value: bson.D{{Key: "$gte", Value: 0}}}})
				if err != nil {
					return err
				}
				c.Next(ctx)
				return c.Close(ctx)
			}
			err := times(30, peek)(ctx, db)
			time.Sleep(1200 * time.Millisecond)
			return errors.Join(err, peek(ctx, db))
		},
	},
	{
		name: "the same key inserted again and again", rule: "O04", reason: "duplicate-key", coll: "c",
		prepare: numbered(1), run: times(70, failing(insert(0))),
	},
	{
		name: "a command that nobody knows", rule: "O04", reason: "unknown-command",
		run: times(12, failing(func(ctx context.Context, db *mongo.Database) error {
			return db.RunCommand(ctx, bson.D{{Key: "frobnicate", Value: 1}}).Err()
		})),
	},
	{
		name: "a query that never ends in time", rule: "O04", reason: "time-limit", coll: "c", prepare: numbered(30_000),
		run: times(12, failing(func(ctx context.Context, db *mongo.Database) error {
			slow := bson.D{{Key: "$match", Value: bson.D{{Key: "n", Value: bson.D{{Key: "$gt", Value: 0}}}}}}
			group := bson.D{{Key: "$group", Value: bson.D{{Key: "_id", Value: "$n"}, {Key: "mod", Value: bson.D{{Key: "$max", Value: "$mod"}}}}}}
			return db.RunCommand(ctx, bson.D{{Key: "aggregate", Value: "c"}, {Key: "pipeline", Value: bson.A{slow, group}}, {Key: "cursor", Value: bson.D{}}, {Key: "maxTimeMS", Value: 1}}).Err()
		})),
	},
	{
		name: "uniqueness checked by inserting, and collections dropped before each test", profiles: everywhere,
		prepare: numbered(1), run: times(30, func(ctx context.Context, db *mongo.Database) error {
			_ = db.RunCommand(ctx, bson.D{{Key: "drop", Value: "fresh"}}).Err()
			return failing(insert(0))(ctx, db)
		}),
	},
	{
		name: "the tests of an application", profiles: everywhere, flags: []string{"--rules", "Q09,Q10,I05,O01,O02,O03,O04"},
		run: times(400, func(ctx context.Context, db *mongo.Database) error {
			c, id := db.Collection("c"), bson.NewObjectID()
			_, err := c.InsertOne(ctx, bson.D{{Key: "_id", Value: id}, {Key: "state", Value: "new"}})
			again := failing(func(ctx context.Context, _ *mongo.Database) error {
				return c.FindOne(ctx, bson.D{{Key: "_id", Value: "none"}}).Err()
			})(ctx, db)
			_, updated := c.UpdateOne(ctx, bson.D{{Key: "_id", Value: id}}, bson.D{{Key: "$set", Value: bson.D{{Key: "state", Value: "paid"}}}})
			_, counted := c.CountDocuments(ctx, bson.D{{Key: "state", Value: "paid"}})
			found := all(bson.D{{Key: "state", Value: "paid"}}, options.Find().SetLimit(5))(ctx, db)
			_, deleted := c.DeleteMany(ctx, bson.D{{Key: "state", Value: "paid"}})
			return errors.Join(err, again, updated, counted, found, all(bson.D{})(ctx, db), deleted)
		}),
	},
	{
		name: "an index made at each request", rule: "I05", reason: "indexes", coll: "c", flags: []string{"--rules", "+I05"},
		run: times(12, func(ctx context.Context, db *mongo.Database) error {
			_, err := db.Collection("c").Indexes().CreateOne(ctx, mongo.IndexModel{Keys: bson.D{{Key: "n", Value: 1}}})
			return err
		}),
	},
}

func limit(setting string) []string { return []string{"--limit", setting} }

// action is a piece of an application.
type action = func(context.Context, *mongo.Database) error

// times repeats an action.
func times(n int, do action) action {
	return func(ctx context.Context, db *mongo.Database) error {
		for range n {
			if err := do(ctx, db); err != nil {
				return err
			}
		}
		return nil
	}
}

// failing is an action that must fail.
func failing(do action) action {
	return func(ctx context.Context, db *mongo.Database) error {
		if do(ctx, db) == nil {
			return errors.New("no error")
		}
		return nil
	}
}

// all reads what a find returns.
func all(filter bson.D, opts ...options.Lister[options.FindOptions]) action {
	return func(ctx context.Context, db *mongo.Database) error {
		c, err := db.Collection("c").Find(ctx, filter, opts...)
		return drained(ctx, c, err)
	}
}

func drained(ctx context.Context, c *mongo.Cursor, err error) error {
	if err != nil {
		return err
	}
	var docs []bson.Raw
	return c.All(ctx, &docs)
}

func insert(id int) action {
	return func(ctx context.Context, db *mongo.Database) error {
		_, err := db.Collection("c").InsertOne(ctx, bson.D{{Key: "_id", Value: id}})
		return err
	}
}

// numbered fills the collection c.
func numbered(n int) action {
	return func(ctx context.Context, db *mongo.Database) error {
		docs := make([]any, n)
		for i := range docs {
			docs[i] = bson.D{{Key: "_id", Value: i}, {Key: "n", Value: i}, {Key: "mod", Value: i % 1000}}
		}
		_, err := db.Collection("c").InsertMany(ctx, docs)
		return err
	}
}
