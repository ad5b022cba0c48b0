package e2e

import (
	"context"
	"fmt"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
)

// stagesOf reads an aggregation as Extended JSON.
func stagesOf(text string) bson.A {
	var doc struct {
		P bson.A `bson:"p"`
	}
	if err := bson.UnmarshalExtJSON([]byte(`{"p": `+text+`}`), false, &doc); err != nil {
		panic(err)
	}
	return doc.P
}

// runPipelines runs pipelines on a collection, each so many times.
func runPipelines(times int, coll string, pipelines ...string) func(context.Context, *mongo.Database) error {
	return func(ctx context.Context, db *mongo.Database) error {
		for range times {
			for _, text := range pipelines {
				cursor, err := db.Collection(coll).Aggregate(ctx, stagesOf(text))
				if err != nil {
					return fmt.Errorf("%s: %w", text, err)
				}
				if err := cursor.All(ctx, new([]bson.Raw)); err != nil {
					return err
				}
			}
		}
		return nil
	}
}

// firstThen runs something first.
func firstThen(first, then func(context.Context, *mongo.Database) error) func(context.Context, *mongo.Database) error {
	return func(ctx context.Context, db *mongo.Database) error {
		if err := first(ctx, db); err != nil {
			return err
		}
		return then(ctx, db)
	}
}

func listIndexes(ctx context.Context, db *mongo.Database) error {
	_, err := db.Collection("reviews").Indexes().ListSpecifications(ctx)
	return err
}

func makeView(ctx context.Context, db *mongo.Database) error {
	return db.CreateView(ctx, "withReviews", "products", stagesOf(`[`+joinReviews+`]`))
}

// fillReviews makes 50 products with reviews and an index for them; the products
// are a tree.
func fillReviews(ctx context.Context, db *mongo.Database) error {
	var products, reviews []any
	for i := range 50 {
		products = append(products, bson.D{{Key: "_id", Value: i}, {Key: "parent", Value: (i - 1) / 4}, {Key: "tags", Value: bson.A{"new", i % 3}}, {Key: "at", Value: i}})
		for j := range 4 {
			reviews = append(reviews, bson.D{{Key: "_id", Value: 10*i + j}, {Key: "productId", Value: i}, {Key: "author", Value: j}, {Key: "votes", Value: j}, {Key: "title", Value: "good"}})
		}
	}
	if _, err := db.Collection("products").InsertMany(ctx, products); err != nil {
		return err
	}
	if _, err := db.Collection("reviews").InsertMany(ctx, reviews); err != nil {
		return err
	}
	_, err := db.Collection("reviews").Indexes().CreateOne(ctx, mongo.IndexModel{Keys: bson.D{{Key: "productId", Value: 1}}})
	return err
}

// fillBig makes 20 documents of 1 MB.
func fillBig(ctx context.Context, db *mongo.Database) error {
	for i := range 20 {
		data := make([]byte, 1<<20)
		data[0] = byte(i)
		if _, err := db.Collection("big").InsertOne(ctx, bson.D{{Key: "_id", Value: i}, {Key: "data", Value: data}}); err != nil {
			return err
		}
	}
	return nil
}

const (
	joinReviews = `{"$lookup": {"from": "reviews", "localField": "_id", "foreignField": "productId", "as": "reviews"}}`
	joinAuthors = `{"$lookup": {"from": "reviews", "localField": "_id", "foreignField": "author", "as": "written"}}`
	walkTree    = `{"$graphLookup": {"from": "products", "startWith": "$_id", "connectFromField": "_id", "connectToField": "parent", "maxDepth": 3, "as": "below"}}`
)

