package demo

import "go.mongodb.org/mongo-driver/v2/bson"

// lookedAt is how often a page is looked at in one round.
const lookedAt = 20

// trees: the model that fits the queries.
func trees() []Exercise {
	below := func(int) bson.D {
		return aggregate("categories", bson.A{
			d("$match", d("_id", "electronics")),
			d("$graphLookup", d("from", "categories", "startWith", "$_id", "connectFromField", "_id", "connectToField", "parent", "as", "below")),
			d("$project", d("below._id", 1)),
		})
	}
	return []Exercise{
		{
			Name: "a recursive search on every page", Lesson: "array of ancestors", Rules: []string{"A04"}, Namespace: "categories", Field: "parent",
			Why:    "the tree is walked at each view; with the ancestors stored it is one equality",
			Avoid:  busy(lookedAt, below),
			Prefer: side(always(find("categories", d("ancestors", "electronics"), "projection", d("_id", 1)))),
		},
		{
			Name: "a nested set that changes", Lesson: "nested sets suit trees that rest", Rules: []string{"S07"}, Namespace: "categories", Field: "lft",
			Why: "one new node renumbers every node to its right",
			Avoid: side(
				always(updateMany("categories", d("lft", d("$gt", 1000)), d("$inc", d("lft", 2)))),
				always(updateMany("categories", d("rgt", d("$gt", 1000)), d("$inc", d("rgt", 2))))),
			Prefer: side(func(n int) bson.D {
				return upsertOne("categories", d("_id", name("gadget", n)), d("$set", d("parent", "electronics", "ancestors", bson.A{"electronics"}, "path", ",electronics,")))
			}),
		},
		{
			Name: "the chain of managers", Lesson: "parent references, read seldom", Namespace: "employees",
			Why: "recursion is fine for a question that is asked seldom",
			Prefer: side(once(aggregate("employees", bson.A{
				d("$match", d("_id", 14)),
				d("$graphLookup", d("from", "employees", "startWith", "$managerId", "connectFromField", "managerId", "connectToField", "_id", "as", "chain", "depthField", "d")),
			}))),
		},
	}
}
