package demo

import (
	"context"
	"fmt"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
)

// Proof is advice that can be seen to work: the same need before and after,
// with what the server looked at.
type Proof struct {
	Rule      string
	Namespace string
	Title     string
	// Before and After are mongosh text.
	Before, After string
	// SameResult says that both must return the same; Q03 is about results that
	// differ.
	SameResult bool

	before, after bson.D
	// index is what the advice creates: it is not there before.
	index *caselessIndex
}

// Result is a proof as measured by explain("executionStats").
type Result struct {
	Proof
	KeysBefore, DocsBefore, ReturnedBefore int64
	KeysAfter, DocsAfter, ReturnedAfter    int64
}

// Proofs lists them.
func Proofs() []Proof {
	join := func(spec ...any) bson.D {
		return aggregate("products", bson.A{d("$match", d("_id", d("$lt", 20))), d("$lookup", append(d("from", "reviews"), append(d(spec...), d("as", "reviews")...)...))})
	}
	return []Proof{
		{
			Rule: "Q02", Namespace: "shop.customers", Title: "a city without case", SameResult: true,
			Before: `find({ "address.city": /^pune$/i })`, before: find("customers", d("address.city", rx("^pune$", "i"))),
			After: `createIndex({ "address.city": 1 }, { collation: { locale: "en", strength: 2 } }); find({ "address.city": "pune" }).collation({ locale: "en", strength: 2 })`,
			index: &cityIndex,
			after: find("customers", d("address.city", "pune"), "collation", caseless),
		},
		{
			Rule: "Q02", Namespace: "shop.customers", Title: "the beginning of a name without case", SameResult: true,
			Before: `find({ name: /^ada 1/i })`, before: find("customers", d("name", rx("^ada 1", "i"))),
			After: `createIndex({ name: 1 }, { collation: { locale: "en", strength: 2 } }); find({ name: { $gte: "ada 1", $lt: "ada 1\uffff" } }).collation({ locale: "en", strength: 2 })`,
			index: &customerIndex,
			after: find("customers", d("name", d("$gte", "ada 1", "$lt", "ada 1\uffff")), "collation", caseless),
		},
		{
			Rule: "S07", Namespace: "shop.categories", Title: "a part of a path", SameResult: true,
			Before: `find({ path: /,audio,/ })`, before: find("categories", d("path", rx(",audio,", ""))),
			After: `find({ path: /^,electronics,audio,/ })`, after: find("categories", d("path", rx("^,electronics,audio,", ""))),
		},
		{
			Rule: "Q01", Namespace: "shop.products", Title: "a group after the anchor", SameResult: true,
			Before: `find({ sku: /^(EL-01)/ })`, before: find("products", d("sku", rx("^(EL-01)", ""))),
			After: `find({ sku: /^EL-01/ })`, after: find("products", d("sku", rx("^EL-01", ""))),
		},
		{
			Rule: "Q01", Namespace: "shop.customers", Title: "two beginnings in one expression", SameResult: true,
			Before: `find({ email: /^user100|^user200/ })`, before: find("customers", d("email", rx("^user100|^user200", ""))),
			After: `find({ email: { $in: [/^user100/, /^user200/] } })`,
			after: find("customers", d("email", d("$in", bson.A{rx("^user100", ""), rx("^user200", "")}))),
		},
		{
			Rule: "Q03", Namespace: "shop.products", Title: "an optional character in braces: documents were missing",
			Before: `find({ ean: /^40{0,1}1/ })`, before: find("products", d("ean", rx("^40{0,1}1", ""))),
			After: `find({ ean: /^4(?:0{0,1})1/ })`, after: find("products", d("ean", rx("^4(?:0{0,1})1", ""))),
		},
		{
			Rule: "A02", Namespace: "shop.products", Title: "a join written as $expr, over a multikey index", SameResult: true,
			Before: `$lookup with let and { $expr: { $eq: ["$productId", "$$id"] } }`,
			before: join("let", d("id", "$_id"), "pipeline", bson.A{d("$match", d("$expr", d("$eq", bson.A{"$productId", "$$id"})))}),
			After:  `$lookup with localField: "_id", foreignField: "productId"`,
			after:  join("localField", "_id", "foreignField", "productId"),
		},
	}
}

// Prove measures every proof on the shop: without the advice, then with it. The
// client must reach the server directly, so that explains are no traffic of the
// shop. No document is changed, and the indexes are as Seed made them at the end.
func Prove(ctx context.Context, client *mongo.Client) ([]Result, error) {
	db := client.Database(Database)
	var out []Result
	for _, p := range Proofs() {
		r, err := p.measure(ctx, db)
		if err != nil {
			return nil, fmt.Errorf("demo: proof of %s, %s: %w", p.Rule, p.Title, err)
		}
		out = append(out, r)
	}
	return out, nil
}

func (p Proof) measure(ctx context.Context, db *mongo.Database) (r Result, err error) {
	r.Proof = p
	if p.index != nil {
		if err := p.index.drop(ctx, db); err != nil {
			return r, err
		}
	}
	if r.KeysBefore, r.DocsBefore, r.ReturnedBefore, err = explain(ctx, db, p.before); err != nil {
		return r, err
	}
	if p.index != nil {
		if err := p.index.create(ctx, db); err != nil {
			return r, err
		}
	}
	r.KeysAfter, r.DocsAfter, r.ReturnedAfter, err = explain(ctx, db, p.after)
	return r, err
}

// stats are the execution statistics of a plan or of one stage.
type stats struct {
	Returned int64 `bson:"nReturned"`
	Keys     int64 `bson:"totalKeysExamined"`
	Docs     int64 `bson:"totalDocsExamined"`
}

// explain runs a command under explain and adds up what its stages looked at:
// a $lookup reports its own work beside the plan's.
func explain(ctx context.Context, db *mongo.Database, command bson.D) (keys, docs, returned int64, err error) {
	var reply struct {
		Stats  stats `bson:"executionStats"`
		Stages []struct {
			Cursor struct {
				Stats stats `bson:"executionStats"`
			} `bson:"$cursor"`
			Keys     int64 `bson:"totalKeysExamined"`
			Docs     int64 `bson:"totalDocsExamined"`
			Returned int64 `bson:"nReturned"`
		} `bson:"stages"`
	}
	err = db.RunCommand(ctx, d("explain", command, "verbosity", "executionStats")).Decode(&reply)
	if len(reply.Stages) == 0 {
		return reply.Stats.Keys, reply.Stats.Docs, reply.Stats.Returned, err
	}
	for _, s := range reply.Stages {
		keys += s.Cursor.Stats.Keys + s.Keys
		docs += s.Cursor.Stats.Docs + s.Docs
		returned = s.Returned
	}
	return keys, docs, returned, err
}
