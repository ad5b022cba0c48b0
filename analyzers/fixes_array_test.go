package analyzers_test

import (
	"fmt"
	"strings"
	"time"
)

// arrayFixes are the fixes for arrays and sizes of documents: W01, S01 to S03, I04.
var arrayFixes = []fixCase{
	{rule: "W01", reason: "push", times: 12, traffic: `db.posts.updateOne({ _id: 1 }, { $push: { comments: { text: "hi" } } }, { upsert: true })`, fill: []string{"<post id>", "1", "<element>", `{ text: "hi" }`}},
	{rule: "W01", reason: "push", traffic: `db.posts.updateOne({ _id: 1 }, { $push: { "stats.scores": 7 } })`, fill: []string{"<post id>", "1", "<element>", "7"}},
	{rule: "W01", reason: "add-to-set", traffic: `db.books.updateOne({ _id: 1 }, { $addToSet: { buyers: 7 } })`, fill: []string{"<book id>", "1", "<value>", "7"}},
	{rule: "W01", reason: "concat", traffic: `db.posts.updateOne({ _id: 1 }, [{ $set: { log: { $concatArrays: ["$log", [{ t: 1 }]] } } }])`, fill: []string{"<post id>", "1", "<element>", "{ t: 1 }"}},
	{
		rule: "W01", reason: "merge-concat", setup: `db.posts.insertOne({ _id: 1, log: [] })`,
		traffic: `db.d.aggregate([{ $match: { _id: 1 } }, { $set: { log: ["x"] } }, { $merge: { into: "posts", whenMatched: [{ $set: { log: { $concatArrays: ["$log", "$$new.log"] } } }] } }])`,
		fill:    []string{"<post id>", "1", "<element>", "{ t: 1 }"},
	},
	{rule: "W01", reason: "rewrite", limits: []string{"W01.rises=10"}, setup: longerEachTime(11), traffic: rewritten(12), fill: []string{"<post id>", "1", "<element>", "7"}},
	{
		rule: "W01", reason: "set-position", times: 12, limits: []string{"W01.positions=10"}, setup: `db.posts.insertOne({ _id: 1, log: [] })`,
		traffic: `db.posts.updateOne({ _id: 1 }, { $set: { "log.{n}": 7 } })`, fill: []string{"<post id>", "1", "<element>", "7"},
	},

	{
		rule: "S01", reason: "outlier", setup: strings.Repeat("db.posts.insertMany(["+repeated(`{ comments: ["a"] }`, 30)+"])\n", 5), limits: []string{"S01.outlier-documents=100"},
		traffic: `db.posts.insertOne({ comments: [` + repeated(`{ text: "hi" }`, 300) + `] })`,
		fill:    []string{"<post id>", "1", "<element>", `{ text: "hi" }`, "<page>", "1"},
	},
	{rule: "S01", reason: "large", times: 2, traffic: `db.posts.insertOne({ comments: [` + repeated(`{ text: "hi" }`, 300) + `] })`, fill: []string{"<post id>", "1", "<element>", `{ text: "hi" }`}},
	{rule: "S01", reason: "large", times: 2, traffic: `db.posts.insertOne({ likes: [` + repeated(`"user"`, 300) + `] })`, fill: []string{"<post id>", "1", "<element>", `"user"`}},

	{
		rule: "S02", reason: "large", times: 2, traffic: `db.manuals.insertOne({ title: "a", pages: 9, text: "` + strings.Repeat("x", 210_000) + `" })`,
		fill: []string{"<id>", "7", "<value>", `"` + strings.Repeat("x", 210_000) + `"`},
	},

	{
		rule: "I04", reason: "fanout", setup: `db.orders.createIndex({ "items.sku": 1 })`, also: "S01",
		traffic: `db.orders.insertOne({ items: [` + repeated(`{ sku: "a" }`, 1200) + `] })`,
		fill:    []string{"<order id>", "1", "<element>", `{ sku: "a" }`},
	},
	{
		rule: "I04", reason: "parallel-arrays", setup: `db.c.createIndex({ tags: 1, labels: 1 })`, fails: true, traffic: `db.c.updateOne({ _id: 7 }, { $set: { labels: [1] } })`,
		fill: []string{"<array>", "tags", "<other array>", "labels"},
	},
	{
		rule: "S03", reason: "near-limit", also: "S02", limits: []string{"S03.near-bytes=1100000"},
		setup: ofKilobytes(1200), traffic: found,
		fill: []string{"<id>", "1", "<value>", `"x"`},
	},
	{
		rule: "S03", reason: "growing", also: "S02", limits: []string{"S03.rises=2"}, every: 2 * time.Hour,
		setup:   ofKilobytes(1100) + "\n" + found + "\n" + ofKilobytes(1200) + "\n" + found + "\n" + ofKilobytes(1300),
		traffic: found, fill: []string{"<id>", "1", "<value>", `"x"`},
	},
	{rule: "S03", reason: "refused", setup: fullDocument, fails: true, traffic: `db.logs.updateOne({ _id: 1 }, { $push: { log: { t: "` + strings.Repeat("x", 40_000) + `" } } })`, fill: []string{"<log id>", "1", "<element>", "{ t: 1 }"}},
}

// fullDocument is a document that has no room for another element, made where it is.
var fullDocument = `db.logs.updateOne({ _id: 1 }, [{ $set: { log: { $map: { input: { $range: [0, 8180] }, in: { t: "` + strings.Repeat("x", 2030) + `" } } } } }], { upsert: true })`

func repeated(text string, n int) string {
	parts := make([]string, n)
	for i := range parts {
		parts[i] = fmt.Sprint(text)
	}
	return strings.Join(parts, ", ")
}

// rewritten sets an array of so many elements as a whole, longerEachTime does it
// with one more each time.
func rewritten(n int) string {
	return `db.posts.updateOne({ _id: 1 }, { $set: { log: [` + repeated("7", n) + `] } }, { upsert: true })`
}

func longerEachTime(n int) string {
	lines := make([]string, n)
	for i := range lines {
		lines[i] = rewritten(i + 1)
	}
	return strings.Join(lines, "\n")
}

const found = `db.manuals.find({ _id: 1 })`

// ofKilobytes makes a document as large, or replaces it by one.
func ofKilobytes(n int) string {
	return `db.manuals.replaceOne({ _id: 1 }, { title: "a", text: "` + strings.Repeat("x", n<<10) + `" }, { upsert: true })`
}
