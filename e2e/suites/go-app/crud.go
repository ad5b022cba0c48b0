package main

import (
	"errors"
	"strings"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
	"go.mongodb.org/mongo-driver/v2/mongo/writeconcern"
)

func crud() []test {
	return []test{
		{name: "crud/insert, find, replace, delete", run: func(a *app) error {
			c := a.things()
			if _, err := c.InsertOne(a, bson.D{{Key: "_id", Value: 1}, {Key: "name", Value: "ü"}}); err != nil {
				return err
			}
			if _, err := c.ReplaceOne(a, d("_id", 1), d("name", "o")); err != nil {
				return err
			}
			var got struct{ Name string }
			if err := c.FindOne(a, d("_id", 1)).Decode(&got); err != nil {
				return err
			}
			res, err := c.DeleteMany(a, bson.D{})
			if err != nil {
				return err
			}
			gone := errors.Is(c.FindOne(a, d("_id", 1)).Err(), mongo.ErrNoDocuments)
			return errors.Join(want("name", got.Name, "o"), want("deleted", res.DeletedCount, 1), want("gone", gone, true))
		}},
		{name: "crud/update by pipeline and by array filter", run: func(a *app) error {
			c := a.things()
			if _, err := c.InsertOne(a, bson.D{{Key: "_id", Value: 1}, {Key: "a", Value: bson.A{1, 5, 9}}}); err != nil {
				return err
			}
			if _, err := c.UpdateOne(a, d("_id", 1), d("$inc", d("a.$[big]", 100)), options.UpdateOne().SetArrayFilters([]any{d("big", d("$gt", 4))})); err != nil {
				return err
			}
			if _, err := c.UpdateOne(a, d("_id", 1), mongo.Pipeline{d("$set", d("sum", d("$sum", "$a")))}); err != nil {
				return err
			}
			var got struct{ Sum int }
			err := c.FindOne(a, d("_id", 1)).Decode(&got)
			return errors.Join(err, want("sum", got.Sum, 215))
		}},
		{name: "crud/upsert and findAndModify", run: func(a *app) error {
			c := a.things()
			res, err := c.UpdateOne(a, d("_id", "x"), d("$inc", d("n", 1)), options.UpdateOne().SetUpsert(true))
			if err != nil {
				return err
			}
			var got struct{ N int }
			err = c.FindOneAndUpdate(a, d("_id", "x"), d("$inc", d("n", 1)), options.FindOneAndUpdate().SetReturnDocument(options.After)).Decode(&got)
			return errors.Join(err, want("upserted", res.UpsertedCount, 1), want("n", got.N, 2))
		}},
		{name: "crud/collation, hint and projection", run: func(a *app) error {
			c := a.things()
			if _, err := c.InsertMany(a, []any{d("s", "a"), d("s", "A"), d("s", "b")}); err != nil {
				return err
			}
			if _, err := c.Indexes().CreateOne(a, mongo.IndexModel{Keys: d("s", 1), Options: options.Index().SetName("by_s")}); err != nil {
				return err
			}
			n, err := c.CountDocuments(a, d("s", "a"), options.Count().SetCollation(&options.Collation{Locale: "en", Strength: 2}))
			if err != nil {
				return err
			}
			_, err = c.Find(a, d("s", "a"), options.Find().SetHint("no_such_index"))
			return errors.Join(want("count", n, 2), wantCode(err, 2))
		}},
		{name: "crud/unacknowledged writes", run: func(a *app) error {
			c := a.db.Collection("things", options.Collection().SetWriteConcern(writeconcern.Unacknowledged()))
			for i := range 50 {
				if _, err := c.InsertOne(a, d("_id", i)); err != nil {
					return err
				}
			}
			for { // until all have arrived, or the guard
				n, err := a.things().CountDocuments(a, bson.D{})
				if err != nil || n == 50 {
					return err
				}
			}
		}},
		{name: "crud/15 MB document", run: func(a *app) error {
			text := strings.Repeat("0123456789abcdef", 15<<16)
			if _, err := a.things().InsertOne(a, bson.D{{Key: "_id", Value: 1}, {Key: "text", Value: text}}); err != nil {
				return err
			}
			var got struct{ Text string }
			err := a.things().FindOne(a, d("_id", 1)).Decode(&got)
			return errors.Join(err, want("equal", got.Text == text, true))
		}},
		{name: "crud/document beyond 16 MB", run: func(a *app) error {
			_, err := a.things().InsertOne(a, d("text", strings.Repeat("x", 17<<20)))
			return want("refused", err != nil, true)
		}},
		{name: "crud/aggregate: $lookup, $facet, $merge, $out", run: func(a *app) error {
			if _, err := a.things().InsertMany(a, numbered(0, 100)); err != nil {
				return err
			}
			lookup := d("$lookup", bson.D{{Key: "from", Value: "things"}, {Key: "localField", Value: "n"}, {Key: "foreignField", Value: "_id"}, {Key: "as", Value: "of"}})
			for _, last := range []bson.D{d("$merge", "merged"), d("$out", "out")} {
				if _, err := a.things().Aggregate(a, mongo.Pipeline{lookup, last}); err != nil {
					return err
				}
			}
			var errs []error
			for _, name := range []string{"merged", "out"} {
				n, err := a.db.Collection(name).CountDocuments(a, d("of.0._id", d("$lt", 10)))
				errs = append(errs, err, want(name, n, 100))
			}
			return errors.Join(errs...)
		}},
		{name: "crud/distinct, estimated count, list", run: func(a *app) error {
			if _, err := a.things().InsertMany(a, numbered(0, 100)); err != nil {
				return err
			}
			var values []int
			if err := a.things().Distinct(a, "n", bson.D{}).Decode(&values); err != nil {
				return err
			}
			n, err := a.things().EstimatedDocumentCount(a)
			if err != nil {
				return err
			}
			names, err := a.db.ListCollectionNames(a, bson.D{})
			return errors.Join(err, want("values", len(values), 10), want("count", n, 100), want("collections", strings.Join(names, " "), "things"))
		}},
	}
}
