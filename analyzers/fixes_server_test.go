package analyzers_test

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"mongoadvisor/analyzers"
	"mongoadvisor/internal/analysis/analysistest"
	"mongoadvisor/internal/analysis/cases"
	"mongoadvisor/internal/demo/mongod/mongodtest"
	"mongoadvisor/internal/store"
)

// fixCase is traffic that a rule reports and what a reader puts into its fix.
type fixCase struct {
	rule, reason string
	traffic      string // a mongosh line; {n} in it is the number of the call
	times        int    // how often it is sent; once when 0
	// every is the time between two calls, by the traffic's clock; 1 ms when 0.
	every time.Duration
	// fixed is what the program sends once the fix is made, as often as the
	// traffic; the last line of the fix when empty.
	fixed string
	// rarely says that it is sent once where the traffic is sent so often.
	rarely int
	// before is what better compares with; the traffic when empty.
	before string
	// fill are placeholders of the fix and what stands for them, in turn.
	fill []string
	// better: the last line of the fix must look at less than half of what the
	// traffic looked at.
	better bool
	// also is a rule that has something else to say of the same traffic.
	also string
	// stage is the collection whose pipeline takes a fix that is one stage.
	stage string
	// setup is sent before the traffic.
	setup string
	// limits in force, as on the command line.
	limits []string
	// fails: the server answers the traffic with errors.
	fails bool
}

// fixCases are those of every group; each group's are in a file of their own.
var fixCases = slices.Concat(queryFixes, arrayFixes, readFixes, aggregationFixes, writeFixes, schemaFixes, operationFixes)

