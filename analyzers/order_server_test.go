package analyzers_test

import (
	"testing"

	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"mongoadvisor/internal/demo/mongod/mongodtest"
)

// TestServerOrder holds what A06 takes for granted against a real mongod: which
// stages the server moves by itself, and which it leaves where they are.
func TestServerOrder(t *testing.T) {
	server := mongodtest.Start(t)
	client, err := mongo.Connect(options.Client().ApplyURI(server.URI()))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = client.Disconnect(t.Context()) }()
	db := client.Database("order")
	fillDatabase(t, db)
	s := &shell{t: t, db: db}
	s.run(`db.c.createIndex({ tags: 1 })`)
	const (
		join = `{ $lookup: { from: "d", localField: "n", foreignField: "_id", as: "d" } }`
		list = `{ $lookup: { from: "d", localField: "n", foreignField: "_id", pipeline: [{ $limit: 3 }], as: "l" } }`
		tree = `{ $graphLookup: { from: "d", startWith: "$n", connectFromField: "n", connectToField: "_id", as: "d" } }`
		take = `{ $unwind: "$d" }`
		last = `{ $sort: { at: -1 } }`
		five = `{ $limit: 5 }`
		calc = `{ $set: { x: { $size: "$tags" } } }`
		keep = `{ $project: { at: 1, n: 1 } }`
		one  = `{ $match: { n: 5 } }`
		over = `{ $setWindowFields: { partitionBy: "$grp", sortBy: { at: 1 }, output: { r: { $sum: "$n" } } } }`
		same = `{ $match: { grp: 5 } }`
		elem = `{ $match: { tags: 2 } }`
		root = `{ $replaceRoot: { newRoot: { $mergeObjects: [{ kind: 1 }, "$$ROOT"] } } }`
	)
	for _, c := range []struct {
		late, early string
		moves       bool
	}{
		{keep + `, ` + one, one + `, ` + keep, true},
		{calc + `, ` + one, one + `, ` + calc, true},
		{`{ $unset: "x" }, ` + one, one, true},
		{`{ $unwind: "$tags" }, ` + one, one, true},
		{join + `, ` + one, one + `, ` + join, true},
		{join + `, ` + take + `, ` + one, one + `, ` + join, true},
		{tree + `, ` + one, one + `, ` + tree, true},
		{`{ $unionWith: "d" }, ` + one, one, true},
		{last + `, ` + one, one + `, ` + last, true},
		{`{ $group: { _id: "$n", x: { $sum: 1 } } }, { $match: { _id: 5 } }`, one + `, { $group: { _id: "$n", x: { $sum: 1 } } }`, true},
		{join + `, ` + last + `, ` + five, last + `, ` + five + `, ` + join, true},
		{list + `, ` + last + `, ` + five, last + `, ` + five + `, ` + list, true},
		{join + `, ` + list + `, ` + last + `, ` + five, last + `, ` + five + `, ` + join, true},
		{last + `, ` + join + `, ` + five, last + `, ` + five + `, ` + join, true},
		{last + `, ` + keep + `, ` + five, last + `, ` + five + `, ` + keep, true},
		{last + `, ` + calc + `, ` + five, last + `, ` + five + `, ` + calc, true},

		{`{ $facet: { a: [` + one + `], b: [` + one + `, { $count: "n" }] } }`, one + `, { $facet: { a: [` + one + `], b: [` + one + `, { $count: "n" }] } }`, false},
		{`{ $unwind: "$tags" }, ` + elem, elem + `, { $unwind: "$tags" }, ` + elem, false},
		{over + `, ` + same, same + `, ` + over, false},
		{root + `, ` + one, one + `, ` + root, false},
		{calc + `, ` + last + `, ` + five, last + `, ` + five + `, ` + calc, false},
		{keep + `, ` + last + `, ` + five, last + `, ` + five + `, ` + keep, false},
		{join + `, { $unwind: { path: "$d", preserveNullAndEmptyArrays: true } }, ` + last + `, ` + five, last + `, ` + five + `, ` + join, false},
		{tree + `, ` + last + `, ` + five, last + `, ` + five + `, ` + tree, false},
		{join + `, ` + calc + `, ` + last + `, ` + five, last + `, ` + five + `, ` + join + `, ` + calc, false},
	} {
		late, early := s.examined(`db.c.aggregate([`+c.late+`])`), s.examined(`db.c.aggregate([`+c.early+`])`)
		if moves := late <= 2*early+2; moves != c.moves {
			t.Errorf("%s\nexamines %d, in the other order %d; want it moved by the server: %v", c.late, late, early, c.moves)
		}
	}
}
