package analyzers_test

// aggregationFixes are the fixes for aggregations: the group A.
var aggregationFixes = []fixCase{
	{
		rule: "A01", reason: "repeated", times: 3, fixed: `db.c.find({ n: 5 })`, fill: []string{"<id>", "5", "<d id>", "1", "<name>", `"Ada"`},
		traffic: `db.c.aggregate([{ $match: { n: 5 } }, { $lookup: { from: "d", localField: "st", foreignField: "_id", as: "d" } }, { $project: { s: 1, "d.name": 1 } }])`,
	},
	{
		rule: "A01", reason: "one-to-one", times: 3, fixed: `db.c.find({ n: 5 })`, fill: []string{"<id>", "5", "<d id>", "1", "<name>", `"Ada"`},
		traffic: `db.c.aggregate([{ $match: { n: 5 } }, { $lookup: { from: "d", localField: "st", foreignField: "k", as: "d" } }, { $set: { d: { $first: "$d" } } }])`,
	},
	{
		rule: "A01", reason: "repeated", times: 3, fixed: `db.d.find({ _id: 1 })`, fill: []string{"<id>", "1", "<the new c>", "{ at: 5 }", "<n>", "3"},
		traffic: `db.d.aggregate([{ $match: { _id: 1 } }, { $lookup: { from: "c", localField: "_id", foreignField: "st", pipeline: [{ $sort: { at: -1 } }, { $limit: 3 }], as: "newest" } }])`,
	},
	{
		rule: "A01", reason: "repeated", times: 3, fixed: `db.c.find({ n: 5 })`, fill: []string{"<id>", "5", "[{ _id: <d id>", "[{ _id: 1", "<name>", `"Ada"`},
		traffic: `db.c.aggregate([{ $match: { n: 5 } }, { $lookup: { from: "d", localField: "tags.k", foreignField: "_id", as: "parts" } }])`,
	},
	{
		rule: "A01", reason: "repeated", times: 3, fixed: `db.d.find({ _id: 1 })`, fill: []string{"<id>", "1", "<the new c>", "{ at: 5 }"},
		traffic: `db.d.aggregate([{ $match: { _id: 1 } }, { $lookup: { from: "c", localField: "_id", foreignField: "st", as: "all" } }])`,
	},
	{
		rule: "A02", reason: "expr-equality", fixed: `db.c.find({ n: 5 })`, stage: "c", fill: []string{"<the other stages>", ""},
		traffic: `db.c.aggregate([{ $match: { n: 5 } }, { $lookup: { from: "d", let: { v: "$st" }, pipeline: [{ $match: { $expr: { $eq: ["$k", "$$v"] } } }], as: "d" } }])`,
	},
	{
		rule: "A03", reason: "no-index", times: 3, also: "A01", better: true, setup: `db.c.getIndexes()`,
		traffic: `db.d.aggregate([{ $lookup: { from: "c", localField: "_id", foreignField: "spent", as: "x" } }])`,
		fixed:   `db.d.aggregate([{ $lookup: { from: "c", localField: "_id", foreignField: "spent", as: "x" } }])`,
	},
	{
		rule: "A03", reason: "no-index", times: 3, also: "A01", better: true, setup: `db.c.getIndexes()`,
		traffic: `db.d.aggregate([{ $lookup: { from: "c", localField: "_id", foreignField: "spent", as: "x" } }], { collation: { locale: "en", strength: 2 } })`,
		fixed:   `db.d.aggregate([{ $lookup: { from: "c", localField: "_id", foreignField: "spent", as: "x" } }], { collation: { locale: "en", strength: 2 } })`,
	},
	{
		rule: "A04", reason: "no-max-depth", times: 10, fill: []string{"<node>", "1"},
		traffic: `db.c.aggregate([{ $match: { _id: 1 } }, { $graphLookup: { from: "c", startWith: "$_id", connectFromField: "_id", connectToField: "grp", as: "below" } }])`,
	},
	{
		rule: "A04", reason: "repeated", times: 10, fill: []string{"<node>", "1", "<ancestors of the node>", "1, 2"},
		traffic: `db.c.aggregate([{ $match: { _id: 1 } }, { $graphLookup: { from: "c", startWith: "$grp", connectFromField: "grp", connectToField: "_id", as: "above", maxDepth: 5 } }])`,
	},
	{
		rule: "A05", reason: "same-inputs", times: 60, better: true,
		traffic: `db.c.aggregate([{ $match: { spent: 7 } }, { $group: { _id: null, sum: { $sum: "$n" }, n: { $sum: 1 }, mean: { $avg: "$n" }, last: { $max: "$at" } } }])`,
		fill:    []string{"<n>", "1", "<at>", `ISODate("2026-01-01T00:00:00Z")`, "<spent>", "7"},
	},
	{
		rule: "A05", reason: "same-inputs", times: 60,
		traffic: `db.c.aggregate([{ $match: { st: 2 } }, { $sortByCount: "$opt" }, { $limit: 1 }])`,
		fill:    []string{"<st>", "2", "<sortByCount as before>", `"$opt"`, "<limit>", "1"},
	},
	{
		rule: "A05", reason: "same-inputs", times: 60, fixed: `db.c_sums.find({}).sort({ n: -1 }).limit(3)`,
		traffic: `db.c.aggregate([{ $match: { st: 2 } }, { $group: { _id: "$grp", n: { $sum: "$n" } } }, { $sort: { n: -1 } }, { $limit: 3 }])`,
		fill:    []string{"<grp>", "1", "<n>", "1"},
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