var queryFixes = []fixCase{
	{rule: "Q04", reason: "index-collation", setup: `db.c.getIndexes()`, traffic: `db.c.find({ s: "user00005" }).collation({ locale: "en", strength: 2 })`, fill: []string{"<value>", "user00005"}, better: true},
	{
		rule: "Q04", reason: "index-collation", setup: "db.d.createIndex({ s: 1 }, { collation: { locale: \"en\", strength: 2 } })\ndb.d.getIndexes()",
		traffic: `db.d.find({ s: "user00005" })`, fill: []string{"<value>", "user00005"},
	},
	{rule: "Q05", reason: "not-equal", traffic: `db.c.find({ st: { $ne: 1 } })`, fill: []string{"<values that are wanted>", "2, 3"}},
	{rule: "Q05", reason: "not-equal", traffic: `db.c.find({ st: { $nin: [1, 2] } })`, fill: []string{"<values that are wanted>", "3"}},
	{rule: "Q05", reason: "not-equal", traffic: `db.c.find({ opt: { $ne: null } })`},
	{rule: "Q05", reason: "negation", traffic: `db.c.find({ n: { $not: { $gt: 200 } } })`, fill: []string{"<value>", "200"}},
	{rule: "Q05", reason: "negation", traffic: `db.c.find({ $nor: [{ st: 1 }] })`, fill: []string{"<values that are wanted>", "3"}, better: true},
	{rule: "Q05", reason: "missing", traffic: `db.c.find({ opt: { $exists: false } })`, fill: []string{"<default>", `"none"`}},
	{rule: "Q05", reason: "missing", traffic: `db.c.aggregate([{ $match: { opt: null } }, { $project: { opt: 1 } }])`, fill: []string{"<default>", `"none"`}},
	{rule: "Q05", reason: "negated-regex", traffic: `db.c.find({ s: { $not: /^User/ } })`, better: true},
	{rule: "Q05", reason: "negated-regex", traffic: `db.c.countDocuments({ s: { $nin: [/^User0/, "x"] } })`, better: true},

	{rule: "Q06", reason: "expr-function", traffic: `db.c.find({ $expr: { $eq: [{ $toLower: "$s" }, "user00005"] } })`, fill: []string{"<value in lower case>", "user00005"}, better: true},
	{rule: "Q06", reason: "expr-function", traffic: `db.c.find({ $expr: { $regexMatch: { input: "$s", regex: "^User0000" } } })`, fill: []string{"<literal>", "User0000"}, better: true},
	{rule: "Q06", reason: "expr-function", traffic: `db.c.find({ $expr: { $regexMatch: { input: "$s", regex: "^user00005$", options: "i" } } })`, fill: []string{"<value>", "user00005"}, better: true},
	{rule: "Q06", reason: "expr-function", traffic: `db.c.find({ $expr: { $regexMatch: { input: "$s", regex: "ser0000" } } })`, fill: []string{"<literal>", "User0000"}, better: true},
	{rule: "Q06", reason: "expr-function", traffic: `db.c.find({ $expr: { $eq: [{ $dayOfMonth: "$at" }, 2] } })`, fill: []string{"<start>", "2026-01-02T00:00:00Z", "<end>", "2026-01-03T00:00:00Z"}},
	{rule: "Q06", reason: "expr-function", traffic: `db.c.find({ $expr: { $in: ["$n", [1, 2, 3]] } })`, fill: []string{"<values>", "1, 2, 3"}, better: true},
	{rule: "Q06", reason: "expr-function", traffic: `db.c.find({ $expr: { $gt: [{ $size: "$tags" }, 2] } })`, fill: []string{"<n>", "3"}, better: true},
	{rule: "Q06", reason: "expr-function", traffic: `db.c.find({ $expr: { $eq: [{ $add: ["$n", "$st"] }, 7] } })`, fill: []string{"<expression>", `{ $add: ["$n", "$st"] }`, "<value>", "7"}, better: true},
	{
		rule: "Q06", reason: "expr-function", traffic: `db.d.aggregate([{ $lookup: { from: "c", let: { v: "$_id" }, pipeline: [{ $match: { $expr: { $in: ["$$v", "$tags"] } } }], as: "z" } }])`,
		fill: []string{"<field>", "_id", "<the other stages>", "", "<name>", "z"}, stage: "d",
	},
	{rule: "Q06", reason: "expr-field-to-field", traffic: `db.c.find({ $expr: { $gt: ["$spent", "$sub.budget"] } })`, better: true},
	{rule: "Q06", reason: "where", traffic: `db.c.find({ $where: "this.n == 5" })`, fill: []string{"<field>", "n", "<value>", "5"}, better: true},
	{
		rule: "Q06", reason: "map-reduce", also: "O05", traffic: `db.c.mapReduce("function() { emit(this.st, 1) }", "function(k, v) { return Array.sum(v) }", { out: { inline: 1 } })`,
		fill: []string{"<query>", "{ n: { $lt: 50 } }", "<key>", "st", "<value>", "n"},
	},
	{rule: "Q06", reason: "mod-only", traffic: `db.c.find({ n: { $mod: [1000, 0] } })`, fill: []string{"<divisor>", "1000", "<remainder>", "0"}, better: true},
	{rule: "Q06", reason: "size-only", traffic: `db.c.find({ tags: { $size: 3 } })`, fill: []string{"<n>", "3"}, better: true},

	{rule: "Q07", reason: "in", traffic: `db.c.find({ grp: { $in: [` + numbers(300) + `] } }).sort({ at: 1 }).limit(20).hint({ grp: 1, at: 1 })`, fill: []string{"<at most 100 of the values>", numbers(100)}},
	{rule: "Q07", reason: "in", traffic: `db.c.countDocuments({ _id: { $in: [` + numbers(1100) + `] } })`, fill: []string{"<at most 100 of the values>", numbers(100)}},
	{rule: "Q07", reason: "nin", traffic: `db.c.find({ grp: { $nin: [` + numbers(300) + `] } })`, fill: []string{"<at most 100 of the values that are wanted>", numbers(100)}},
	{rule: "Q07", reason: "all", traffic: `db.c.find({ tags: { $all: [` + numbers(300) + `] } })`, fill: []string{"<the rarest few of the values>", "1, 2"}},
	{rule: "Q07", reason: "or", traffic: `db.c.find({ $or: [` + branches(300) + `] })`, fill: []string{"<at most 100 of the values>", numbers(100)}},

	{rule: "Q08", reason: "skip", traffic: `db.c.find({}).sort({ at: -1 }).skip(2000).limit(20)`, fill: []string{"<last at>", `ISODate("2026-01-01T00:50:00Z")`, "<last _id>", "3000", "<page size>", "20"}, better: true},
	{
		rule: "Q08", reason: "skip", traffic: `db.c.find({ st: 1 }).sort({ grp: 1, at: -1 }).skip(1000).limit(20)`,
		fill: []string{"<st>", "1", "<last grp>", "100", "<last at>", `ISODate("2026-01-01T00:50:00Z")`, "<last _id>", "3000", "<page size>", "20"}, better: true,
	},
	{rule: "Q08", reason: "skip", traffic: `db.c.find({}).skip(3000)`, fill: []string{"<last _id>", "2999", "<page size>", "20"}, better: true},
	{
		rule: "Q08", reason: "skip-stage", traffic: `db.c.aggregate([{ $match: { st: 1 } }, { $sort: { at: 1 } }, { $skip: 1000 }, { $limit: 20 }])`,
		fill: []string{"<st>", "1", "<last at>", `ISODate("2026-01-01T00:50:00Z")`, "<last _id>", "3000", "<page size>", "20"}, better: true,
	},

	{rule: "Q12", reason: "group", traffic: `db.c.countDocuments({})`, better: true},
	{rule: "Q12", reason: "count-stage", traffic: `db.c.aggregate([{ $count: "n" }])`, better: true},

	{rule: "W06", reason: "everything", times: 3, traffic: `db.c.updateMany({}, { $inc: { hits: 1 } })`, fill: []string{"<from>", "0", "<to>", "1000", "<update>", "{ $inc: { hits: 1 } }"}, better: true},
	{rule: "W06", reason: "no-index", times: 3, traffic: `db.c.updateMany({ opt: null }, { $inc: { hits: 1 } })`, fill: []string{"<value>", "50", "<update>", "{ $inc: { hits: 1 } }"}, better: true},
	{rule: "W06", reason: "no-index", times: 3, also: "Q06", traffic: `db.c.updateMany({ $where: "this.n < 2000" }, { $inc: { hits: 1 } })`, fill: []string{"<from>", "0", "<to>", "1000", "<update>", "{ $inc: { hits: 1 } }"}, better: true},
	{rule: "W06", reason: "expiry", times: 3, traffic: `db.c.deleteMany({ st: 1, expires: { $lt: ISODate("2020-01-01T00:00:00Z") } })`, fill: []string{"<seconds>", "86400", "<st>", "1"}},
}

