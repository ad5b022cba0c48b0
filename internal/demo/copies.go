package demo

import (
	"context"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
)

// copies: what may be copied beside a reference, and what it takes to keep the
// copies fresh.
func copies() []Exercise {
	return []Exercise{
		{
			Name: "the order, then its customer", Lesson: "extended reference", Rules: []string{"S05"}, Namespace: "orders", Field: "customerId",
			Why:   "two round trips for one screen: the second asks for what the first could have brought",
			Avoid: screens(orderThenCustomer),
			Prefer: screens(side(func(n int) bson.D {
				return find("orders", d("_id", n), "projection", d("total", 1, "customer", 1), "limit", 1)
			})),
		},
		{
			Name: "a copy of what changes all day", Lesson: "extended reference", Rules: []string{"W08"}, Namespace: "orders", Field: "product.stock",
			Why:    "each change of the stock rewrites every order of the product; a name changes once in years",
			Avoid:  stockInOrders,
			Prefer: side(once(updateMany("orders", d("customer._id", 42), d("$set", d("customer.name", "Ada King"))))),
		},
		{
			Name: "three newest reviews, once in a report", Lesson: "subset pattern", Namespace: "products",
			Why: "a join in a report that runs seldom is cheaper than a copy of everything",
			Prefer: side(once(aggregate("products", bson.A{
				d("$match", d("_id", 1)),
				d("$lookup", d("from", "reviews", "localField", "_id", "foreignField", "productId", "pipeline", bson.A{
					d("$sort", d("createdAt", -1)), d("$limit", 3), d("$project", d("_id", 0, "rating", 1, "title", 1)),
				}, "as", "recentReviews")),
				d("$project", d("name", 1, "recentReviews", 1)),
			}))),
		},
	}
}

// sales is how many sales of a bestseller one round has: each changes a stock.
const sales = 40

func stockInOrders(ctx context.Context, db *mongo.Database, n int) error {
	for i := range sales {
		if err := run(ctx, db, updateMany("orders", d("product._id", i%bestsellers), d("$set", d("product.stock", (n+1)*sales-i)))); err != nil {
			return err
		}
	}
	return nil
}

// screensPerRound is how many orders are looked at in a round.
const screensPerRound = 25

// screens does a round of work for each of them.
func screens(one func(context.Context, *mongo.Database, int) error) func(context.Context, *mongo.Database, int) error {
	return func(ctx context.Context, db *mongo.Database, n int) error {
		for i := range screensPerRound {
			if err := one(ctx, db, n*screensPerRound+i); err != nil {
				return err
			}
		}
		return nil
	}
}

func orderThenCustomer(ctx context.Context, db *mongo.Database, n int) error {
	var order struct {
		CustomerID int `bson:"customerId"`
	}
	if err := first(ctx, db, "orders", d("_id", n), &order); err != nil {
		return err
	}
	var customer bson.Raw
	return first(ctx, db, "customers", d("_id", order.CustomerID), &customer)
}
