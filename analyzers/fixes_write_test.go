package analyzers_test

import (
	"fmt"
	"strings"
)

// writeFixes are the fixes for writes: W03 to W05, W07, W08.
var writeFixes = []fixCase{
	{
		rule: "W03", reason: "data-keys", times: 8, traffic: `db.c.updateOne({ _id: 5 }, { $inc: { "views.2026-01-0{n}": 1 } })`,
		fill: []string{"<c id>", "5", "<key>", `"2026-01-05"`, "<n>", "1"},
	},
	{
		rule: "W03", reason: "data-keys", times: 8, traffic: `db.c.updateOne({ _id: {n} }, { $set: { "members.656000000000000000000{n}00.role": "x" } })`,
		fill: []string{"<c id>", "5", "<key>", `"656000000000000000000000"`, "<value>", `"x"`},
	},
	{
		rule: "W03", reason: "many-keys", times: 19, traffic: `db.c.updateOne({ _id: {n} }, { $set: { ` + attributes(12) + ` } })`,
		fill: []string{"<key>", `"color"`, "<value>", "5"}, better: true, fixed: `db.c.find({ "sub.attributes": { $elemMatch: { k: "color", v: 5 } } })`, before: `db.c.find({ "sub.attributes.a0_0": 1 })`,
	},

	{
		rule: "W04", reason: "replace-large", times: 5, traffic: `db.c.replaceOne({ _id: 5 }, { n: {n}, text: "` + strings.Repeat("x", 64<<10) + `" })`,
		fill: []string{"<_id>", "5", "<changed field>", "n", "<value>", "{n}"},
	},
	{
		rule: "W04", reason: "noop", times: 25, traffic: `db.c.replaceOne({ _id: 5 }, { n: 1 })`,
		fill: []string{"<_id>", "5", "<changed field>", "n", "<value>", "{n}"},
	},

	{
		rule: "W04", reason: "save-after-read", limits: []string{"W04.saves=2"},
		setup:   "db.c.find({ _id: 1 })\n" + saved(1) + "\ndb.c.find({ _id: 2 })",
		traffic: saved(2),
		fill:    []string{"<_id>", "2", "<changed field>", "n", "<value>", "{n}"},
	},

	{rule: "W05", reason: "inserts", times: 25, traffic: `db.e.insertOne({ line: {n} })`, fill: []string{"<documents>", "{ line: 1 }, { line: 2 }"}},
	{rule: "W05", reason: "updates", times: 25, traffic: `db.c.updateOne({ _id: {n} }, { $set: { st: 2 } })`, fill: []string{"<filter>", "{ _id: 1 }", "<update>", "{ $set: { st: 2 } }", "<the others>", "{ updateOne: { filter: { _id: 2 }, update: { $set: { st: 2 } } } }"}},
	{rule: "W05", reason: "updates", times: 25, traffic: `db.c.replaceOne({ _id: {n} }, { st: 2 })`, fill: []string{"<filter>", "{ _id: 1 }", "<document>", "{ st: 2 }", "<the others>", "{ replaceOne: { filter: { _id: 2 }, replacement: { st: 2 } } }"}, rarely: 25},
	{rule: "W05", reason: "deletes", times: 25, traffic: `db.c.deleteOne({ _id: {n} })`, fill: []string{"<filter>", "{ _id: 1 }", "<the others>", "{ deleteOne: { filter: { _id: 2 } } }"}},

	// a call each millisecond, by the clock of the replay
	{rule: "W07", reason: "counter", times: 1200, traffic: `db.c.updateOne({ _id: 5 }, { $inc: { hits: 1 } })`, fill: []string{"<_id>", "5", "<sum>", "100"}, rarely: 100},
	{rule: "W07", reason: "hot-document", times: 1200, traffic: `db.c.updateOne({ _id: 5 }, { $set: { last: {n} } })`, fill: []string{"<_id>", "5", "<newest value>", "99"}, rarely: 100},

	{rule: "W08", reason: "many-documents", times: 6, traffic: `db.c.updateMany({ "ref._id": 7 }, { $set: { "ref.stock": {n} } })`, better: true, fixed: `db.c.updateMany({ "ref._id": 7 }, { $set: { "ref.name": "x" } })`, rarely: 6},
	{rule: "W08", reason: "many-documents", times: 6, traffic: `db.c.updateMany({ "parts.id": 7 }, { $set: { "parts.$[].price": {n} } })`, better: true, fixed: `db.c.updateMany({ "parts.id": 7 }, { $set: { "parts.$[].name": "x" } })`, rarely: 6},
}

// attributes are fields of one subdocument, others at each call.
func attributes(n int) string {
	parts := make([]string, n)
	for i := range parts {
		parts[i] = fmt.Sprintf(`"sub.attributes.a{n}_%d": 1`, i)
	}
	return strings.Join(parts, ", ")
}

// saved replaces a document by one of 2 KB.
func saved(id int) string {
	return fmt.Sprintf(`db.c.replaceOne({ _id: %d }, { n: %d, text: "%s" })`, id, id, strings.Repeat("x", 2<<10))
}
