package demo

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
)

// How many documents the shop has: enough for explain to show a difference,
// few enough to be there in seconds.
const (
	numCustomers = 20_000
	numProducts  = 2_000
	numReviews   = 10_000
	numOrders    = 5_000
	numEvents    = 5_000
	numManuals   = 3
)

// marker is a collection that says that the database is ours.
const marker = "mongoadvisor_demo"

// day is a date counted from the shop's first one.
func day(n int) bson.DateTime {
	return bson.NewDateTimeFromTime(time.Date(2026, 1, 1, 9, 0, 0, 0, time.UTC).AddDate(0, 0, n))
}

func name(prefix string, n int) string { return fmt.Sprintf("%s-%02d", prefix, n) }

// Seed fills the shop, always with the same documents. A database called shop
// that it did not make is refused.
func Seed(ctx context.Context, client *mongo.Client) error {
	db := client.Database(Database)
	if err := own(ctx, db); err != nil {
		return err
	}
	r := rand.New(rand.NewPCG(1, 2))
	for _, c := range []struct {
		name    string
		docs    []any
		indexes []bson.D
	}{
		{"customers", customers(r), []bson.D{d("address.city", 1), d("name", 1), d("email", 1), d("emailReversed", 1)}},
		{"products", products(r), []bson.D{d("categoryPath", 1), d("sku", 1), d("ean", 1), d("specs.k", 1, "specs.v", 1), d("name", "text")}},
		{"reviews", reviews(r), []bson.D{d("productId", 1), d("createdAt", -1)}},
		{"orders", orders(r), []bson.D{d("customerId", 1), d("customer._id", 1), d("product._id", 1)}},
		{"events", events(r), []bson.D{d("customerId", 1, "ts", 1)}},
		{"categories", categories(), []bson.D{d("path", 1), d("ancestors", 1), d("parent", 1), d("lft", 1), d("rgt", 1)}},
		{"employees", employees(), []bson.D{d("managerId", 1)}},
		{"manuals", manuals(2 << 20), nil},
		{"manual_titles", manuals(0), nil},
		{"posts", few(10), nil},
		{"books", few(10), nil},
	} {
		coll := db.Collection(c.name)
		if _, err := coll.InsertMany(ctx, c.docs); err != nil {
			return fmt.Errorf("demo: filling %s: %w", c.name, err)
		}
		for _, keys := range c.indexes {
			if _, err := coll.Indexes().CreateOne(ctx, mongo.IndexModel{Keys: keys}); err != nil {
				return fmt.Errorf("demo: index on %s: %w", c.name, err)
			}
		}
	}
	for _, index := range caselessIndexes {
		if err := index.create(ctx, db); err != nil {
			return err
		}
	}
	series := options.TimeSeries().SetTimeField("t").SetMetaField("sensorId").SetGranularity("minutes")
	if err := db.CreateCollection(ctx, "readings", options.CreateCollection().SetTimeSeriesOptions(series)); err != nil {
		return fmt.Errorf("demo: time series: %w", err)
	}
	return nil
}

// own drops a shop of an earlier run, and refuses anybody else's.
func own(ctx context.Context, db *mongo.Database) error {
	names, err := db.ListCollectionNames(ctx, d())
	if err != nil {
		return fmt.Errorf("demo: %w", err)
	}
	if len(names) > 0 {
		ours := false
		for _, n := range names {
			ours = ours || n == marker
		}
		if !ours {
			return fmt.Errorf("demo: the server has a database %q that the demo did not make; it is left alone", db.Name())
		}
		if err := db.Drop(ctx); err != nil {
			return fmt.Errorf("demo: %w", err)
		}
	}
	if _, err := db.Collection(marker).InsertOne(ctx, d("_id", 1)); err != nil {
		return fmt.Errorf("demo: %w", err)
	}
	return nil
}
