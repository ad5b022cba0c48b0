package chaos

import (
	"context"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
)

// What is on the accounts that transfers move money between.
const (
	accounts = 10
	balance  = 1000
)

// transfers moves money in transactions and books each. The sum stays, and each
// that was acknowledged is booked once.
func transfers(db string) *app {
	p := newPromises()
	return &app{
		name: "transfers", uri: "&compressors=zlib", pause: seldom,
		step: func(a *app, ctx context.Context) error {
			session, err := a.client.StartSession()
			if err != nil {
				return err
			}
			defer session.EndSession(ctx)
			n := a.n
			_, err = session.WithTransaction(ctx, func(ctx context.Context) (any, error) {
				d := a.client.Database(db)
				for id, by := range map[int]int{n % accounts: -1, (n + 1 + n/accounts%(accounts-1)) % accounts: 1} {
					if _, err := d.Collection("accounts").UpdateByID(ctx, id, bson.D{{Key: "$inc", Value: bson.D{{Key: "balance", Value: by}}}}); err != nil {
						return nil, err
					}
				}
				return d.Collection("ledger").InsertOne(ctx, bson.D{{Key: "app", Value: a.name}, {Key: "n", Value: n}})
			})
			return p.note(n, err)
		},
		verify: func(a *app, ctx context.Context) {
			d := a.direct.Database(db)
			if sum := sumOf(ctx, a, d.Collection("accounts"), "$balance"); sum != accounts*balance {
				a.t.Errorf("transfers: %d is on all accounts, %d was", sum, accounts*balance)
			}
			p.compare(ctx, a, d.Collection("ledger"))
		},
	}
}

func sumOf(ctx context.Context, a *app, c *mongo.Collection, field string) int {
	cursor, err := c.Aggregate(ctx, mongo.Pipeline{{{Key: "$group", Value: bson.D{{Key: "_id", Value: nil}, {Key: "sum", Value: bson.D{{Key: "$sum", Value: field}}}}}}})
	if err != nil {
		a.t.Fatal(err)
	}
	var sums []struct{ Sum int }
	if err := cursor.All(ctx, &sums); err != nil || len(sums) != 1 {
		a.t.Fatalf("%d sums, %v", len(sums), err)
	}
	return sums[0].Sum
}
