package analyzers_test

// aggregationFixes are the fixes for aggregations: the group A.
var aggregationFixes = []fixCase{
	{
		rule: "A05", reason: "same-inputs", times: 60, better: true,
		traffic: `db.c.aggregate([{ $match: { spent: 7 } }, { $group: { _id: null, sum: { $sum: "$n" }, n: { $sum: 1 }, mean: { $avg: "$n" }, last: { $max: "$at" } } }])`,
		fill:    []string{"<n>", "1", "<at>", `ISODate("2026-01-01T00:00:00Z")`, "<spent>", "7"},
	},
	{
		rule: "A05", reason: "same-inputs", times: 60,
		traffic: `db.c.aggregate([{ $match: { st: 2 } }, { $sortByCount: "$grp" }, { $limit: 3 }])`,
		fill:    []string{"<st>", "2", "<sortByCount as before>", `"$grp"`, "<limit>", "3"},
	},
	{rule: "A05", reason: "materialise-per-request", times: 60, traffic: `db.c.aggregate([{ $group: { _id: "$st", n: { $sum: "$n" } } }, { $merge: { into: "sums" } }])`},
	{
		rule: "A06", reason: "match-after-facet", times: 3, better: true,
		traffic: `db.c.aggregate([{ $facet: { page: [{ $match: { spent: 5 } }, { $limit: 5 }], total: [{ $match: { spent: 5 } }, { $count: "n" }] } }])`,
		fill:    []string{"<spent>", "5", "<facet as before>", `{ page: [{ $match: { spent: 5 } }, { $limit: 5 }], total: [{ $match: { spent: 5 } }, { $count: "n" }] }`},
	},
	{
		rule: "A06", reason: "match-after-unwind", times: 3, better: true,
		traffic: `db.c.aggregate([{ $unwind: "$tags" }, { $match: { tags: { $gt: 1 } } }])`, fill: []string{"<tags>", "1"},
	},
	{
		rule: "A06", reason: "match-after-window", times: 3, better: true,
		traffic: `db.c.aggregate([{ $setWindowFields: { partitionBy: "$spent", sortBy: { at: 1 }, output: { sum: { $sum: "$n" } } } }, { $match: { spent: 5 } }])`,
		fill:    []string{"<spent>", "5", "<setWindowFields as before>", `{ partitionBy: "$spent", sortBy: { at: 1 }, output: { sum: { $sum: "$n" } } }`},
	},
	{
		rule: "A06", reason: "match-after-replace", times: 3, better: true,
		traffic: `db.c.aggregate([{ $replaceRoot: { newRoot: { $mergeObjects: [{ kind: 1 }, "$$ROOT"] } } }, { $match: { spent: 5 } }])`,
		fill:    []string{"<spent>", "5", "<replaceRoot as before>", `{ newRoot: { $mergeObjects: [{ kind: 1 }, "$$ROOT"] } }`},
	},
	{
		rule: "A06", reason: "limit-after-lookup", times: 3, better: true, also: "A01",
		traffic: `db.c.aggregate([{ $match: { st: 1 } }, { $lookup: { from: "d", localField: "n", foreignField: "_id", as: "d" } }, { $unwind: { path: "$d", preserveNullAndEmptyArrays: true } }, { $sort: { spent: -1 } }, { $skip: 3 }, { $limit: 5 }])`,
		fill:    []string{"<st>", "1", "<skip>", "3", "<limit>", "5"},
	},
	{
		rule: "A06", reason: "project-first", times: 3, better: true,
		traffic: `db.c.aggregate([{ $set: { x: { $size: "$tags" } } }, { $sort: { spent: -1 } }, { $limit: 5 }])`,
		fill:    []string{"<limit>", "5", "<set as before>", `{ x: { $size: "$tags" } }`},
	},
	{
		rule: "A06", reason: "unwind-then-group", times: 3,
		traffic: `db.c.aggregate([{ $unwind: "$tags" }, { $group: { _id: "$_id", sum: { $sum: "$tags" }, n: { $sum: 1 }, all: { $push: "$tags" }, set: { $addToSet: "$tags" }, at: { $first: "$at" } } }, { $limit: 5 }])`,
		fill:    []string{"<limit>", "5"},
	},
	{
		rule: "A07", reason: "push-then-slice", times: 3,
		traffic: `db.c.aggregate([{ $match: { n: { $lt: 50 } } }, { $sort: { spent: -1 } }, { $group: { _id: "$st", top: { $push: { s: "$s", spent: "$spent" } } } }, { $project: { top: { $slice: ["$top", 3] } } }])`,
		fill:    []string{"<n>", "50"},
	},
	{
		rule: "A07", reason: "push-then-slice", times: 3,
		traffic: `db.c.aggregate([{ $sort: { at: -1 } }, { $group: { _id: "$grp", all: { $push: "$$ROOT" } } }, { $replaceRoot: { newRoot: { $first: "$all" } } }])`,
	},
	{rule: "A07", reason: "push-root", times: 3, traffic: `db.c.aggregate([{ $group: { _id: "$st", all: { $push: "$$ROOT" } } }])`, fill: []string{"<n>", "3"}},
	{rule: "A07", reason: "push-all", times: 3, traffic: `db.c.aggregate([{ $group: { _id: "$st", all: { $addToSet: "$s" } } }])`, fill: []string{"<n>", "3"}},
	{
		rule: "A07", reason: "facet-list", times: 3, fill: []string{"<page size>", "20", "<st>", "1"},
		traffic: `db.c.aggregate([{ $match: { st: 1 } }, { $facet: { page: [{ $sort: { at: -1 } }], total: [{ $count: "n" }] } }])`,
	},
	{
		rule: "A07", reason: "distinct", times: 3, limits: []string{"A07.distinct-values=1000"}, fill: []string{"<st>", "1"},
		traffic: `db.c.distinct("s", { st: 1 })`,
	},
}
