package analyzers_test

// operationFixes are the fixes for cursors, connections and errors: Q09, Q10, O01 to O04, I05.
var operationFixes = []fixCase{
	{
		rule: "Q09", reason: "no-filter", times: 3, traffic: `db.c.find({}).toArray()`, better: true,
		fill: []string{"<date of the last change>", "at", "<last run>", `ISODate("2026-01-01T01:20:00Z")`, "<field>", "n", "<page size>", "100"},
	},
	{
		rule: "Q09", reason: "drained", times: 3, traffic: `db.c.find({ n: { $gte: 0 } }).toArray()`, better: true, limits: []string{"Q09.documents=2000"},
		fill: []string{"<date of the last change>", "at", "<last run>", `ISODate("2026-01-01T01:20:00Z")`, "<field>", "n", "<page size>", "100"},
	},
	{rule: "Q10", reason: "collscan", times: 5, traffic: `db.c.find({ spent: 7, "sub.budget": 98 }).sort({ grp: -1 }).limit(20)`, fixed: `db.c.find({ spent: 7, "sub.budget": 98 }).sort({ grp: -1 }).limit(20)`, limits: alwaysSlow, better: true},
	{rule: "Q10", reason: "collscan", times: 5, traffic: `db.c.aggregate([{ $match: { "sub.budget": 98, opt: { $gt: 90 } } }, { $sort: { spent: 1 } }, { $limit: 20 }])`, fixed: `db.c.aggregate([{ $match: { "sub.budget": 98, opt: { $gt: 90 } } }, { $sort: { spent: 1 } }, { $limit: 20 }])`, limits: alwaysSlow, better: true},
	{rule: "Q10", reason: "sort-in-memory", times: 5, traffic: `db.c.find({}).sort({ spent: -1, _id: 1 }).limit(20)`, fixed: `db.c.find({}).sort({ spent: -1, _id: 1 }).limit(20)`, limits: alwaysSlow, better: true},
	{rule: "Q10", reason: "or-branch", times: 5, traffic: `db.c.find({ $or: [{ spent: 3 }, { opt: 4 }] })`, fixed: `db.c.find({ $or: [{ spent: 3 }, { opt: 4 }] })`, limits: alwaysSlow, better: true},
	{rule: "O02", reason: "no-max-time", times: 3, traffic: `db.c.find({ n: 5 })`, fill: []string{"<filter>", "{ n: 5 }", "<milliseconds>", "2000"}, limits: []string{"O02.slow-ms=1"}},
	{rule: "O02", reason: "no-max-time", times: 3, traffic: `db.c.aggregate([{ $match: { n: 5 } }])`, fill: []string{"<pipeline>", "[{ $match: { n: 5 } }]", "<milliseconds>", "2000"}, limits: []string{"O02.slow-ms=1"}},
	{rule: "O02", reason: "no-max-time", times: 3, traffic: `db.c.distinct("st", { n: 5 })`, fill: []string{"<field>", "st", "<filter>", "{ n: 5 }", "<milliseconds>", "2000"}, limits: []string{"O02.slow-ms=1"}},
	{rule: "O02", reason: "tiny-batch", times: 3, traffic: `db.c.find({ n: { $lt: 100 } }).batchSize(5).toArray()`, fill: []string{"<filter>", "{ n: { $lt: 100 } }", "<how many are wanted>", "100"}},
	{rule: "O02", reason: "no-cursor-timeout", times: 3, traffic: `db.c.find({ n: { $lt: 100 } }).noCursorTimeout()`, fill: []string{"<last _id>", "20", "<batch size>", "100"}},
	{rule: "O04", reason: "duplicate-key", times: 60, fails: true, traffic: `db.c.insertOne({ _id: 1 })`, fill: []string{"<unique field>", "_id", "<value>", "1", "<field>", "n"}},
	{
		rule: "O04", reason: "time-limit", also: "Q06", times: 10, fails: true, traffic: `db.c.find({ $where: "sleep(20) || this.n == 5" }).maxTimeMS(5)`,
		fill: []string{"<filter>", "{ n: 5 }"}, fixed: `db.c.find({ n: 5 }).maxTimeMS(500)`,
	},
}

// alwaysSlow lets Q10 take every call for a slow one.
var alwaysSlow = []string{"Q10.slow-ms=0"}
