package chaos

import (
	"context"
	"fmt"
	"strings"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
	"go.mongodb.org/mongo-driver/v2/mongo/readpref"
	"go.mongodb.org/mongo-driver/v2/mongo/writeconcern"
)

// items is how many documents stand in the collection that is only read.
const items = 1000

// stock fills what apps only read or start from, on all members.
func (s *stage) stock(db string) {
	s.t.Helper()
	d := s.direct.Database(db, options.Database().SetWriteConcern(&writeconcern.WriteConcern{W: members}))
	var stored, money []any
	for i := range items {
		stored = append(stored, bson.D{{Key: "_id", Value: i}, {Key: "name", Value: fmt.Sprintf("item %d", i)}, {Key: "text", Value: strings.Repeat(string(rune('a'+i%26)), 500)}})
	}
	for i := range accounts {
		money = append(money, bson.D{{Key: "_id", Value: i}, {Key: "balance", Value: balance}})
	}
	for name, docs := range map[string][]any{"items": stored, "accounts": money} {
		_, err := d.Collection(name).InsertMany(s.t.Context(), docs)
		s.must(err)
	}
}

// reader reads from secondaries, in batches that follow each other and by
// pattern. What arrives is all of it, unchanged.
func reader(db string) *app {
	return &app{
		name: "reader", uri: "&compressors=zstd", pause: seldom,
		step: func(a *app, ctx context.Context) error {
			c := a.client.Database(db).Collection("items", options.Collection().SetReadPreference(readpref.Secondary()))
			cursor, err := c.Find(ctx, bson.D{}, options.Find().SetBatchSize(150).SetSort(bson.D{{Key: "_id", Value: 1}}))
			if err != nil {
				return err
			}
			var all []struct {
				ID         int `bson:"_id"`
				Name, Text string
			}
			if err := cursor.All(ctx, &all); err != nil {
				return err
			}
			for i, d := range all {
				if d.ID != i || d.Name != fmt.Sprintf("item %d", i) || d.Text != strings.Repeat(string(rune('a'+i%26)), 500) {
					a.t.Errorf("reader: at place %d came %+v", i, d)
				}
			}
			if len(all) != items {
				a.t.Errorf("reader: %d items arrived without an error", len(all))
			}
			return c.FindOne(ctx, bson.D{{Key: "name", Value: bson.Regex{Pattern: fmt.Sprintf("^ITEM %d$", a.n%items), Options: "i"}}}).Err()
		},
	}
}

// pipelines aggregates, with a join.
func pipelines(db string) *app {
	return &app{
		name: "pipelines", uri: "&compressors=snappy", pause: seldom,
		step: func(a *app, ctx context.Context) error {
			cursor, err := a.client.Database(db).Collection("items").Aggregate(ctx, mongo.Pipeline{
				{{Key: "$match", Value: bson.D{{Key: "_id", Value: bson.D{{Key: "$lt", Value: 10}}}}}},
				{{Key: "$lookup", Value: bson.D{{Key: "from", Value: "items"}, {Key: "localField", Value: "_id"}, {Key: "foreignField", Value: "_id"}, {Key: "as", Value: "same"}}}},
				{{Key: "$group", Value: bson.D{{Key: "_id", Value: nil}, {Key: "sum", Value: bson.D{{Key: "$sum", Value: bson.D{{Key: "$size", Value: "$same"}}}}}}}},
			})
			if err != nil {
				return err
			}
			var sums []struct{ Sum int }
			if err := cursor.All(ctx, &sums); err != nil {
				return err
			}
			if len(sums) != 1 || sums[0].Sum != 10 {
				a.t.Errorf("pipelines: %+v", sums)
			}
			return nil
		},
	}
}

// newcomer is a new client each time.
func newcomer(db, uri string) *app {
	return &app{
		name: "newcomer", pause: 5 * seldom,
		step: func(a *app, ctx context.Context) error {
			client, err := mongo.Connect(options.Client().ApplyURI(uri).SetAppName(a.name))
			if err != nil {
				return err
			}
			err = client.Database(db).Collection("items").FindOne(ctx, bson.D{{Key: "_id", Value: a.n % items}}).Err()
			if end := client.Disconnect(ctx); err == nil {
				err = end
			}
			return err
		},
	}
}