// TestFixes sends traffic to a real mongod: the rule must report it, and nothing
// else; then it does what the fix says, word for word: no rule may have anything
// to say of that, and the server must have less to look at.
func TestFixes(t *testing.T) {
	server := mongodtest.Start(t)
	client, err := mongo.Connect(options.Client().ApplyURI(server.URI()))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = client.Disconnect(t.Context()) }()
	for i, c := range fixCases {
		t.Run(fmt.Sprintf("%s %s %d", c.rule, c.reason, i), func(t *testing.T) {
			db := client.Database(fmt.Sprintf("fix%d", i))
			fillDatabase(t, db)
			defer func() { _ = db.Drop(t.Context()) }()
			c.check(t, db)
		})
	}
}

var placeholder = regexp.MustCompile(`<[a-zA-Z_][^<>]*>`)

func (c fixCase) check(t *testing.T, db *mongo.Database) {
	before := &shell{t: t, db: db, fails: c.fails, every: c.every}
	examined := int64(0)
	if c.better {
		examined = before.examined(numbered(cmp.Or(c.before, c.traffic), 0))
	}
	for line := range strings.Lines(c.setup) {
		before.run(line)
	}
	for i := range max(c.times, 1) {
		before.run(numbered(c.traffic, i))
	}
	var found []store.Entry
	for _, e := range judge(t, before.steps, c.limits...) {
		if e.Rule != c.also {
			found = append(found, e)
		}
	}
	if len(found) != 1 || found[0].Rule != c.rule || found[0].Reason != c.reason {
		t.Fatalf("%s\nfindings %v", c.traffic, words(found))
	}
	fix := strings.NewReplacer(c.fill...).Replace(found[0].Fix.Mongosh)
	if rest := placeholder.FindString(fix); rest != "" || fix == "" {
		t.Fatalf("the fix has %q left: %s", rest, fix)
	}
	after, last := &shell{t: t, db: db, every: c.every}, ""
	for line := range strings.Lines(fix) {
		if c.stage != "" && strings.HasPrefix(line, "{") {
			line = "db." + c.stage + ".aggregate([" + line + "])"
		}
		after.run(numbered(line, 0))
		last = line
	}
	if c.fixed != "" {
		last = c.fixed
		after.run(numbered(last, 0))
	}
	for i := range max(c.times, 1)/max(c.rarely, 1) - 1 {
		if !strings.Contains(last, "createIndex") && !strings.Contains(last, "drop") {
			after.run(numbered(last, i+1))
		}
	}
	again := slices.DeleteFunc(judge(t, after.steps, c.limits...), func(e store.Entry) bool { return e.Rule == c.also })
	if len(again) > 0 {
		t.Errorf("the fix is reported itself: %v\n%s", words(again), fix)
	}
	if !c.better {
		return
	}
	if now := after.examined(numbered(last, 0)); now*2 > examined {
		t.Errorf("examined %d before and %d after\n%s\n%s", examined, now, c.traffic, fix)
	}
}

