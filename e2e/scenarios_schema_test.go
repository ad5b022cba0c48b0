package e2e

import (
	"context"
	"fmt"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
	"go.mongodb.org/mongo-driver/v2/mongo/writeconcern"
)

// schemaScenarios are those for the schema: S04, S06, S08, S09, O06.
var schemaScenarios = []scenario{
	{
		name: "a collection per day", rule: "S04", reason: "templated-name", coll: "events_<n>_<n>_<n>",
		run: func(ctx context.Context, db *mongo.Database) error {
			for n := range 12 {
				day := time.Date(2026, 1, 1+n, 0, 0, 0, 0, time.UTC)
				_, err := db.Collection("events_"+day.Format("2006_01_02")).InsertOne(ctx, bson.D{{Key: "type", Value: "view"}})
				if err != nil {
					return err
				}
			}
			return nil
		},
	},
	{
		name: "a database for each test", profiles: everywhere,
		run: func(ctx context.Context, db *mongo.Database) error {
			for n := range 20 {
				own := db.Client().Database(fmt.Sprintf("%s_%06x", db.Name(), n*7919))
				for _, coll := range []string{"users", "orders", "events_2026"} {
					if _, err := own.Collection(coll).InsertOne(ctx, bson.D{{Key: "n", Value: n}}); err != nil {
						return err
					}
				}
				if err := own.Drop(ctx); err != nil {
					return err
				}
			}
			return nil
		},
	},
	{
		name: "three hundred collections", profiles: everywhere,
		run: func(ctx context.Context, db *mongo.Database) error {
			for n := range 300 {
				name := "part" + string(rune('a'+n/26)) + string(rune('a'+n%26))
				if err := db.Collection(name).FindOne(ctx, bson.D{{Key: "_id", Value: n}}).Err(); err != mongo.ErrNoDocuments {
					return err
				}
			}
			return nil
		},
	},
	{
		name: "a document per reading", rule: "S06", reason: "event-per-document", coll: "readings",
		flags: []string{"--limit", "S06.sustained=1", "--limit", "S06.documents=100"},
		run: func(ctx context.Context, db *mongo.Database) error {
			return readings(ctx, db, "readings", 15)
		},
	},
	{
		name: "readings in a time-series collection", profiles: everywhere,
		flags: []string{"--limit", "S06.sustained=1", "--limit", "S06.documents=100"},
		run: func(ctx context.Context, db *mongo.Database) error {
			series := options.TimeSeries().SetTimeField("at").SetMetaField("sensor")
			if err := db.CreateCollection(ctx, "series", options.CreateCollection().SetTimeSeriesOptions(series)); err != nil {
				return err
			}
			return readings(ctx, db, "series", 15)
		},
	},
	{
		name: "a burst of small documents", profiles: everywhere,
		run: func(ctx context.Context, db *mongo.Database) error {
			return readings(ctx, db, "readings", 8)
		},
	},
	{
		name: "a field per attribute", rule: "S09", reason: "field-per-attribute", coll: "products",
		run: func(ctx context.Context, db *mongo.Database) error {
			for n := range attributes[:9] {
				model := mongo.IndexModel{Keys: bson.D{{Key: attributes[n], Value: 1}}, Options: options.Index().SetSparse(true)}
				if _, err := db.Collection("products").Indexes().CreateOne(ctx, model); err != nil {
					return err
				}
			}
			for _, a := range attributes {
				if err := notFound(db.Collection("products").FindOne(ctx, bson.D{{Key: a, Value: "x"}})); err != nil {
					return err
				}
			}
			return nil
		},
	},
	{
		name: "attributes as pairs", profiles: everywhere,
		run: func(ctx context.Context, db *mongo.Database) error {
			pairs := mongo.IndexModel{Keys: bson.D{{Key: "specs.k", Value: 1}, {Key: "specs.v", Value: 1}}}
			if _, err := db.Collection("products").Indexes().CreateOne(ctx, pairs); err != nil {
				return err
			}
			for _, a := range attributes {
				pair := bson.D{{Key: "$elemMatch", Value: bson.D{{Key: "k", Value: a}, {Key: "v", Value: "x"}}}}
				if err := notFound(db.Collection("products").FindOne(ctx, bson.D{{Key: "specs", Value: pair}})); err != nil {
					return err
				}
			}
			return nil
		},
	},
	{
		name: "orders that nobody acknowledges", rule: "O06", reason: "unacknowledged", coll: "orders", flags: []string{"--rules", "+O06"},
		run: func(ctx context.Context, db *mongo.Database) error {
			return unacknowledged(ctx, db, "orders")
		},
	},
	{
		name: "metrics that nobody acknowledges", profiles: everywhere, flags: []string{"--rules", "+O06"},
		run: func(ctx context.Context, db *mongo.Database) error {
			return unacknowledged(ctx, db, "metrics")
		},
	},
	{
		name: "orders that nobody acknowledges, by default", profiles: everywhere,
		run: func(ctx context.Context, db *mongo.Database) error {
			return unacknowledged(ctx, db, "orders")
		},
	},
	{
		name: "an id looked up as text", rule: "S08", reason: "silent-no-match", coll: "orders", profiles: everywhere,
		run: func(ctx context.Context, db *mongo.Database) error {
			customer := bson.NewObjectID()
			if _, err := db.Collection("orders").InsertOne(ctx, bson.D{{Key: "customerId", Value: customer}}); err != nil {
				return err
			}
			_, err := db.Collection("orders").CountDocuments(ctx, bson.D{{Key: "customerId", Value: customer.Hex()}, {Key: "open", Value: true}})
			if err != nil {
				return err
			}
			return notFound(db.Collection("orders").FindOne(ctx, bson.D{{Key: "customerId", Value: customer.Hex()}}))
		},
	},
	{
		name: "ids of both types in their own collections", profiles: everywhere,
		run: func(ctx context.Context, db *mongo.Database) error {
			user, missing := bson.NewObjectID(), bson.NewObjectID()
			if _, err := db.Collection("users").InsertOne(ctx, bson.D{{Key: "_id", Value: user}, {Key: "age", Value: 30}}); err != nil {
				return err
			}
			if _, err := db.Collection("sessions").InsertOne(ctx, bson.D{{Key: "_id", Value: user.Hex()}, {Key: "userId", Value: user}}); err != nil {
				return err
			}
			for _, f := range []*mongo.SingleResult{
				db.Collection("users").FindOne(ctx, bson.D{{Key: "_id", Value: missing}}),
				db.Collection("sessions").FindOne(ctx, bson.D{{Key: "_id", Value: missing.Hex()}}),
				db.Collection("users").FindOne(ctx, bson.D{{Key: "_id", Value: bson.D{{Key: "$in", Value: bson.A{missing, missing.Hex()}}}}}),
				db.Collection("users").FindOne(ctx, bson.D{{Key: "age", Value: 31.5}}),
			} {
				if err := notFound(f); err != nil {
					return err
				}
			}
			return nil
		},
	},
}

