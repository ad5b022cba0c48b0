package e2e

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
)

// listed is a document with a reference, as the scenarios store and read it.
type listed struct {
	ID     bson.ObjectID   `bson:"_id"`
	User   bson.ObjectID   `bson:"userId"`
	Parent bson.ObjectID   `bson:"parentId"`
	Tags   []bson.ObjectID `bson:"tagIds"`
}

// oid is the id of the nth document of a kind.
func oid(kind byte, n int) bson.ObjectID {
	return bson.ObjectID{0x65, 0x60, kind, 10: byte(n >> 8), 11: byte(n)}
}

// fillReads stores sixty orders with a user each, and a tree of categories: node n
// stands below node n+1, up to the next hundred.
func fillReads(ctx context.Context, db *mongo.Database) error {
	orders, users, nodes := bson.A{}, bson.A{}, bson.A{}
	for i := range 60 {
		orders = append(orders, bson.D{{Key: "_id", Value: oid(1, i)}, {Key: "userId", Value: oid(2, i)}, {Key: "n", Value: i}})
		users = append(users, bson.D{{Key: "_id", Value: oid(2, i)}, {Key: "name", Value: fmt.Sprint("user ", i)}})
	}
	for i := range 1000 {
		node := bson.D{{Key: "_id", Value: oid(3, i)}, {Key: "path", Value: fmt.Sprintf(",top%d,node%d,", i/100, i)}, {Key: "lft", Value: i}, {Key: "rgt", Value: i + 1}}
		if i%100 < 3 {
			node = append(node, bson.E{Key: "parentId", Value: oid(3, i+1)})
		}
		nodes = append(nodes, node)
	}
	for coll, docs := range map[string]bson.A{"orders": orders, "users": users, "categories": nodes} {
		if _, err := db.Collection(coll).InsertMany(ctx, []any(docs)); err != nil {
			return err
		}
	}
	return nil
}

func listOrders(ctx context.Context, db *mongo.Database, limit int64) (rows []listed, err error) {
	cursor, err := db.Collection("orders").Find(ctx, bson.D{}, options.Find().SetLimit(limit).SetSort(bson.D{{Key: "_id", Value: 1}}))
	if err != nil {
		return nil, err
	}
	return rows, cursor.All(ctx, &rows)
}

func byID(ctx context.Context, coll *mongo.Collection, id bson.ObjectID) (doc listed, err error) {
	return doc, coll.FindOne(ctx, bson.D{{Key: "_id", Value: id}}).Decode(&doc)
}

// climb reads a category and then its parents, one by one.
func climb(levels int) func(ctx context.Context, db *mongo.Database, i int) error {
	return func(ctx context.Context, db *mongo.Database, i int) error {
		id := oid(3, 100*i)
		for range levels {
			node, err := byID(ctx, db.Collection("categories"), id)
			if err != nil {
				return err
			}
			id = node.Parent
		}
		return nil
	}
}

func renumber(by int) func(ctx context.Context, db *mongo.Database, i int) error {
	return func(ctx context.Context, db *mongo.Database, _ int) error {
		for _, name := range []string{"lft", "rgt"} {
			_, err := db.Collection("categories").UpdateMany(ctx, bson.D{{Key: name, Value: bson.D{{Key: "$gt", Value: 500}}}}, bson.D{{Key: "$inc", Value: bson.D{{Key: name, Value: by}}}})
			if err != nil {
				return err
			}
		}
		return nil
	}
}

func pathSearch(pattern, flags string) func(ctx context.Context, db *mongo.Database) error {
	return func(ctx context.Context, db *mongo.Database) error {
		cursor, err := db.Collection("categories").Find(ctx, bson.D{{Key: "path", Value: bson.Regex{Pattern: pattern, Options: flags}}})
		if err != nil {
			return err
		}
		return cursor.Close(ctx)
	}
}

func addChild(ctx context.Context, db *mongo.Database, i int) error {
	_, err := db.Collection("categories").UpdateByID(ctx, oid(3, 500), bson.D{{Key: "$push", Value: bson.D{{Key: "children", Value: oid(4, i)}}}})
	return err
}

// readScenarios are those for reads that belong together: Q11, S05, S07.
var readScenarios = slices.Concat(readBad, readGood)

