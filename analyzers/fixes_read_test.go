package analyzers_test

import (
	"fmt"
	"strings"
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"mongoadvisor/internal/demo/mongod/mongodtest"
)

// readFixes: the fixes for reads that belong together are run by TestReadFixes,
// since their traffic is many lines.
var readFixes = []fixCase{}

// readFix is traffic of several lines that a rule reports, and what is done instead
// of it: what the fix says, and then its last line again and again.
type readFix struct {
	rule, reason string
	traffic      []string
	fill         []string // of the placeholders in the fix, in turn
	// instead are lines that go before the last line of the fix each time.
	instead []string
	times   int
	better  bool // the last line of the fix looks at less than half of what the last one of the traffic does
}

// lines repeats lines with the numbers from 0.
func lines(n int, formats ...string) (out []string) {
	for i := range n {
		for _, f := range formats {
			out = append(out, strings.ReplaceAll(f, "{n}", fmt.Sprint(i)))
		}
	}
	return out
}

func readFixCases() []readFix {
	list := `db.orders.find({ st: 1 }).limit(12)`
	ancestors := []string{"<id>", "0", "<parent id>", "1", "<root id>", "2"}
	var climbs []string
	for i := range 4 {
		climbs = append(climbs, lines(1, fmt.Sprintf("db.nodes.find({ _id: %d }).limit(1)", 10*i), fmt.Sprintf("db.nodes.find({ _id: %d }).limit(1)", 10*i+1), fmt.Sprintf("db.nodes.find({ _id: %d }).limit(1)", 10*i+2))...)
	}
	return []readFix{
		{
			rule: "Q11", reason: "fan-out", traffic: append([]string{list}, lines(12, `db.customers.find({ _id: {n} }).limit(1)`)...),
			fill: []string{"<all customerId of orders>", numbers(12)}, instead: []string{list}, times: 5,
		},
		{
			rule: "Q11", reason: "fan-out", traffic: append([]string{`db.customers.find({ st: 1 }).limit(12)`}, lines(12, `db.orders.aggregate([{ $match: { customerId: {n} } }, { $project: { st: 1 } }])`)...),
			fill:    []string{"<all _id of customers>", numbers(12), "<the other stages, grouped by customerId>", `{ $group: { _id: "$customerId", n: { $sum: 1 } } }`},
			instead: []string{`db.customers.find({ st: 1 }).limit(12)`}, times: 5,
		},
		{
			rule: "Q11", reason: "duplicate", traffic: append([]string{`db.orders.find({ st: 2 }).limit(12)`}, lines(4, `db.customers.find({ _id: 0 }).limit(1)`, `db.customers.find({ _id: 1 }).limit(1)`, `db.customers.find({ _id: 2 }).limit(1)`)...),
			fill: []string{"<the different values>", numbers(3)}, instead: []string{`db.orders.find({ st: 2 }).limit(12)`}, times: 5,
		},
		{
			rule: "S05", reason: "read-together", traffic: lines(25, `db.orders.find({ _id: {n} }).limit(1)`, `db.customers.find({ _id: {n} }).limit(1)`),
			fill: []string{"<id>", "1", "<customer id>", "1", "<name>", `"Ada"`}, times: 30,
		},
		{rule: "S07", reason: "recursive-reads", traffic: climbs, fill: ancestors, times: 10},
		{
			rule: "S07", reason: "nested-set-churn", traffic: lines(4, `db.nodes.updateMany({ lft: { $gt: 500 } }, { $inc: { lft: 2 } })`, `db.nodes.updateMany({ rgt: { $gt: 500 } }, { $inc: { rgt: 2 } })`),
			fill: ancestors, times: 10,
		},
		{rule: "S07", reason: "child-array", traffic: lines(4, `db.nodes.updateOne({ _id: 1 }, { $push: { children: {n} } })`), fill: ancestors, times: 10},
		{rule: "S07", reason: "path-regex", traffic: []string{`db.nodes.find({ path: /,node5/ })`}, fill: []string{"<root>", "top5"}, times: 3, better: true},
		{rule: "S07", reason: "path-regex", traffic: []string{`db.nodes.find({ dir: /^\/TOP5/i })`}, fill: []string{"<root>", "top5"}, times: 3, better: true},
	}
}

// fillReadDatabase has orders of customers, the first dozen of three customers'
// as well, and nodes of a tree in all its models.
func fillReadDatabase(t *testing.T, db *mongo.Database) {
	t.Helper()
	colls := map[string][]any{}
	for i := range 1000 {
		colls["customers"] = append(colls["customers"], bson.D{{Key: "_id", Value: i}, {Key: "name", Value: "Ada"}, {Key: "st", Value: 1}})
		colls["orders"] = append(colls["orders"], bson.D{{Key: "_id", Value: i}, {Key: "customerId", Value: i}, {Key: "st", Value: 1}})
		node := bson.D{
			{Key: "_id", Value: i},
			{Key: "lft", Value: i},
			{Key: "rgt", Value: i + 1},
			{Key: "path", Value: fmt.Sprintf(",top%d,node%d,", i/100, i)},
			{Key: "dir", Value: fmt.Sprintf("/top%d/node%d", i/100, i)},
		}
		if i%10 < 2 {
			node = append(node, bson.E{Key: "parent", Value: i + 1})
		}
		colls["nodes"] = append(colls["nodes"], node)
	}
	for i := range 12 {
		colls["orders"] = append(colls["orders"], bson.D{{Key: "_id", Value: 2000 + i}, {Key: "customerId", Value: i % 3}, {Key: "st", Value: 2}})
	}
	for name, docs := range colls {
		if _, err := db.Collection(name).InsertMany(t.Context(), docs); err != nil {
			t.Fatal(err)
		}
	}
}

// TestReadFixes does with many lines what TestFixes does with one.
func TestReadFixes(t *testing.T) {
	server := mongodtest.Start(t)
	client, err := mongo.Connect(options.Client().ApplyURI(server.URI()))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = client.Disconnect(t.Context()) }()
	for i, c := range readFixCases() {
		t.Run(fmt.Sprintf("%s %s %d", c.rule, c.reason, i), func(t *testing.T) {
			db := client.Database(fmt.Sprintf("read%d", i))
			fillReadDatabase(t, db)
			defer func() { _ = db.Drop(t.Context()) }()
			c.check(t, db)
		})
	}
}

func (c readFix) check(t *testing.T, db *mongo.Database) {
	before := &shell{t: t, db: db}
	for _, line := range c.traffic {
		before.run(line)
	}
	found := judge(t, before.steps)
	if len(found) != 1 || found[0].Rule != c.rule || found[0].Reason != c.reason {
		t.Fatalf("findings %v", words(found))
	}
	fix := strings.NewReplacer(c.fill...).Replace(found[0].Fix.Mongosh)
	if rest := placeholder.FindString(fix); rest != "" || fix == "" {
		t.Fatalf("the fix has %q left: %s", rest, fix)
	}
	examined := int64(0)
	if c.better {
		examined = before.examined(c.traffic[len(c.traffic)-1])
	}
	after, last := &shell{t: t, db: db}, ""
	for line := range strings.Lines(fix) {
		after.run(line)
		last = line
	}
	for range c.times {
		for _, line := range append(c.instead, last) {
			after.run(line)
		}
	}
	if again := judge(t, after.steps); len(again) > 0 {
		t.Errorf("the fix is reported itself: %v\n%s", words(again), fix)
	}
	if c.better {
		if now := after.examined(last); now*2 > examined {
			t.Errorf("examined %d before and %d after: %s", examined, now, fix)
		}
	}
}
