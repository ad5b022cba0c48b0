package e2e

import (
	"context"
	"errors"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"

	"mongoadvisor/internal/demo/mongod"
	"mongoadvisor/internal/demo/mongod/mongodtest"
)

// TestTransactions runs transactions of all kinds on a replica set of one.
func TestTransactions(t *testing.T) {
	server := mongodtest.StartWith(t, mongod.StartOptions{ReplSet: "rs"})
	direct := connect(t, server.URI(), "prepare")
	add := bson.D{{Key: "$inc", Value: bson.D{{Key: "n", Value: 1}}}}
	update := func(ctx context.Context, db *mongo.Database, id int) error {
		_, err := db.Collection("c").UpdateOne(ctx, bson.D{{Key: "_id", Value: id}}, add)
		return err
	}
	order := func(ctx context.Context, db *mongo.Database) error {
		_, err := db.Collection("orders").InsertOne(ctx, bson.D{{Key: "n", Value: 1}})
		return err
	}
	for _, c := range []struct {
		name, reason string
		flags        []string
		run          action
	}{
		{"one update in each", "single-statement", nil, times(25, inTransaction(func(ctx context.Context, db *mongo.Database) error { return update(ctx, db, 1) }))},
		{"a pause in each", "idle-gap", limit("O03.gap-ms=200"), times(3, inTransaction(func(ctx context.Context, db *mongo.Database) error {
			if err := update(ctx, db, 1); err != nil {
				return err
			}
			time.Sleep(300 * time.Millisecond)
			return order(ctx, db)
		}))},
		{"very many documents", "many-documents", nil, times(3, inTransaction(func(ctx context.Context, db *mongo.Database) error {
			if _, err := db.Collection("c").UpdateMany(ctx, bson.D{{Key: "n", Value: bson.D{{Key: "$gte", Value: -1}}}}, bson.D{{Key: "$set", Value: bson.D{{Key: "seen", Value: true}}}}); err != nil {
				return err
			}
			return order(ctx, db)
		}))},
		{"rivals", "conflicts", nil, times(25, rivals(update))},
		{"many statements that take their time", "long", []string{"--limit", "O03.seconds=1", "--limit", "O03.gap-ms=10000"}, times(3, inTransaction(func(ctx context.Context, db *mongo.Database) error {
			if err := update(ctx, db, 1); err != nil {
				return err
			}
			time.Sleep(1100 * time.Millisecond)
			return order(ctx, db)
		}))},
		{"one in three given up", "aborts", nil, times(10, func(ctx context.Context, db *mongo.Database) error {
			both := func(ctx context.Context, db *mongo.Database) error {
				if err := update(ctx, db, 1); err != nil {
					return err
				}
				return order(ctx, db)
			}
			if err := times(2, inTransaction(both))(ctx, db); err != nil {
				return err
			}
			return failing(inTransaction(func(ctx context.Context, db *mongo.Database) error {
				return errors.Join(both(ctx, db), errors.New("changed our mind"))
			}))(ctx, db)
		})},
		{"update and order", "", nil, times(30, inTransaction(func(ctx context.Context, db *mongo.Database) error {
			if err := update(ctx, db, 1); err != nil {
				return err
			}
			return order(ctx, db)
		}))},
		{"updates without one", "", nil, times(30, func(ctx context.Context, db *mongo.Database) error { return update(ctx, db, 1) })},
	} {
		t.Run(c.name, func(t *testing.T) {
			if err := direct.Database("txn").Drop(t.Context()); err != nil {
				t.Fatal(err)
			}
			if err := numbered(1200)(t.Context(), direct.Database("txn")); err != nil {
				t.Fatal(err)
			}
			if err := direct.Database("txn").CreateCollection(t.Context(), "orders"); err != nil {
				t.Fatal(err)
			}
			p := startProxy(t, server.Addr(), append(c.flags, "--rules", "-O05")...) // the member advertises its own address
			if err := c.run(t.Context(), connect(t, p.uri(""), "shop").Database("txn")); err != nil {
				t.Fatal(err)
			}
			p.settled()
			found, _ := p.report()
			if c.reason == "" && len(found) > 0 || c.reason != "" && (len(found) != 1 || found[0].Rule != "O03" || found[0].Reason != c.reason || found[0].Namespace != "txn.c") {
				t.Errorf("findings %+v", found)
			}
		})
	}
}

// inTransaction does an action in a transaction of its own.
func inTransaction(do action) action {
	return func(ctx context.Context, db *mongo.Database) error {
		return db.Client().UseSession(ctx, func(ctx context.Context) error {
			_, err := mongo.SessionFromContext(ctx).WithTransaction(ctx, func(ctx context.Context) (any, error) { return nil, do(ctx, db) })
			return err
		})
	}
}

// rivals lets a second transaction write what a first one holds: it must fail.
func rivals(update func(context.Context, *mongo.Database, int) error) action {
	return func(ctx context.Context, db *mongo.Database) error {
		return db.Client().UseSession(ctx, func(first context.Context) error {
			holder := mongo.SessionFromContext(first)
			if err := holder.StartTransaction(); err != nil {
				return err
			}
			if err := update(first, db, 2); err != nil {
				return err
			}
			if err := update(first, db, 3); err != nil {
				return err
			}
			err := db.Client().UseSession(ctx, func(second context.Context) error {
				s := mongo.SessionFromContext(second)
				if err := s.StartTransaction(); err != nil {
					return err
				}
				if err := failing(func(ctx context.Context, db *mongo.Database) error { return update(ctx, db, 2) })(second, db); err != nil {
					return err
				}
				return s.AbortTransaction(second)
			})
			if err != nil {
				return err
			}
			return holder.CommitTransaction(first)
		})
	}
}
