package demo

import (
	"context"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
)

// walks: trees that are read or grown one node at a time.
func walks() []Exercise {
	return []Exercise{
		{
			Name: "a breadcrumb, parent by parent", Lesson: "array of ancestors", Rules: []string{"S07"}, Namespace: "categories", Field: "parent",
			Why:    "a query for each level on every page view, for a path that could be stored in the node",
			Avoid:  breadcrumb,
			Prefer: side(always(find("categories", d("_id", name("audio", 3)), "projection", d("ancestors", 1), "limit", 1))),
		},
		{
			Name: "children in their parent", Lesson: "child references", Rules: []string{"S07"}, Namespace: "categories", Field: "children",
			Why: "the array of a popular node grows with every child; the parent in the child does not",
			Avoid: side(func(n int) bson.D {
				return updateOne("categories", d("_id", "garden"), d("$push", d("children", name("bed", n))))
			}),
			Prefer: side(func(n int) bson.D {
				node := d("parent", "garden", "ancestors", bson.A{"garden"}, "path", ",garden,")
				return upsertOne("categories", d("_id", name("bed", n)), d("$set", node))
			}),
		},
		{
			Name: "a branch of a tree that rests", Lesson: "nested sets", Namespace: "categories", Field: "lft",
			Why:    "descendants are one range of numbers, which is fine as long as nobody inserts",
			Prefer: branch,
		},
	}
}

// breadcrumb climbs from a category to its root.
func breadcrumb(ctx context.Context, db *mongo.Database, _ int) error {
	for id := name("audio", 3); id != ""; {
		var node struct {
			Parent string `bson:"parent"`
		}
		if err := first(ctx, db, "categories", d("_id", id), &node); err != nil {
			return err
		}
		id = node.Parent
	}
	return nil
}

// branch reads a node's numbers and then everything between them.
func branch(ctx context.Context, db *mongo.Database, n int) error {
	if n > 0 {
		return nil
	}
	var node struct {
		Left  int `bson:"lft"`
		Right int `bson:"rgt"`
	}
	if err := first(ctx, db, "categories", d("_id", "audio"), &node); err != nil {
		return err
	}
	inside := d("lft", d("$gt", node.Left, "$lt", node.Right))
	return run(ctx, db, find("categories", inside, "sort", d("lft", 1)))
}
