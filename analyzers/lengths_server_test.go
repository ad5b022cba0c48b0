package analyzers_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"mongoadvisor/analyzers"
	"mongoadvisor/internal/analysis/analysistest"
	"mongoadvisor/internal/analysis/cases"
	"mongoadvisor/internal/demo/mongod/mongodtest"
)

// TestLengthsAreTrue does all that can be done to an array on a real mongod, in
// any order: where W01 says how long the array is, it is so long, and where it
// says "at least", no shorter.
func TestLengthsAreTrue(t *testing.T) {
	server := mongodtest.Start(t)
	client, err := mongo.Connect(options.Client().ApplyURI(server.URI()))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = client.Disconnect(t.Context()) }()
	exact, least := 0, 0
	for seed := range uint64(12) {
		db := client.Database(fmt.Sprint("lengths", seed))
		e, l := lengths(t, db, rand.New(rand.NewPCG(1, seed)), seed%2 == 0)
		exact, least = exact+e, least+l
	}
	if exact < 200 || least < 5 {
		t.Errorf("the length was said only %d times, the least length %d times", exact, least)
	}
}

// changes are what is done; %d is a number of up to two digits.
var changes = []string{
	`db.c.updateOne({ _id: 1 }, { $push: { a: %d } })`,
	`db.c.updateOne({ _id: 1 }, { $push: { a: %d } }, { upsert: true })`,
	`db.c.updateOne({ _id: 1 }, { $push: { a: { $each: [%d, %d, %d] } } })`,
	`db.c.updateOne({ _id: 1 }, { $push: { a: { $each: [%d], $position: 0 } } })`,
	`db.c.updateOne({ _id: 1 }, { $addToSet: { a: %d } })`,
	`db.c.updateOne({ _id: 1 }, { $addToSet: { a: { $each: [%d, %d] } } })`,
	`db.c.updateOne({ _id: 1 }, [{ $set: { a: { $concatArrays: [{ $ifNull: ["$a", []] }, [%d, %d]] } } }])`,
	`db.c.updateOne({ _id: 2 }, { $push: { a: %d } })`,
	`db.c.findOneAndUpdate({ _id: 1 }, { $push: { a: %d } })`,
	`db.c.findOneAndUpdate({ _id: 1 }, { $push: { a: %d } }, { new: true })`,
	`db.c.findOneAndUpdate({ _id: 1 }, { $push: { a: %d } }, { upsert: true })`,
	`db.c.find({ _id: 1 })`,
	`db.c.find({ _id: 1 }).limit(1)`,
	`db.c.aggregate([{ $match: { n: { $exists: false } } }])`,
	`db.c.aggregate([{ $project: { a: { $slice: ["$a", 2] } } }])`,
	`db.c.updateOne({ _id: 1 }, { $set: { x: %d } })`,
}

// removals take elements out.
var removals = []string{
	`db.c.updateOne({ _id: 1 }, { $pop: { a: 1 } })`,
	`db.c.updateOne({ _id: 1 }, { $pull: { a: %d } })`,
	`db.c.updateOne({ n: 5 }, { $pull: { a: %d } })`,
	`db.c.updateOne({ _id: 1 }, { $pull: { a: { $lt: %d } } })`,
	`db.c.updateOne({ _id: 1 }, { $push: { a: { $each: [%d], $slice: -30 } } })`,
	`db.c.updateOne({ _id: 1 }, { $unset: { a: 1 } })`,
	`db.c.updateOne({ _id: 1 }, { $set: { a: [%d, %d] } })`,
	`db.c.updateOne({ _id: 1 }, { a: [%d, %d, %d] })`,
	`db.c.updateOne({ _id: 1 }, { x: %d })`,
	`db.c.updateOne({ _id: 1 }, [{ $set: { a: { $slice: [{ $ifNull: ["$a", []] }, -20] } } }])`,
	`db.c.deleteOne({ _id: 1 })`,
	`db.c.findOneAndDelete({ _id: 1 })`,
}

// lengths makes changes, plays them to the rules and compares. It returns how
// often a length was said, and how often a least one.
func lengths(t *testing.T, db *mongo.Database, r *rand.Rand, remove bool) (exact, least int) {
	t.Helper()
	defer func() { _ = db.Drop(t.Context()) }()
	s, look := &shell{t: t, db: db}, &shell{t: t, db: db}
	if !remove {
		look.run(`db.c.insertOne({ _id: 1, a: [1, 2, 3] })`) // before anybody looked
	}
	var truth []int64
	for range 300 {
		line := changes[r.IntN(len(changes))]
		if remove && r.IntN(25) == 0 {
			line = removals[r.IntN(len(removals))]
		}
		var numbers []any
		for range strings.Count(line, "%d") {
			numbers = append(numbers, r.IntN(60))
		}
		s.run(fmt.Sprintf(line, numbers...))
		look.run(`db.c.aggregate([{ $match: { _id: 1 } }, { $project: { n: { $size: { $ifNull: ["$a", []] } } } }])`)
		n := int64(0)
		if docs, err := look.steps[len(look.steps)-1].Reply.LookupErr("cursor", "firstBatch", "0", "n"); err == nil {
			n = docs.AsInt64()
		}
		truth = append(truth, n)
	}
	reports, _, err := analysistest.Replay(&cases.File{Operations: s.steps}, analyzers.All())
	if err != nil {
		t.Fatal(err)
	}
	for i, step := range reports {
		for _, found := range step {
			if found.Rule.ID != "W01" {
				continue
			}
			for _, e := range found.Finding.Evidence {
				switch {
				case e.Name == "length" && e.Value != truth[i]:
					t.Fatalf("step %d: length %d, in truth %d: %s", i, e.Value, truth[i], s.steps[i].Command)
				case e.Name == "length_at_least" && e.Value > truth[i]:
					t.Fatalf("step %d: length at least %d, in truth %d: %s", i, e.Value, truth[i], s.steps[i].Command)
				case e.Name == "length":
					exact++
				case e.Name == "length_at_least" && e.Value > 0:
					least++
				}
			}
		}
	}
	return exact, least
}
