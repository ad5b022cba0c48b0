package e2e

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
)

// writeScenarios are those for writes: W03 to W05, W07, W08.
var writeScenarios = []scenario{
	{name: "a suite of ordinary tests", profiles: everywhere, run: ordinary(5000)},

	{
		name: "a field for each day", rule: "W03", reason: "data-keys", coll: "pages",
		run: eachTime(10, func(ctx context.Context, db *mongo.Database, n int) error {
			return updateOne(ctx, db, "pages", bson.M{"_id": n}, bson.M{"$inc": bson.M{fmt.Sprintf("views.2026-01-%02d", n+1): 1}})
		}),
	},
	{
		name: "a document for each day", profiles: everywhere,
		run: eachTime(15, func(ctx context.Context, db *mongo.Database, n int) error {
			day := fmt.Sprintf("2026-01-%02d", n+1)
			return upsertOne(ctx, db, "pageViews", bson.M{"pageId": 5, "day": day}, bson.M{"$inc": bson.M{"views": 1}, "$set": bson.M{"title.en": "x", "title.de-AT": "y"}})
		}),
	},

	{
		name: "a form that saves all", rule: "W04", reason: "replace-large", coll: "pages",
		run: eachTime(6, func(ctx context.Context, db *mongo.Database, n int) error {
			page := bson.M{"n": n, "text": strings.Repeat("x", 20<<10)}
			_, err := db.Collection("pages").ReplaceOne(ctx, bson.M{"_id": 5}, page, options.Replace().SetUpsert(true))
			return err
		}),
	},
	{
		name: "saved without a change", rule: "W04", reason: "noop", coll: "settings",
		run: eachTime(30, func(ctx context.Context, db *mongo.Database, n int) error {
			_, err := db.Collection("settings").ReplaceOne(ctx, bson.M{"_id": 5}, bson.D{{Key: "theme", Value: "dark"}, {Key: "size", Value: 3}}, options.Replace().SetUpsert(true))
			return err
		}),
	},
	{
		name: "read, changed, replaced", rule: "W04", reason: "save-after-read", coll: "pages", flags: []string{"--limit", "W04.saves=10"},
		prepare: fillDocuments("pages", 12), run: eachTime(12, readAndReplace),
	},
	{
		name: "what has changed, and small documents", profiles: everywhere, prepare: fillDocuments("pages", 40),
		run: eachTime(40, func(ctx context.Context, db *mongo.Database, n int) error {
			pages := db.Collection("pages")
			var page bson.M
			if err := pages.FindOne(ctx, bson.M{"_id": n}).Decode(&page); err != nil {
				return err
			}
			if err := updateOne(ctx, db, "pages", bson.M{"_id": n}, bson.M{"$set": bson.M{"state": n}}); err != nil {
				return err
			}
			_, err := db.Collection("tags").ReplaceOne(ctx, bson.M{"_id": n}, bson.M{"name": n}, options.Replace().SetUpsert(true))
			return err
		}),
	},

	{
		name: "an insert for each line", rule: "W05", reason: "inserts", coll: "imports",
		run: eachTime(30, func(ctx context.Context, db *mongo.Database, n int) error {
			_, err := db.Collection("imports").InsertOne(ctx, bson.M{"line": n})
			return err
		}),
	},
	{
		name: "an update for each document", rule: "W05", reason: "updates", coll: "pages", prepare: fillDocuments("pages", 40),
		run: eachTime(40, func(ctx context.Context, db *mongo.Database, n int) error {
			return updateOne(ctx, db, "pages", bson.M{"_id": n}, bson.M{"$set": bson.M{"state": "seen"}})
		}),
	},
	{
		name: "batches", profiles: everywhere, prepare: fillDocuments("pages", 40),
		run: eachTime(30, func(ctx context.Context, db *mongo.Database, n int) error {
			if _, err := db.Collection("imports").InsertMany(ctx, []any{bson.M{"line": n}, bson.M{"line": n + 1}}, options.InsertMany().SetOrdered(false)); err != nil {
				return err
			}
			var models []mongo.WriteModel
			for i := range 40 {
				models = append(models, mongo.NewUpdateOneModel().SetFilter(bson.M{"_id": i}).SetUpdate(bson.M{"$set": bson.M{"state": n}}))
			}
			_, err := db.Collection("pages").BulkWrite(ctx, models, options.BulkWrite().SetOrdered(false))
			return err
		}),
	},
	{
		name: "a write for each request", profiles: everywhere, prepare: fillDocuments("pages", 40),
		run: eachTime(60, func(ctx context.Context, db *mongo.Database, n int) error {
			if err := db.Collection("pages").FindOne(ctx, bson.M{"_id": n % 40}).Err(); err != nil {
				return err
			}
			_, err := db.Collection("orders").InsertOne(ctx, bson.M{"page": n})
			return err
		}),
	},

	{
		name: "every view counted at once", rule: "W07", reason: "counter", coll: "pages", prepare: fillDocuments("pages", 1),
		flags: []string{"--limit", "W07.hot-rate=10", "--limit", "W07.hot-seconds=1"},
		run: eachTime(100, func(ctx context.Context, db *mongo.Database, n int) error {
			return updateOne(ctx, db, "pages", bson.M{"_id": 0}, bson.M{"$inc": bson.M{"views": 1}})
		}),
	},
	{
		name: "every view counted at once, for two seconds", rule: "W07", reason: "counter", coll: "pages", prepare: fillDocuments("pages", 1),
		run: func(ctx context.Context, db *mongo.Database) error {
			for end := time.Now().Add(3200 * time.Millisecond); time.Now().Before(end); {
				if err := updateOne(ctx, db, "pages", bson.M{"_id": 0}, bson.M{"$inc": bson.M{"views": 1}}); err != nil {
					return err
				}
			}
			return nil
		},
	},
	{
		name: "a sequence, and a short loop", profiles: everywhere, prepare: fillDocuments("pages", 1),
		run: eachTime(200, func(ctx context.Context, db *mongo.Database, n int) error {
			if n < 20 {
				return updateOne(ctx, db, "pages", bson.M{"_id": 0}, bson.M{"$inc": bson.M{"views": 1}})
			}
			opts := options.FindOneAndUpdate().SetUpsert(true).SetReturnDocument(options.After)
			return db.Collection("sequences").FindOneAndUpdate(ctx, bson.M{"_id": "order"}, bson.M{"$inc": bson.M{"n": 1}}, opts).Err()
		}),
	},

	{
		name: "a copy of what changes all day", rule: "W08", reason: "many-documents", coll: "orders", prepare: fillOrders(1500),
		run: eachTime(6, func(ctx context.Context, db *mongo.Database, n int) error {
			_, err := db.Collection("orders").UpdateMany(ctx, bson.M{"product._id": 1}, bson.M{"$set": bson.M{"product.stock": n}})
			return err
		}),
	},
	{
		name: "a name that changed", profiles: everywhere, prepare: fillOrders(1500),
		run: eachTime(3, func(ctx context.Context, db *mongo.Database, n int) error { // one for each product, once
			_, err := db.Collection("orders").UpdateMany(ctx, bson.M{"product._id": n}, bson.M{"$set": bson.M{"product.name": "new"}})
			return err
		}),
	},
}

