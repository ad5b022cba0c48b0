package demo

import (
	"context"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
)

// computed: work done at every read that could be done once at the write.
func computed() []Exercise {
	return []Exercise{
		{
			Name: "a lifetime total on every view", Lesson: "computed pattern", Rules: []string{"A05"}, Namespace: "orders",
			Why: "the same orders are added up thousands of times: add once, when the order is placed",
			Avoid: busy(lookedAt, func(int) bson.D {
				return aggregate("orders", bson.A{d("$match", d("customerId", 66)), d("$group", d("_id", nil, "spent", d("$sum", "$total")))})
			}),
			Prefer: side(
				func(n int) bson.D {
					return updateOne("customers", d("_id", 66), d("$inc", d("stats.spent", n, "stats.orders", 1)))
				},
				always(find("customers", d("_id", 66), "projection", d("stats", 1), "limit", 1))),
		},
		{
			Name: "a rating summary on every view", Lesson: "computed and subset", Rules: []string{"A05", "A07"}, Namespace: "reviews",
			Why: "every page view reads all reviews of the product",
			Avoid: busy(lookedAt, func(n int) bson.D {
				return aggregate("reviews", bson.A{
					d("$match", d("productId", n)), d("$sort", d("helpfulVotes", -1)),
					d("$group", d("_id", "$productId", "avg", d("$avg", "$rating"), "top", d("$push", d("title", "$title", "rating", "$rating")))),
					d("$project", d("avg", 1, "top", d("$slice", bson.A{"$top", 3}))),
				})
			}),
			Prefer: side(
				func(n int) bson.D {
					return updateOne("products", d("_id", n), d("$inc", d("stats.reviewCount", 1, "stats.ratingSum", 4)))
				},
				func(n int) bson.D { return find("products", d("_id", n), "projection", d("stats", 1), "limit", 1) }),
		},
		{
			Name: "a full count by aggregation", Lesson: "computed pattern", Rules: []string{"Q12"}, Namespace: "products",
			Why:    "it reads the whole collection; the server knows the number from its metadata",
			Avoid:  side(always(aggregate("products", bson.A{d("$match", d()), d("$group", d("_id", 1, "n", d("$sum", 1)))}))),
			Prefer: side(always(d("count", "products"))),
		},
		{
			Name: "every view counted at once", Lesson: "approximation pattern", Rules: []string{"W07"}, Namespace: "posts", Field: "views",
			Why:    "all writers meet on one document; a count need not be exact at each moment",
			Avoid:  views,
			Prefer: side(once(updateOne("posts", d("_id", 6), d("$inc", d("views", 100))))),
		},
		{
			Name: "deep pages by skip", Lesson: "outlier pattern: the second collection is paged", Rules: []string{"Q08"}, Namespace: "reviews", Field: "createdAt",
			Why: "skipped documents are read and thrown away; a range starts where the last page ended",
			Avoid: side(func(n int) bson.D {
				return find("reviews", d(), "sort", d("createdAt", -1), "skip", 1000*n, "limit", 20)
			}),
			Prefer: side(func(n int) bson.D {
				return find("reviews", d("createdAt", d("$lt", day(300-n))), "sort", d("createdAt", -1), "limit", 20)
			}),
		},
	}
}

// views counts some eighty views a second, for three whole seconds: a post that
// is read a lot. The rounds after the first have a view each.
func views(ctx context.Context, db *mongo.Database, n int) error {
	seconds := 3200 * time.Millisecond
	if n > 0 {
		seconds = 0
	}
	tick := time.NewTicker(12 * time.Millisecond)
	defer tick.Stop()
	for start := time.Now(); ; {
		if err := run(ctx, db, updateOne("posts", d("_id", 5), d("$inc", d("views", 1)))); err != nil {
			return err
		}
		if time.Since(start) >= seconds {
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-tick.C:
		}
	}
}
