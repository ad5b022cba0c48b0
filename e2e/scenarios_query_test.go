package e2e

import (
	"context"
	"fmt"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
)

// carrier is a command that carries a filter, or an update.
type carrier struct {
	name string
	send func(filter, update bson.D) bson.D
}

// filterCarriers are all places of a filter that an index could serve.
var filterCarriers = []carrier{
	{"find", func(f, _ bson.D) bson.D { return bson.D{{Key: "find", Value: "c"}, {Key: "filter", Value: f}} }},
	{"aggregate", func(f, _ bson.D) bson.D { return aggregation(stage("$match", f)) }},
	{"facet", func(f, _ bson.D) bson.D {
		return aggregation(stage("$facet", bson.D{{Key: "a", Value: bson.A{stage("$match", f), stage("$limit", 5)}}}))
	}},
	{"unionWith", func(f, _ bson.D) bson.D {
		return aggregation(stage("$match", bson.D{{Key: "_id", Value: 1}}), stage("$unionWith", bson.D{{Key: "coll", Value: "c"}, {Key: "pipeline", Value: bson.A{stage("$match", f)}}}))
	}},
	{"lookup pipeline", func(f, _ bson.D) bson.D {
		return aggregation(stage("$match", bson.D{{Key: "_id", Value: 1}}), stage("$lookup", bson.D{{Key: "from", Value: "c"}, {Key: "pipeline", Value: bson.A{stage("$match", f)}}, {Key: "as", Value: "x"}}))
	}},
	{"count", func(f, _ bson.D) bson.D { return bson.D{{Key: "count", Value: "c"}, {Key: "query", Value: f}} }},
	{"distinct", func(f, _ bson.D) bson.D {
		return bson.D{{Key: "distinct", Value: "c"}, {Key: "key", Value: "n"}, {Key: "query", Value: f}}
	}},
	{"update", func(f, u bson.D) bson.D {
		return writeCommand("update", "updates", bson.D{{Key: "q", Value: f}, {Key: "u", Value: u}})
	}},
	{"delete", func(f, _ bson.D) bson.D {
		return writeCommand("delete", "deletes", bson.D{{Key: "q", Value: f}, {Key: "limit", Value: 1}})
	}},
	{"findAndModify", func(f, u bson.D) bson.D {
		return bson.D{{Key: "findAndModify", Value: "c"}, {Key: "query", Value: f}, {Key: "update", Value: u}}
	}},
	{"bulkWrite", func(f, u bson.D) bson.D {
		return bulk(bson.D{{Key: "update", Value: 0}, {Key: "filter", Value: f}, {Key: "updateMods", Value: u}})
	}},
}

// updateCarriers are all places of an update.
var updateCarriers = []carrier{
	{"update", func(f, u bson.D) bson.D {
		return writeCommand("update", "updates", bson.D{{Key: "q", Value: f}, {Key: "u", Value: u}, {Key: "upsert", Value: true}})
	}},
	{"findAndModify", func(f, u bson.D) bson.D {
		return bson.D{{Key: "findAndModify", Value: "c"}, {Key: "query", Value: f}, {Key: "update", Value: u}, {Key: "upsert", Value: true}}
	}},
	{"bulkWrite", func(f, u bson.D) bson.D {
		return bulk(bson.D{{Key: "update", Value: 0}, {Key: "filter", Value: f}, {Key: "updateMods", Value: u}, {Key: "upsert", Value: true}})
	}},
}

func stage(name string, v any) bson.D { return bson.D{{Key: name, Value: v}} }

func aggregation(stages ...any) bson.D {
	return bson.D{{Key: "aggregate", Value: "c"}, {Key: "pipeline", Value: append(bson.A{}, stages...)}, {Key: "cursor", Value: bson.D{}}}
}

func writeCommand(name, list string, statement bson.D) bson.D {
	return bson.D{{Key: name, Value: "c"}, {Key: list, Value: bson.A{statement}}}
}

// bulk is the command of 8.0; an older server does not know it, and it is judged
// all the same. DB stands for the database of the scenario.
func bulk(statement bson.D) bson.D {
	return bson.D{{Key: "bulkWrite", Value: 1}, {Key: "ops", Value: bson.A{statement}}, {Key: "nsInfo", Value: bson.A{bson.D{{Key: "ns", Value: "DB.c"}}}}}
}

// send runs a command as it is, and reads what it returns.
func send(ctx context.Context, db *mongo.Database, command bson.D) error {
	switch command[0].Key {
	case "find", "aggregate":
		return drain(db.RunCommandCursor(ctx, command))
	case "bulkWrite":
		command[2].Value = bson.A{bson.D{{Key: "ns", Value: db.Name() + ".c"}}}
		_ = db.Client().Database("admin").RunCommand(ctx, command).Err() // unknown to 6.0
		return nil
	}
	return db.RunCommand(ctx, command).Err()
}

// judged is one anti-pattern of a filter, an update, or a whole command.
type judged struct {
	rule, reason   string
	filter, update bson.D
	command        bson.D
	times          int
	carriers       []carrier
	prepare        func(context.Context, *mongo.Database) error
	flags          []string
}

var hundred = documents("c", 100, bson.D{{Key: "name", Value: "Ada"}, {Key: "n", Value: 1}, {Key: "tags", Value: bson.A{1}}})