// aggregationScenarios are those for aggregations: the group A.
var aggregationScenarios = []scenario{
	{
		name: "A01 join on every page", rule: "A01", reason: "repeated", coll: "products", prepare: fillReviews,
		run: runPipelines(3, "products", `[{"$match": {"_id": 3}}, `+joinReviews+`]`),
	},
	{
		name: "A01 join in a view", rule: "A01", reason: "repeated", coll: "products", prepare: fillReviews,
		run: firstThen(makeView, func(ctx context.Context, db *mongo.Database) error {
			for i := range 3 {
				if err := db.Collection("withReviews").FindOne(ctx, bson.D{{Key: "_id", Value: i}}).Err(); err != nil {
					return err
				}
			}
			return nil
		}),
	},
	{
		name: "A02 join by $expr", rule: "A02", reason: "expr-equality", coll: "products", prepare: fillReviews,
		run: runPipelines(1, "products", `[{"$lookup": {"from": "reviews", "let": {"id": "$_id"}, "pipeline": [{"$match": {"$expr": {"$eq": ["$productId", "$$id"]}}}], "as": "r"}}]`),
	},
	{
		name: "A03 join without an index", rule: "A03", reason: "no-index", coll: "reviews", prepare: fillReviews, flags: []string{"--rules", "-A01"},
		run: firstThen(listIndexes, runPipelines(3, "products", `[{"$match": {"_id": 3}}, `+joinAuthors+`]`)),
	},
	{
		name: "A03 slow join", rule: "A03", reason: "slow-join", coll: "reviews", prepare: fillReviews,
		flags: []string{"--rules", "-A01", "--limit", "A03.slow=0"},
		run:   runPipelines(13, "products", `[{"$match": {"_id": 3}}, `+joinAuthors+`]`),
	},
	{
		name: "A04 tree on every page", rule: "A04", reason: "repeated", coll: "products", prepare: fillReviews,
		run: runPipelines(10, "products", `[{"$match": {"_id": 3}}, `+walkTree+`]`),
	},
	{
		name: "A05 the same sum", rule: "A05", reason: "same-inputs", coll: "reviews", prepare: fillReviews,
		run: runPipelines(60, "reviews", `[{"$match": {"productId": 7}}, {"$group": {"_id": null, "votes": {"$sum": "$votes"}}}]`),
	},
	{
		name: "A05 slow sums", rule: "A05", reason: "repeated", coll: "reviews", prepare: fillReviews, flags: []string{"--limit", "A05.slow=0"},
		run: func(ctx context.Context, db *mongo.Database) error {
			for i := range 60 {
				sum := fmt.Sprintf(`[{"$match": {"productId": %d}}, {"$group": {"_id": "$author", "votes": {"$sum": "$votes"}}}]`, i)
				if err := runPipelines(1, "reviews", sum)(ctx, db); err != nil {
					return err
				}
			}
			return nil
		},
	},
	{
		name: "A05 stored at each request", rule: "A05", reason: "materialise-per-request", coll: "reviews", prepare: fillReviews,
		run: runPipelines(60, "reviews", `[{"$group": {"_id": "$productId", "n": {"$sum": 1}}}, {"$merge": "sums"}]`),
	},
	{
		name: "A06 elements filtered late", rule: "A06", reason: "match-after-unwind", coll: "products", prepare: fillReviews,
		run: runPipelines(3, "products", `[{"$unwind": "$tags"}, {"$match": {"tags": 2}}]`),
	},
	{
		name: "A06 sorted after the join", rule: "A06", reason: "limit-after-lookup", coll: "products", prepare: fillReviews, flags: []string{"--rules", "-A01"},
		run: runPipelines(3, "products", `[`+joinReviews+`, {"$unwind": "$reviews"}, {"$sort": {"at": -1}}, {"$limit": 5}]`),
	},
	{
		name: "A07 all gathered for three", rule: "A07", reason: "push-then-slice", coll: "reviews", prepare: fillReviews,
		run: runPipelines(3, "reviews", `[{"$sort": {"votes": -1}}, {"$group": {"_id": "$productId", "top": {"$push": {"title": "$title"}}}}, {"$project": {"top": {"$slice": ["$top", 3]}}}]`),
	},
	{
		name: "A07 too large a document", rule: "A07", reason: "memory-error", coll: "big",
		prepare: fillBig,
		run: func(ctx context.Context, db *mongo.Database) error {
			if runPipelines(1, "big", `[{"$bucket": {"groupBy": "$_id", "boundaries": [0, 100], "output": {"all": {"$push": "$$ROOT"}}}}]`)(ctx, db) == nil {
				return fmt.Errorf("20 MB fit into a document")
			}
			return nil
		},
	},
	{
		name: "A07 too many values", rule: "A07", reason: "memory-error", coll: "big", prepare: fillBig,
		run: func(ctx context.Context, db *mongo.Database) error {
			if db.Collection("big").Distinct(ctx, "data", bson.D{}).Err() == nil {
				return fmt.Errorf("20 MB fit into a document")
			}
			return nil
		},
	},

	{
		name: "quiet: a join now and then", prepare: fillReviews, profiles: everywhere,
		run: runPipelines(2, "products", `[{"$match": {"_id": 3}}, `+joinReviews+`]`),
	},
	{
		name: "quiet: a join with its index", prepare: fillReviews, profiles: everywhere, flags: []string{"--rules", "-A01"},
		run: firstThen(listIndexes, runPipelines(25, "products", `[{"$match": {"_id": 3}}, `+joinReviews+`]`)),
	},
	{
		name: "quiet: a tree read seldom", prepare: fillReviews, profiles: everywhere,
		run: runPipelines(9, "products", `[{"$match": {"_id": 3}}, `+walkTree+`]`),
	},
	{
		name: "quiet: what the server puts in order", prepare: fillReviews, profiles: everywhere,
		run: runPipelines(25, "products",
			`[{"$project": {"at": 1}}, {"$match": {"at": 5}}]`, `[{"$set": {"x": 1}}, {"$match": {"at": 5}}]`, `[{"$unwind": "$tags"}, {"$match": {"at": 5}}]`,
			`[{"$sort": {"at": 1}}, {"$project": {"at": 1}}, {"$limit": 5}]`, `[{"$match": {"tags": 2}}, {"$unwind": "$tags"}, {"$match": {"tags": 2}}]`,
			`[{"$match": {"at": {"$gt": 3}}}, {"$facet": {"page": [{"$sort": {"at": 1}}, {"$limit": 5}], "total": [{"$count": "n"}]}}]`),
	},
	{
		name: "quiet: counts, sums that differ, small groups", prepare: fillReviews, profiles: everywhere,
		run: func(ctx context.Context, db *mongo.Database) error {
			reviews := db.Collection("reviews")
			for i := range 70 {
				if _, err := reviews.CountDocuments(ctx, bson.D{{Key: "productId", Value: 3}}); err != nil {
					return err
				}
				if _, err := reviews.UpdateOne(ctx, bson.D{{Key: "_id", Value: 10 * (i % 50)}}, bson.D{{Key: "$set", Value: bson.D{{Key: "votes", Value: i}}}}); err != nil {
					return err
				}
				if err := reviews.FindOne(ctx, bson.D{{Key: "_id", Value: 10 * (i % 50)}}, options.FindOne()).Err(); err != nil {
					return err
				}
				sum := fmt.Sprintf(`[{"$match": {"productId": %d}}, {"$group": {"_id": null, "votes": {"$sum": "$votes"}, "authors": {"$addToSet": "$author"}}}]`, i%50)
				if err := runPipelines(1, "reviews", sum)(ctx, db); err != nil {
					return err
				}
				if err := reviews.Distinct(ctx, "author", bson.D{}).Err(); err != nil {
					return err
				}
			}
			return nil
		},
	},
}