// ordinary is a suite of tests of an application that has nothing to be told: one
// client, all operations, in an order that chance makes the same each time.
func ordinary(times int) func(context.Context, *mongo.Database) error {
	return func(ctx context.Context, db *mongo.Database) error {
		r := rand.New(rand.NewPCG(7, 7))
		users, orders := db.Collection("users"), db.Collection("orders")
		for n := range times {
			id := bson.M{"_id": r.IntN(500)}
			var err error
			switch r.IntN(10) {
			case 0:
				_, err = orders.InsertOne(ctx, bson.M{"user": id["_id"], "total": n, "state": "new"})
			case 1:
				_, err = users.UpdateOne(ctx, id, bson.M{"$set": bson.M{"name": "x", "profile.city": "y", "seen": n}}, options.UpdateOne().SetUpsert(true))
			case 2:
				_, err = users.UpdateOne(ctx, id, bson.M{"$inc": bson.M{"stats.logins": 1}})
			case 3:
				_, err = users.ReplaceOne(ctx, id, bson.M{"name": "x", "n": n}, options.Replace().SetUpsert(true))
			case 4:
				_, err = orders.DeleteOne(ctx, bson.M{"user": id["_id"], "state": "done"})
			case 5:
				err = users.FindOneAndUpdate(ctx, id, bson.M{"$set": bson.M{"active": r.IntN(2) == 0}}).Err()
			case 6:
				_, err = orders.UpdateMany(ctx, bson.M{"user": id["_id"]}, bson.M{"$set": bson.M{"state": "done"}})
			case 7:
				_, err = orders.CountDocuments(ctx, bson.M{"user": id["_id"]})
			default:
				err = users.FindOne(ctx, id).Err()
			}
			if err != nil && !errors.Is(err, mongo.ErrNoDocuments) {
				return err
			}
		}
		return nil
	}
}

// eachTime runs a step so many times, one after the other.
func eachTime(times int, step func(ctx context.Context, db *mongo.Database, n int) error) func(context.Context, *mongo.Database) error {
	return func(ctx context.Context, db *mongo.Database) error {
		for n := range times {
			if err := step(ctx, db, n); err != nil {
				return err
			}
		}
		return nil
	}
}

func updateOne(ctx context.Context, db *mongo.Database, coll string, filter, change bson.M) error {
	_, err := db.Collection(coll).UpdateOne(ctx, filter, change)
	return err
}

func upsertOne(ctx context.Context, db *mongo.Database, coll string, filter, change bson.M) error {
	_, err := db.Collection(coll).UpdateOne(ctx, filter, change, options.UpdateOne().SetUpsert(true))
	return err
}

// fillDocuments makes documents of some kilobytes with numbers as _id.
func fillDocuments(coll string, n int) func(context.Context, *mongo.Database) error {
	return func(ctx context.Context, db *mongo.Database) error {
		docs := make([]any, n)
		for i := range docs {
			docs[i] = bson.M{"_id": i, "text": strings.Repeat("x", 2<<10)}
		}
		_, err := db.Collection(coll).InsertMany(ctx, docs)
		return err
	}
}

// fillOrders makes orders of three products, with an index on the reference.
func fillOrders(n int) func(context.Context, *mongo.Database) error {
	return func(ctx context.Context, db *mongo.Database) error {
		docs := make([]any, n)
		for i := range docs {
			docs[i] = bson.M{"_id": i, "product": bson.M{"_id": i % 3, "name": "x", "stock": 5}}
		}
		if _, err := db.Collection("orders").InsertMany(ctx, docs); err != nil {
			return err
		}
		_, err := db.Collection("orders").Indexes().CreateOne(ctx, mongo.IndexModel{Keys: bson.D{{Key: "product._id", Value: 1}}})
		return err
	}
}

func readAndReplace(ctx context.Context, db *mongo.Database, n int) error {
	var page bson.M
	if err := db.Collection("pages").FindOne(ctx, bson.M{"_id": n}).Decode(&page); err != nil {
		return err
	}
	page["state"] = n
	_, err := db.Collection("pages").ReplaceOne(ctx, bson.M{"_id": n}, page)
	return err
}