var readBad = []scenario{
	{
		name: "a query per row", rule: "Q11", reason: "fan-out", coll: "users", prepare: fillReads,
		run: func(ctx context.Context, db *mongo.Database) error {
			rows, err := listOrders(ctx, db, 12)
			for _, row := range rows {
				if _, err = byID(ctx, db.Collection("users"), row.User); err != nil {
					break
				}
			}
			return err
		},
	},
	{
		name: "a query per row, all at once", rule: "Q11", reason: "fan-out", coll: "users", prepare: fillReads,
		run: func(ctx context.Context, db *mongo.Database) error {
			rows, err := listOrders(ctx, db, 30)
			var wait sync.WaitGroup
			failed := make(chan error, len(rows))
			for _, row := range rows {
				wait.Go(func() {
					if _, err := byID(ctx, db.Collection("users"), row.User); err != nil {
						failed <- err
					}
				})
			}
			wait.Wait()
			if err == nil && len(failed) > 0 {
				err = <-failed
			}
			return err
		},
	},
	{
		name: "an aggregation per row", rule: "Q11", reason: "fan-out", coll: "orders", prepare: fillReads,
		run: func(ctx context.Context, db *mongo.Database) error {
			cursor, err := db.Collection("users").Find(ctx, bson.D{}, options.Find().SetLimit(12))
			if err != nil {
				return err
			}
			var users []listed
			if err := cursor.All(ctx, &users); err != nil {
				return err
			}
			for _, u := range users {
				cursor, err := db.Collection("orders").Aggregate(ctx, bson.A{
					bson.D{{Key: "$match", Value: bson.D{{Key: "userId", Value: u.ID}}}}, bson.D{{Key: "$project", Value: bson.D{{Key: "n", Value: 1}}}},
				})
				if err != nil {
					return err
				}
				if err := cursor.Close(ctx); err != nil {
					return err
				}
			}
			return nil
		},
	},
	{
		name: "an order, then its user", rule: "S05", reason: "read-together", coll: "orders", prepare: fillReads,
		run: repeated(25, func(ctx context.Context, db *mongo.Database, i int) error {
			order, err := byID(ctx, db.Collection("orders"), oid(1, i))
			if err == nil {
				_, err = byID(ctx, db.Collection("users"), order.User)
			}
			return err
		}),
	},
	{name: "a breadcrumb, parent by parent", rule: "S07", reason: "recursive-reads", coll: "categories", prepare: fillReads, run: repeated(4, climb(3))},
	{name: "a nested set that changes", rule: "S07", reason: "nested-set-churn", coll: "categories", prepare: fillReads, run: repeated(4, renumber(2))},
	{name: "a path from the middle", rule: "S07", reason: "path-regex", coll: "categories", prepare: fillReads, run: pathSearch(",node5", "")},
	{name: "a path in any case", rule: "S07", reason: "path-regex", coll: "categories", prepare: fillReads, run: pathSearch("^,TOP5,", "i")},
	{name: "children in their parent", rule: "S07", reason: "child-array", coll: "categories", prepare: fillReads, run: repeated(4, addChild)},
}

var readGood = []scenario{
	{
		name: "all users of a list at once", profiles: everywhere, prepare: fillReads,
		run: repeated(5, func(ctx context.Context, db *mongo.Database, _ int) error {
			rows, err := listOrders(ctx, db, 20)
			if err != nil {
				return err
			}
			ids := bson.A{}
			for _, row := range rows {
				ids = append(ids, row.User)
			}
			cursor, err := db.Collection("users").Find(ctx, bson.D{{Key: "_id", Value: bson.D{{Key: "$in", Value: ids}}}})
			if err != nil {
				return err
			}
			return cursor.Close(ctx)
		}),
	},
	{
		name: "documents by ids from elsewhere, again and again", profiles: everywhere, prepare: fillReads,
		run: repeated(300, func(ctx context.Context, db *mongo.Database, i int) error {
			_, err := byID(ctx, db.Collection("users"), oid(2, i%60))
			return err
		}),
	},
	{
		name: "a list in batches", profiles: everywhere, prepare: fillReads,
		run: func(ctx context.Context, db *mongo.Database) error {
			cursor, err := db.Collection("categories").Find(ctx, bson.D{}, options.Find().SetBatchSize(20))
			if err != nil {
				return err
			}
			var all []listed
			return cursor.All(ctx, &all)
		},
	},
	{
		name: "some of a list opened", profiles: everywhere, prepare: fillReads,
		run: func(ctx context.Context, db *mongo.Database) error {
			rows, err := listOrders(ctx, db, 60)
			for i := range 15 {
				if err == nil {
					_, err = byID(ctx, db.Collection("users"), rows[i*37%60].User)
				}
			}
			return err
		},
	},
	{
		name: "written and read again", profiles: everywhere,
		run: repeated(30, func(ctx context.Context, db *mongo.Database, i int) error {
			if _, err := db.Collection("users").InsertOne(ctx, bson.D{{Key: "_id", Value: oid(2, i)}, {Key: "name", Value: "Ada"}}); err != nil {
				return err
			}
			_, err := byID(ctx, db.Collection("users"), oid(2, i))
			return err
		}),
	},
	{
		name: "a post and its comments", profiles: everywhere, prepare: fillReads,
		run: repeated(30, func(ctx context.Context, db *mongo.Database, i int) error {
			node, err := byID(ctx, db.Collection("users"), oid(2, 5*i%50))
			if err != nil {
				return err
			}
			cursor, err := db.Collection("categories").Find(ctx, bson.D{{Key: "userId", Value: node.ID}}, options.Find().SetLimit(10))
			if err != nil {
				return err
			}
			return cursor.Close(ctx)
		}),
	},
	{name: "a node and its parent", profiles: everywhere, prepare: fillReads, run: repeated(8, climb(2))},
	{name: "a nested set that rests", profiles: everywhere, prepare: fillReads, run: repeated(2, renumber(2))},
	{name: "a path from the root", profiles: everywhere, prepare: fillReads, run: pathSearch("^,top5,", "")},
}