// queryScenarios are the rules that one request shows, in every command that can
// carry it: exactly one finding each.
var queryScenarios = carried([]judged{
	{rule: "Q01", reason: "unanchored", filter: bson.D{{Key: "name", Value: bson.Regex{Pattern: "da"}}}, carriers: filterCarriers},
	{rule: "Q02", reason: "exact", filter: bson.D{{Key: "name", Value: bson.Regex{Pattern: "^ada$", Options: "i"}}}, carriers: filterCarriers},
	{rule: "Q03", reason: "optional-quantifier", filter: bson.D{{Key: "name", Value: bson.Regex{Pattern: "^Ada{0,1}x"}}}, carriers: filterCarriers},
	{rule: "Q05", reason: "negated-regex", filter: bson.D{{Key: "name", Value: bson.D{{Key: "$not", Value: bson.Regex{Pattern: "^Bob"}}}}}, carriers: filterCarriers},
	{rule: "Q06", reason: "expr-function", filter: bson.D{{Key: "$expr", Value: bson.D{{Key: "$eq", Value: bson.A{bson.D{{Key: "$toLower", Value: "$name"}}, "ada"}}}}}, carriers: filterCarriers},
	{rule: "Q07", reason: "in", filter: bson.D{{Key: "n", Value: bson.D{{Key: "$in", Value: sequence(300)}}}}, carriers: filterCarriers},
	{rule: "Q04", reason: "regex-ignores-collation", command: bson.D{{Key: "find", Value: "c"}, {Key: "filter", Value: bson.D{{Key: "name", Value: bson.Regex{Pattern: "^Ada"}}}}, {Key: "collation", Value: bson.D{{Key: "locale", Value: "en"}, {Key: "strength", Value: 2}}}}},
	{rule: "Q08", reason: "skip", command: bson.D{{Key: "find", Value: "c"}, {Key: "sort", Value: bson.D{{Key: "n", Value: 1}}}, {Key: "skip", Value: 1500}, {Key: "limit", Value: 20}}, prepare: documents("c", 2000, bson.D{{Key: "n", Value: 1}})},
	{rule: "Q12", reason: "group", command: aggregation(stage("$match", bson.D{}), stage("$group", bson.D{{Key: "_id", Value: 1}, {Key: "n", Value: bson.D{{Key: "$sum", Value: 1}}}}))},
	{rule: "W01", reason: "push", filter: bson.D{{Key: "_id", Value: 1}}, update: bson.D{{Key: "$push", Value: bson.D{{Key: "log", Value: 1}}}}, carriers: updateCarriers},
	{rule: "W02", reason: "slice-without-each", filter: bson.D{{Key: "_id", Value: 1}}, update: bson.D{{Key: "$push", Value: bson.D{{Key: "log", Value: bson.D{{Key: "x", Value: 1}, {Key: "$slice", Value: -3}}}}}}, carriers: updateCarriers},
	{rule: "W06", reason: "everything", times: 3, command: writeCommand("update", "updates", bson.D{{Key: "q", Value: bson.D{}}, {Key: "u", Value: bson.D{{Key: "$inc", Value: bson.D{{Key: "n", Value: 1}}}}}, {Key: "multi", Value: true}})},
	{rule: "A01", reason: "repeated", times: 3, command: aggregation(stage("$match", bson.D{{Key: "_id", Value: 1}}), stage("$lookup", bson.D{{Key: "from", Value: "d"}, {Key: "localField", Value: "ref"}, {Key: "foreignField", Value: "_id"}, {Key: "as", Value: "d"}}))},
	{rule: "A02", reason: "expr-equality", command: aggregation(stage("$match", bson.D{{Key: "_id", Value: 1}}), stage("$lookup", bson.D{
		{Key: "from", Value: "d"},
		{Key: "let", Value: bson.D{{Key: "r", Value: "$ref"}}},
		{Key: "as", Value: "d"},
		{Key: "pipeline", Value: bson.A{stage("$match", bson.D{{Key: "$expr", Value: bson.D{{Key: "$eq", Value: bson.A{"$_id", "$$r"}}}}})}},
	}))},
})

func sequence(n int) bson.A {
	out := make(bson.A, n)
	for i := range out {
		out[i] = i
	}
	return out
}

// carried makes one scenario for each carrier.
func carried(list []judged) (out []scenario) {
	for _, j := range list {
		carriers := j.carriers
		if carriers == nil {
			carriers = []carrier{{"", func(_, _ bson.D) bson.D { return j.command }}}
		}
		change := j.update
		if change == nil {
			change = bson.D{{Key: "$set", Value: bson.D{{Key: "seen", Value: true}}}}
		}
		prepare := j.prepare
		if prepare == nil {
			prepare = hundred
		}
		for _, c := range carriers {
			out = append(out, scenario{
				name: fmt.Sprintf("%s %s %s", j.rule, j.reason, c.name), rule: j.rule, reason: j.reason, coll: "c", flags: j.flags, prepare: prepare,
				run: repeated(max(j.times, 1), func(ctx context.Context, db *mongo.Database, _ int) error {
					return send(ctx, db, c.send(j.filter, change))
				}),
			})
		}
	}
	return out
}
