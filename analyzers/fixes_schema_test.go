package analyzers_test

import (
	"fmt"
	"strings"
	"time"
)

// schemaFixes are the fixes for the schema: S04, S06, S08, S09, O06.
var schemaFixes = []fixCase{
	{
		rule: "O06", reason: "unacknowledged", traffic: `db.c.insertOne({ _id: 0 }, { writeConcern: { w: 0 } })`,
		fill: []string{"<document>", "{ _id: 9000 }"},
	},
	{
		rule: "O06", reason: "no-journal", traffic: `db.runCommand({ update: "c", updates: [{ q: { _id: 1 }, u: { $set: { a: 1 } } }], writeConcern: { w: 1, j: false } })`,
		fill: []string{"<filter>", "{ _id: 1 }", "<update>", "{ $set: { a: 2 } }"},
	},
	{
		rule: "O06", reason: "stale-read", setup: `db.c.insertOne({ _id: 9000 })`, traffic: `db.c.find({ _id: 9000 }).readPref("secondaryPreferred")`,
		fill: []string{"<id>", "9000"},
	},
	{
		rule: "S04", reason: "templated-name", times: 10, traffic: `db.getCollection("events_2026_01_1{n}").insertOne({ type: "view" })`,
		fill: []string{"<seconds to keep>", "86400", "<day>", `ISODate("2026-01-01T00:00:00Z")`, "...<document>", `type: "view"`},
	},
	{
		rule: "S04", reason: "templated-name", times: 10, traffic: `db.getCollection("t_47{n}1_orders").insertOne({ n: 1 })`,
		fill: []string{"<field of the queries>", "n", "<owner>", "4711", "...<document>", "n: 1", "<value>", "1"},
	},
	{
		rule: "S04", reason: "count", times: 3, limits: []string{"S04.info-collections=3"}, traffic: `db.getCollection("x{n}").insertOne({ n: 1 })`,
		fill: []string{"<collection>", "d", "<field>", "kind", "<what tells it apart>", `"d"`, "<common collection>", `"things"`},
	},
	{
		rule: "S04", reason: "growth", times: 2, every: 24 * time.Hour, limits: []string{"S04.new-per-day=1", "S04.growth-days=2"}, traffic: `db.createCollection("x{n}")`,
		fill: []string{"<common collection>", "things", "<field>", "kind"},
	},
	{
		rule: "S06", reason: "event-per-document", times: 60, every: 100 * time.Millisecond, traffic: `db.events.insertMany([` + events(10) + `])`,
		fill: []string{"<at>", `ISODate("2026-01-01T00:00:00Z")`, "<sensorId>", `"hall"`, "...<event>", "t: 21", "<day>", `ISODate("2026-01-01T00:00:00Z")`},
	},
	{
		rule: "S09", reason: "field-per-attribute", times: 15, setup: sparse("specs.", 8), traffic: `db.products.find({ "specs.attr{n}": 5 })`,
		fill: []string{"<attribute>", `"attr3"`, "<value>", "5"},
	},
	{
		rule: "S09", reason: "field-per-attribute", times: 15, setup: sparse("", 8), traffic: `db.products.find({ attr{n}: 5 })`,
		fill: []string{"<attribute>", `"attr3"`, "<value>", "5"},
	},
	{
		rule: "S08", reason: "silent-no-match", setup: `db.e.insertOne({ _id: 1, ref: ObjectId("656000000000000000000001") })`,
		traffic: `db.e.find({ ref: "656000000000000000000001" })`, fill: []string{"<ref>", `"656000000000000000000001"`},
	},
	{
		rule: "S08", reason: "silent-no-match", setup: `db.e.insertOne({ _id: 1, sub: { n: 42 } })`,
		traffic: `db.e.find({ "sub.n": { $gt: "5" } })`, fill: []string{"<n>", `"42"`},
	},
	{
		rule: "S08", reason: "silent-no-match", setup: `db.e.insertOne({ _id: 1, at: "2026-01-01T00:00:00.000Z" })`,
		traffic: `db.e.find({ at: ISODate("2026-01-01T00:00:00Z") })`, fill: []string{"<at>.toISOString()", `"2026-01-01T00:00:00.000Z"`},
	},
	{
		rule: "S08", reason: "mixed-types", setup: `db.e.insertMany([{ _id: 1, n: "1" }, { _id: 2, n: "2.5" }, { _id: 3, n: 3 }, { _id: 4, n: 4 }, { _id: 5, n: 6 }])`,
		traffic: `db.e.insertOne({ _id: 9, n: "5" })`, fill: []string{"<n>", `"5"`},
	},
	{
		rule: "S08", reason: "mixed-types", setup: `db.e.insertMany([{ _id: 1, ref: "656000000000000000000001" }, { _id: 2, ref: "656000000000000000000002" }, { _id: 6, ref: "656000000000000000000003" }, { _id: 3, ref: ObjectId("656000000000000000000001") }, { _id: 4, ref: ObjectId("656000000000000000000001") }])`,
		traffic: `db.e.insertOne({ _id: 9, ref: ObjectId("656000000000000000000003") })`, fill: []string{"<ref>", `"656000000000000000000001"`},
	},
	{
		rule: "S08", reason: "mixed-types", setup: `db.e.insertMany([{ _id: 1, at: "2026-01-01T00:00:00Z" }, { _id: 2, at: "2026-01-02" }, { _id: 3, at: "2026-01-03" }, { _id: 4, at: ISODate("2026-01-02T00:00:00Z") }, { _id: 5, at: ISODate("2026-01-02T00:00:00Z") }])`,
		traffic: `db.e.insertOne({ _id: 9, at: ISODate("2026-01-02T00:00:00Z") })`, fill: []string{"<at>", `"2026-01-02T00:00:00Z"`},
	},
}

func events(n int) string {
	return strings.Repeat(`{ sensorId: "hall", at: ISODate("2026-01-01T00:00:00Z"), t: 21 }, `, n)
}

// sparse makes indexes on the first attributes.
func sparse(prefix string, n int) string {
	var indexes []string
	for i := range n {
		indexes = append(indexes, fmt.Sprintf(`{ key: { "%sattr%d": 1 }, name: "a%d", sparse: true }`, prefix, i, i))
	}
	return `db.runCommand({ createIndexes: "products", indexes: [` + strings.Join(indexes, ", ") + `] })`
}