// judge is what a report of a test run shows for the steps.
func judge(t *testing.T, steps []cases.Step, limits ...string) []store.Entry {
	t.Helper()
	_, st, err := analysistest.Replay(&cases.File{Operations: steps, Limits: limits}, analyzers.All())
	if err != nil {
		t.Fatal(err)
	}
	return st.Findings()
}

func numbered(line string, n int) string { return strings.ReplaceAll(line, "{n}", strconv.Itoa(n)) }

func words(found []store.Entry) (out []string) {
	for _, e := range found {
		out = append(out, e.Rule+"/"+e.Reason+": "+e.Message)
	}
	return out
}

// fillDatabase makes documents whose fields are indexed, so that what is looked
// at is the query's doing.
func fillDatabase(t *testing.T, db *mongo.Database) {
	t.Helper()
	const documents = 5000
	docs := make([]any, documents)
	for i := range docs {
		doc := bson.D{
			{Key: "_id", Value: i},
			{Key: "n", Value: i},
			{Key: "st", Value: []int{1, 1, 1, 2, 3}[i%5]},
			{Key: "grp", Value: i % 500},
			{Key: "s", Value: fmt.Sprintf("User%05d", i)},
			{Key: "at", Value: bson.NewDateTimeFromTime(time.Date(2026, 1, 1, 0, 0, i, 0, time.UTC))},
			{Key: "tags", Value: []bson.A{{1}, {1, 2, 3}}[(i%50)/49]},
			{Key: "spent", Value: i % 100},
			{Key: "sub", Value: bson.D{{Key: "budget", Value: 98}}},
			{Key: "ref", Value: bson.D{{Key: "_id", Value: i % 10}, {Key: "stock", Value: 5}}},
			{Key: "parts", Value: bson.A{bson.D{{Key: "id", Value: i % 10}, {Key: "price", Value: 5}}}},
		}
		if i%4 == 0 {
			doc = append(doc, bson.E{Key: "opt", Value: i % 100})
		}
		docs[i] = doc
	}
	if _, err := db.Collection("c").InsertMany(t.Context(), docs); err != nil {
		t.Fatal(err)
	}
	if _, err := db.Collection("d").InsertMany(t.Context(), []any{bson.D{{Key: "_id", Value: 1}}, bson.D{{Key: "_id", Value: 3}}}); err != nil {
		t.Fatal(err)
	}
	for _, keys := range []bson.D{{{Key: "n", Value: 1}}, {{Key: "st", Value: 1}}, {{Key: "s", Value: 1}}, {{Key: "at", Value: -1}}, {{Key: "grp", Value: 1}, {Key: "at", Value: 1}}} {
		if _, err := db.Collection("c").Indexes().CreateOne(t.Context(), mongo.IndexModel{Keys: keys}); err != nil {
			t.Fatal(err)
		}
	}
}

func numbers(n int) string {
	parts := make([]string, n)
	for i := range parts {
		parts[i] = fmt.Sprint(i)
	}
	return strings.Join(parts, ", ")
}

func branches(n int) string {
	parts := make([]string, n)
	for i := range parts {
		parts[i] = fmt.Sprintf("{ n: %d }", i)
	}
	return strings.Join(parts, ", ")
}
