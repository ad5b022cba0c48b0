package canary

import (
	"go.mongodb.org/mongo-driver/v2/bson"
)

// aggregations are what makes the rules of the group A speak, with tokens in
// names as well as in values.
func (t *tokens) aggregations() []carrier {
	join := func() bson.D {
		return d("$lookup", d("from", "users", "localField", "by."+t.key(), "foreignField", "user."+t.key(), "as", "joined"))
	}
	tree := func() bson.D {
		return d("$graphLookup", d("from", "users", "startWith", "$by."+t.key(), "connectFromField", "up."+t.key(), "connectToField", "of."+t.key(), "as", t.key(), "depthField", t.key()))
	}
	list := d("listIndexes", "users", "$db", "shop")
	indexes := d("cursor", d("firstBatch", bson.A{d("v", 2, "key", d("_id", 1), "name", "_id_")}, "id", int64(0), "ns", "shop.users"), "ok", 1.0)
	out := []carrier{{body: list, reply: indexes}}
	for _, p := range []bson.A{
		{join(), d("$set", d(t.key(), d("$first", "$joined."+t.key())))},
		{d("$lookup", d("from", "users", "localField", "u", "foreignField", "name", "as", "j"))},
		{tree(), d("$sort", d("at."+t.key(), -1)), d("$limit", t.number())},
		{d("$graphLookup", d("from", "users", "startWith", "$a", "connectFromField", "a", "connectToField", "b", "as", "c"))},
		{d("$unwind", "$tags."+t.key()), d("$match", d("tags.x", t.word()))},
		{d("$unwind", "$tags"), d("$match", d("tags.name", t.word(), "tags."+t.key(), d("$gt", t.date())))},
		{d("$unwind", "$tags"), d("$group", d("_id", "$_id", t.key(), d("$sum", "$tags."+t.key())))},
		{d("$unwind", "$tags"), d("$group", d("_id", "$_id", "n", d("$sum", 1))), d("$match", d("n", t.number())), d(t.key(), t.word())},
		{d("$facet", d(t.key(), bson.A{d("$match", d("a", t.word()))})), d("$match", d(t.key(), t.word()))},
		{d("$setWindowFields", d("partitionBy", "$by", "output", d(t.key(), d("$sum", t.number())))), d("$match", d("by", t.word()))},
		{d("$replaceWith", d("$mergeObjects", bson.A{d(t.key(), t.word()), "$$ROOT"})), d("$match", d("by", t.word(), "at", d("$gte", t.date())))},
		{join(), d("$unwind", "$joined"), d("$sort", d("at", -1, t.key(), 1)), d("$skip", t.number()), d("$limit", t.number())},
		{d("$set", d(t.key(), t.sentence())), d("$sort", d("at", 1)), d("$limit", t.number())},
		{d("$match", d("a", t.word())), d("$sort", d(t.key(), 1)), d("$group", d("_id", t.word(), t.key(), d("$push", d(t.key(), "$a", "b", t.word())))), d("$project", d("x", t.sentence()))},
		{d("$sort", d("a", 1)), d("$group", d("_id", "$by."+t.key(), "all", d("$push", d("a", "$a", "b", "$b."+t.key())))), d("$set", d("all", d("$slice", bson.A{"$all", t.number()})))},
		{d("$group", d("_id", "$by."+t.key(), "all", d("$addToSet", "$$ROOT")))},
		{d("$group", d("_id", d(t.key(), t.word()), "sum", d("$sum", "$by."+t.key()), "avg", d("$avg", t.number()), t.key(), d("$max", "$a")))},
		{d("$sortByCount", "$by."+t.key()), d("$match", d("count", d("$gt", t.number()))), d("$limit", t.number())},
		{d("$group", d("_id", nil, "n", d("$sum", "$a"))), d("$merge", d("into", "sums", "let", d("x", t.word())))},
	} {
		for range 12 { // a quarter of the replies holds documents
			out = append(out, carrier{body: d("aggregate", "people", "pipeline", p, "cursor", d(), "comment", t.comment(), "$db", "shop")})
		}
	}
	return out
}