// unacknowledged inserts without an answer, and then asks for one, so that the
// first has arrived.
func unacknowledged(ctx context.Context, db *mongo.Database, coll string) error {
	quiet := db.Collection(coll, options.Collection().SetWriteConcern(writeconcern.Unacknowledged()))
	if _, err := quiet.InsertOne(ctx, bson.D{{Key: "n", Value: 1}}); err != nil {
		return err
	}
	_, err := db.Collection(coll).InsertOne(ctx, bson.D{{Key: "n", Value: 2}})
	return err
}

var attributes = []string{"color", "weight", "width", "height", "depth", "voltage", "power", "material", "finish", "capacity", "speed", "memory", "storage", "screen", "battery", "sleeve"}

// notFound is nil when a query found no document.
func notFound(r *mongo.SingleResult) error {
	if err := r.Err(); err != nil && err != mongo.ErrNoDocuments {
		return err
	}
	return nil
}

// readings inserts some a time, ten times a second.
func readings(ctx context.Context, db *mongo.Database, coll string, batches int) error {
	for b := range batches {
		docs := make([]any, 100)
		for i := range docs {
			docs[i] = bson.D{{Key: "sensor", Value: "hall"}, {Key: "at", Value: time.Now()}, {Key: "t", Value: b + i}}
		}
		if _, err := db.Collection(coll).InsertMany(ctx, docs); err != nil {
			return err
		}
		time.Sleep(100 * time.Millisecond)
	}
	return nil
}
