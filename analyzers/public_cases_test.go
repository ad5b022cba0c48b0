package analyzers_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/x/bsonx/bsoncore"

	"mongoadvisor/analyzers"
	"mongoadvisor/internal/analysis/analysistest"
	"mongoadvisor/internal/analysis/cases"
)

// publicCase is what somebody reported in public: lines as mongosh sends them, and
// what all rules together must say of them.
type publicCase struct {
	id    string
	lines []string
	times int // how often each line is sent; once when 0
	code  int // the server's error; 0 for none
	want  []string
	empty bool // the lines cause no finding at all
}

// The regular expressions of the cases R, on a field of their own each.
var regexCases = []publicCase{
	{id: "R-01", lines: find("email", `/^user001@example\.test$/i`, `{ $regex: "^user001@example\\.test$", $options: "i" }`), want: []string{"Q02 exact email"}},
	{id: "R-03", lines: find("s", `/.*abc.*/`, `/^.*abc/`, `/abc.*/`), want: []string{"Q01 unanchored s", "Q01 empty-prefix s", "Q01 unanchored s"}},
	{id: "R-03", lines: find("s", `/^abc.*$/`, `/^abc.*/`), empty: true},
	{id: "R-05", lines: find("s", `/^(abc)/`, `/^(?:abc)/`, `/(^abc)/`), want: []string{"Q01 group-before-literal s"}},
	{id: "R-05", lines: find("s", `/^a(bc)/`, `/^abc(0)/`), empty: true},
	{id: "R-07", lines: find("s", `/(?i)^abc/`, `/^(?i)abc/`, `/^(?i:abc)/`), want: []string{"Q02 prefix s"}},
	{id: "R-07", lines: find("s", `/^a(?i)bc/`, `/^abc(?i)/`), empty: true},
	{id: "R-07", lines: find("s", `/(?s)^abc/`, `/(?-i)^abc/`), want: []string{"Q01"}},
	{id: "R-09", lines: find("s", `/^a?bc/`, `/^a*bc/`), want: []string{"Q01 empty-prefix s"}},
	{id: "R-09", lines: find("s", `/^a+bc/`, `/^ab?c/`, `/^abc?/`, `/^abc+/`), empty: true},
	{id: "R-11", lines: find("s", `{ $in: [/^a/, /^b/] }`), empty: true},
	{id: "R-11", lines: find("s", `{ $in: ["x", /abc/] }`), want: []string{"Q01 unanchored s"}},
	{id: "R-11", lines: find("s", `{ $in: [/^abc/i] }`), want: []string{"Q02 prefix s"}},
	{id: "R-11", lines: find("s", `{ $in: [{ $regex: "^a" }] }`), code: 2, empty: true},
	{id: "R-14", lines: find("arr", `{ $elemMatch: { $regex: "^abc", $options: "i" } }`), want: []string{"Q02 prefix arr"}},
	{id: "R-14", lines: find("arr", `/^abc/`, `{ $all: [/^abc/] }`), empty: true},
	{id: "R-14", lines: find(`"p.q"`, `/abc/`), want: []string{"Q01 unanchored p.q"}},
	{id: "R-14", lines: find("p", `{ $elemMatch: { q: /abc/ } }`), want: []string{"Q01 unanchored p.q"}},
	{id: "R-14", lines: find("_id", `/^abc/`), empty: true},
	{id: "R-14", lines: find("_id", `/abc/i`), want: []string{"Q02 contains _id"}},
	{id: "R-15", lines: find("$expr", `{ $regexMatch: { input: "$s", regex: "^abc" } }`), want: []string{"Q06 expr-function s"}},
	{id: "R-15", lines: find("$where", `"/^abc/.test(this.s)"`), want: []string{"Q06 where"}},
	{id: "R-15", lines: find("$jsonSchema", `{ properties: { s: { pattern: "^abc" } }, required: ["s"] }`), empty: true},
	{id: "R-15", lines: find("$expr", `{ $eq: ["$s", "abc001"] }`), empty: true},
	{id: "R-17", lines: []string{
		`db.c.updateOne({ s: /abc/i }, { $set: { a: 1 } })`, `db.c.deleteOne({ s: /abc/i })`, `db.c.findOneAndUpdate({ s: /abc/i }, { $set: { a: 1 } })`,
		`db.c.countDocuments({ s: /abc/i })`, `db.c.distinct("a", { s: /abc/i })`, `db.c.aggregate([{ $sort: { a: 1 } }, { $match: { s: /abc/i } }])`,
	}, want: []string{"Q02 contains s"}},
	{id: "R-19", lines: find("$text", `{ $search: "lorem" }`), empty: true},
	{id: "R-19", lines: []string{`db.c.aggregate([{ $search: { text: { query: "x", path: "nm" } } }])`}, code: 40324, empty: true},
	{id: "R-21", lines: find("s", `{ $regex: /^abc/, $options: "i" }`, `{ $options: "i", $regex: "^abc" }`, `{ $regex: /^abc/i }`), want: []string{"Q02 prefix s"}},
	{id: "R-21", lines: find("s", `{ $regex: /^abc/i, $options: "" }`, `{ $options: "i" }`, `{ $regex: 123 }`), code: 2, empty: true},
	{id: "R-21", lines: find("s", `{ $regex: "(" }`), code: 51091, empty: true},
}

