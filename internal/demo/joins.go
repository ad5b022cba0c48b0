package demo

import (
	"context"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
)

// rowsPerPage is how many orders a page lists, each with its customer.
const rowsPerPage = 12

// joins: data that is read together and stored apart.
func joins() []Exercise {
	customer := d("$lookup", d("from", "customers", "localField", "customerId", "foreignField", "_id", "as", "customer"))
	orderPage := func(n int) bson.D {
		return aggregate("orders", bson.A{
			d("$match", d("_id", n)), customer,
			d("$project", d("total", 1, "customer.name", 1, "customer.address.city", 1)),
		})
	}
	return []Exercise{
		{
			Name: "the customer on every order page", Lesson: "extended reference", Rules: []string{"A01"}, Namespace: "orders", Field: "customerId",
			Why:   "the page joins for a name that hardly ever changes: copy it beside the reference",
			Avoid: side(orderPage),
			Prefer: side(func(n int) bson.D {
				return find("orders", d("_id", n), "projection", d("total", 1, "customer", 1), "limit", 1)
			}),
		},
		{
			Name: "a join written as $expr", Lesson: "separated data", Rules: []string{"A02"}, Namespace: "products", Field: "_id",
			Why: "$expr cannot use a multikey index; the form with two fields can",
			Avoid: side(once(aggregate("products", bson.A{
				d("$match", d("_id", d("$lte", 3))),
				d("$lookup", d("from", "reviews", "let", d("id", "$_id"), "pipeline", bson.A{
					d("$match", d("$expr", d("$eq", bson.A{"$productId", "$$id"}))), d("$sort", d("createdAt", -1)), d("$limit", 3),
				}, "as", "reviews")),
			}))),
			Prefer: side(once(aggregate("products", bson.A{
				d("$match", d("_id", d("$lte", 3))),
				d("$lookup", d("from", "reviews", "localField", "_id", "foreignField", "productId", "pipeline", bson.A{
					d("$sort", d("createdAt", -1)), d("$limit", 3),
				}, "as", "reviews")),
			}))),
		},
		{
			Name: "three joins for one screen", Lesson: "separated data", Rules: []string{"A01"}, Namespace: "orders",
			Why: "what one screen reads is spread over four collections",
			Avoid: side(func(n int) bson.D {
				return aggregate("orders", bson.A{
					d("$match", d("_id", n)), customer,
					d("$lookup", d("from", "products", "localField", "productId", "foreignField", "_id", "as", "product")),
					d("$lookup", d("from", "reviews", "localField", "productId", "foreignField", "productId", "as", "reviews")),
				})
			}),
			Prefer: side(func(n int) bson.D { return find("orders", d("_id", n), "limit", 1) }),
		},
		{
			Name: "one query per row", Lesson: "read together, store together", Rules: []string{"Q11"}, Namespace: "customers", Field: "_id",
			Why: "each row costs a round trip, and one query takes them all",
			Avoid: func(ctx context.Context, db *mongo.Database, n int) error {
				customers, err := orderRows(ctx, db, n)
				for _, id := range customers {
					if err = run(ctx, db, find("customers", d("_id", id), "limit", 1)); err != nil {
						break
					}
				}
				return err
			},
			Prefer: func(ctx context.Context, db *mongo.Database, n int) error {
				customers, err := orderRows(ctx, db, n)
				if err != nil {
					return err
				}
				return run(ctx, db, find("customers", d("_id", d("$in", customers))))
			},
		},
	}
}

// orderRows lists a page of orders and returns their customers.
func orderRows(ctx context.Context, db *mongo.Database, n int) (customers bson.A, err error) {
	opts := options.Find().SetLimit(rowsPerPage)
	if c := commentOf(ctx); c != "" {
		opts.SetComment(c)
	}
	cursor, err := db.Collection("orders").Find(ctx, d("_id", d("$gte", n*rowsPerPage)), opts)
	if err != nil {
		return nil, err
	}
	var rows []struct {
		CustomerID int `bson:"customerId"`
	}
	if err := cursor.All(ctx, &rows); err != nil {
		return nil, err
	}
	for _, r := range rows {
		customers = append(customers, r.CustomerID)
	}
	return customers, nil
}