// Growing arrays, and joins.
var otherCases = []publicCase{
	{id: "U-01", lines: []string{`db.c.updateOne({ _id: 1 }, { $push: { log: { i: 1 } } })`}, times: 6, want: []string{"W01 push log"}},
	{id: "U-01", lines: []string{`db.c.updateOne({ _id: 1 }, { $push: { log: { i: 1 } } })`}, code: 10334, want: []string{"S03 refused"}},
	{id: "U-05", lines: []string{`db.c.updateOne({ _id: 1 }, { $addToSet: { tags: "x" } })`, `db.c.updateOne({ _id: 1 }, { $addToSet: { tags: { $each: [1, 2] } } })`}, want: []string{"W01 add-to-set tags info"}},
	{id: "U-05", lines: []string{`db.c.updateOne({ _id: 1 }, { $addToSet: { a: { $each: [1], $slice: -2 } } })`}, code: 2, empty: true},
	{id: "U-06", lines: []string{`db.c.aggregate([{ $match: { _id: 1 } }, { $setWindowFields: { sortBy: { at: 1 }, output: { all: { $push: "$v" } } } }, { $limit: 5 }])`, `db.c.aggregate([{ $project: { x: { $literal: { $push: 1 } } } }])`}, empty: true},
	{id: "U-08", lines: []string{`db.c.updateOne({ _id: 1 }, { $push: { log: { $each: [], $slice: -100 } } })`, `db.c.updateOne({ _id: 1 }, { $push: { log: 1 } })`}, empty: true},
	{id: "U-08", lines: []string{`db.c.updateOne({ _id: 1 }, { $pop: { log: -1 } })`, `db.c.updateOne({ _id: 1 }, { $push: { log: 1 } })`}, empty: true},
	{id: "U-08", lines: []string{`db.c.updateOne({ _id: 1 }, { $pull: { log: { at: { $lt: 5 } } } })`, `db.c.updateOne({ _id: 1 }, { $push: { log: 1 } })`}, empty: true},
	{id: "K-01", lines: []string{`db.orders.aggregate([{ $match: { _id: {n} } }, { $lookup: { from: "users", localField: "user", foreignField: "_id", as: "u" } }, { $limit: 5 }])`}, times: 3, want: []string{"A01 repeated user"}},
	{id: "K-01", lines: []string{`db.orders.aggregate([{ $match: { _id: 1 } }, { $lookup: { from: "users", localField: "user", foreignField: "_id", as: "u" } }])`}, empty: true},
	{id: "K-03", lines: []string{`db.orders.aggregate([{ $match: { _id: 1 } }, { $facet: { data: [{ $lookup: { from: "users", localField: "user", foreignField: "_id", as: "u" } }], n: [{ $count: "c" }] } }])`}, times: 3, want: []string{"A01 repeated user"}},
	{id: "K-03", lines: []string{`db.orders.aggregate([{ $match: { _id: 1 } }, { $lookup: { from: "users", localField: "user", foreignField: "_id", as: "u", pipeline: [{ $lookup: { from: "teams", localField: "team", foreignField: "_id", as: "t" } }] } }])`}, times: 3, want: []string{"A01 repeated user", "A01 repeated team"}},
}

// find makes a line for each condition on a field.
func find(field string, conditions ...string) (lines []string) {
	for _, c := range conditions {
		lines = append(lines, "db.c.find({ "+field+": "+c+" })")
	}
	return lines
}

// TestPublicCases replays what was reported in public about other tools, through
// all rules. The cases N are in captures_test.go.
func TestPublicCases(t *testing.T) {
	for i, c := range slices.Concat(regexCases, otherCases) {
		t.Run(fmt.Sprintf("%s %d", c.id, i), func(t *testing.T) {
			if c.times > 0 || strings.HasPrefix(c.id, "U-08") || strings.HasPrefix(c.id, "U-05") { // the lines belong together
				c.check(t, c.lines, c.want)
				return
			}
			for j, line := range c.lines {
				want := c.want
				if len(want) == len(c.lines) {
					want = want[j : j+1]
				}
				c.check(t, []string{line}, want)
			}
		})
	}
}

func (c publicCase) check(t *testing.T, lines, want []string) {
	t.Helper()
	var steps []cases.Step
	for i := range max(c.times, 1) {
		for _, line := range lines {
			steps = append(steps, stepOf(t, numbered(line, i), c.code))
		}
	}
	_, st, err := analysistest.Replay(&cases.File{Operations: steps}, analyzers.All())
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range st.Findings() {
		got = append(got, strings.Join(append([]string{e.Rule, e.Reason}, append(e.Fields, e.Severity.String())...), " "))
	}
	if (len(want) == 0) != c.empty || len(got) != len(want) {
		t.Fatalf("%v: %v, want %v", lines, got, want)
	}
	for _, w := range want {
		if !slices.ContainsFunc(got, func(g string) bool { return contains(g, w) }) {
			t.Errorf("%v: %v, want %s", lines, got, w)
		}
	}
}

// contains reports whether all words of want stand in got.
func contains(got, want string) bool {
	for _, w := range strings.Fields(want) {
		if !slices.Contains(strings.Fields(got), w) {
			return false
		}
	}
	return true
}

// stepOf is a line with the reply of a server that found one document, or refused.
func stepOf(t *testing.T, line string, code int) cases.Step {
	t.Helper()
	command := append((&shell{t: t}).command(line), bson.E{Key: "$db", Value: "shop"})
	reply := bson.D{{Key: "n", Value: 1}, {Key: "nModified", Value: 1}, {Key: "ok", Value: 1}}
	if code != 0 {
		reply = bson.D{{Key: "ok", Value: 0}, {Key: "code", Value: code}}
	}
	return cases.Step{Conn: "a", Repeat: 1, Latency: time.Millisecond, Command: bsonOf(t, command), Reply: bsonOf(t, reply)}
}

func bsonOf(t *testing.T, d bson.D) bsoncore.Document {
	t.Helper()
	b, err := bson.Marshal(d)
	if err != nil {
		t.Fatal(err)
	}
	return b
}
