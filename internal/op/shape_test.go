package op

import (
	"slices"
	"strings"
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/x/bsonx/bsoncore"
)

func TestShapeText(t *testing.T) {
	for _, c := range []struct {
		command bson.D
		want    string
	}{
		{d("find", "c"), "{filter: {}}"},
		{d("find", "c", "filter", d("a", 1, "b", "x")), "{filter: {a: <number>, b: <string>}}"},
		{d("find", "c", "filter", d("b", true, "a", nil)), "{filter: {a: null, b: <bool>}}"},
		{d("find", "c", "filter", d("n", d("$gt", 1, "$lte", 9))), "{filter: {n: {$gt: <number>, $lte: <number>}}}"},
		{d("find", "c", "filter", d("s", re("^ab", "i"))), "{filter: {s: /^<2>/i}}"},
		{d("find", "c", "filter", d("s", d("$regex", "^ab", "$options", "i"))), "{filter: {s: {$regex: /^<2>/i}}}"},
		{d("find", "c", "filter", d("s", d("$options", "i", "$regex", re("^ab", "")))), "{filter: {s: {$regex: /^<2>/i}}}"},
		{d("find", "c", "filter", d("s", d("$not", re("ab", "")))), "{filter: {s: {$not: /<2>/}}}"},
		{d("find", "c", "filter", d("$or", bson.A{d("b", 1, "a", 1), d("c", 1)})), "{filter: {$or: [{a: <number>, b: <number>}, {c: <number>}]}}"},
		{d("find", "c", "filter", d("a", d("$elemMatch", d("y", 1, "x", 2)))), "{filter: {a: {$elemMatch: {x: <number>, y: <number>}}}}"},
		{d("find", "c", "filter", d("a", d("$elemMatch", d("$gt", 1)))), "{filter: {a: {$elemMatch: {$gt: <number>}}}}"},
		{d("find", "c", "filter", d("a", d("$in", bson.A{re("^a", ""), "x"}))), "{filter: {a: {$in: [/^<1>/, <string> ×10]}}}"},
		{d("find", "c", "filter", d("a", d("$in", bson.A{1, "x"}))), "{filter: {a: {$in: [<mixed> ×10]}}}"},
		{d("find", "c", "filter", d("sub", d("x", 1))), "{filter: {sub: <document>}}"},
		{d("find", "c", "filter", d("$expr", d("$eq", bson.A{"$a", "secret"}))), "{filter: {$expr: {$eq: [$a, <string>]}}}"},
		{d("find", "c", "filter", d("$where", "this.a > 1")), "{filter: {$where: <where>}}"},
		{d("find", "c", "filter", d("$text", d("$search", "x"))), "{filter: {$text: <text>}}"},
		{d("find", "c", "filter", d("a", 1, "$comment", "x")), "{filter: {a: <number>}}"},
		{d("find", "c", "filter", d("a.0.b", 1, "m.2026", 1)), "{filter: {a.<n>.b: <number>, m.<n>: <number>}}"},
		{
			d("find", "c", "filter", d(), "sort", d("b", -1, "a", 1), "projection", d("a", 1, "b", false), "skip", 5, "limit", 1),
			"{filter: {}, sort: {b: -1, a: 1}, projection: {a: 1, b: 0}, skip: <n>, limit: 1}",
		},
		{d("find", "c", "limit", 50, "collation", d("locale", "en", "strength", 2)), "{filter: {}, limit: <n>, collation: {locale=en,strength=2}}"},
		{d("find", "c", "projection", d("x", d("$slice", 5), "y", "lit")), "{filter: {}, projection: {x: {$slice: <number>}, y: <string>}}"},
		{d("count", "c", "query", d("a", 1)), "{filter: {a: <number>}}"},
		{d("distinct", "c", "key", "a.b", "query", d("x", 1)), "{filter: {x: <number>}, key: a.b}"},
		{d("insert", "c", "documents", bson.A{d("a", 1)}), "{insert: <document>}"},
		{d("delete", "c", "deletes", bson.A{d("q", d("a", 1), "limit", 1)}), "{filter: {a: <number>}}"},
		{
			d("update", "c", "updates", bson.A{d("q", d("_id", 1), "u", d("$set", d("b", 1, "a", "x"), "$inc", d("n", 1)), "upsert", true, "multi", true)}),
			"{filter: {_id: <number>}, update: {$inc: {n: <number>}, $set: {a: <string>, b: <number>}}, multi: true, upsert: true}",
		},
		{d("update", "c", "updates", bson.A{d("q", d(), "u", d("a", 1))}), "{filter: {}, update: <document>}"},
		{
			d("update", "c", "updates", bson.A{d("q", d(), "u", d("$push", d("log", d("$each", bson.A{1, 2}, "$slice", -5, "$sort", d("at", -1)))))}),
			"{filter: {}, update: {$push: {log: {$each: [<number> ×10], $slice: -n, $sort: {at: -1}}}}}",
		},
		{
			d("update", "c", "updates", bson.A{d("q", d(), "u", d("$push", d("log", d("x", 9, "$slice", -3))))}),
			"{filter: {}, update: {$push: {log: {<document>, $slice: <number>}}}}",
		},
		{
			d("update", "c", "updates", bson.A{d("q", d(), "u", d("$set", d("a.$[e].b", 1)), "arrayFilters", bson.A{d("e.x", "v")})}),
			"{filter: {}, update: {$set: {a.$[e].b: <number>}}, arrayFilters: [{e.x: <string>}]}",
		},
		{
			d("findAndModify", "c", "query", d("a", 1), "update", bson.A{d("$set", d("b", d("$concat", bson.A{"$b", "tail"})))}, "fields", d("a", 1)),
			"{filter: {a: <number>}, update: [{$set: {b: {$concat: [$b, <string>]}}}], projection: {a: 1}}",
		},
		{
			d("aggregate", "c", "pipeline", bson.A{
				d("$match", d("b", 1, "a", 2)), d("$group", d("_id", "$x", "n", d("$sum", 1))), d("$sort", d("n", -1)), d("$limit", 7),
			}),
			"{pipeline: [{$match: {a: <number>, b: <number>}}, {$group: {_id: $x, n: {$sum: <number>}}}, {$sort: {n: -1}}, {$limit: <n>}]}",
		},
		{
			d("aggregate", "c", "pipeline", bson.A{
				d("$lookup", d("from", "users", "localField", "u", "foreignField", "_id", "as", "user", "pipeline", bson.A{d("$match", d("a", "x"))})),
				d("$facet", d("n", bson.A{d("$count", "total")})), d("$unset", bson.A{"a", "b"}), d("$out", "target"),
			}),
			"{pipeline: [{$lookup: {from: users, localField: u, foreignField: _id, as: user, pipeline: [{$match: {a: <string>}}]}}, " +
				"{$facet: {n: [{$count: total}]}}, {$unset: [a, b]}, {$out: target}]}",
		},
		{
			d("aggregate", "c", "pipeline", bson.A{d("$merge", d("into", d("db", "x", "coll", "y"), "on", bson.A{"a"}, "whenMatched", bson.A{d("$set", d("a", "lit"))}, "whenNotMatched", "insert"))}),
			"{pipeline: [{$merge: {into: {db: x, coll: y}, on: [a], whenMatched: [{$set: {a: <string>}}], whenNotMatched: insert}}]}",
		},
		{
			d("aggregate", "c", "pipeline", bson.A{d("$project", d("a", d("$literal", "$secret"), "b", "$$ROOT.c", "p", "$5 for John Smith"))}),
			"{pipeline: [{$project: {a: {$literal: <string>}, b: $$ROOT.c, p: $<key>}}]}",
		},
		{d("aggregate", "c", "pipeline", bson.A{d("$search", d("text", d("query", "x")))}), "{pipeline: [{$search: <search>}]}"},
	} {
		got := texts(t, command(c.command))
		if len(got) != 1 || got[0] != c.want {
			t.Errorf("%v\n got %q\nwant %q", c.command, got, c.want)
		}
	}
}

// Drivers send maps in random order.
func TestKeyOrderDoesNotChangeTheShape(t *testing.T) {
	update := func(u bson.D) Shape {
		return command(d("update", "c", "updates", bson.A{d("q", d(), "u", u)})).Shape()
	}
	for name, pair := range map[string][2]Shape{
		"fields":     {shapeOf(d("a", 1, "b", "x")), shapeOf(d("b", "y", "a", 2))},
		"operators":  {shapeOf(d("a", d("$gt", 1, "$lt", 2))), shapeOf(d("a", d("$lt", 2, "$gt", 1)))},
		"options":    {shapeOf(d("a", d("$regex", "x", "$options", "i"))), shapeOf(d("a", d("$options", "i", "$regex", "y")))},
		"branches":   {shapeOf(d("$and", bson.A{d("a", 1, "b", 1)})), shapeOf(d("$and", bson.A{d("b", 1, "a", 1)}))},
		"elements":   {shapeOf(d("a", d("$elemMatch", d("x", 1, "y", 1)))), shapeOf(d("a", d("$elemMatch", d("y", 1, "x", 1))))},
		"updates":    {update(d("$set", d("a", 1, "b", 1), "$inc", d("n", 1))), update(d("$inc", d("n", 1), "$set", d("b", 1, "a", 1)))},
		"data keys":  {shapeOf(d("zz2026", 1, "m", 1)), shapeOf(d("aa2027", 1, "m", 1))},
		"with hints": {shapeOf(d("a", 1)), command(d("find", "c", "filter", d("a", 1), "hint", "a_1", "comment", "x")).Shape()},
	} {
		if pair[0] != pair[1] {
			t.Errorf("%s: %q and %q are two shapes", name, pair[0].Text, pair[1].Text)
		}
	}
	if a, b := command(d("find", "c", "sort", d("a", 1, "b", 1))).Shape(), command(d("find", "c", "sort", d("b", 1, "a", 1))).Shape(); a.ID == b.ID {
		t.Error("the order of a sort means something")
	}
}

func TestListsAreBucketedByLength(t *testing.T) {
	list := func(n int) Shape {
		var a bson.A
		for i := range n {
			a = append(a, i)
		}
		return shapeOf(d("a", d("$in", a)))
	}
	for _, c := range []struct {
		n    int
		want string
	}{{1, ""}, {2, " ×10"}, {10, " ×10"}, {11, " ×100"}, {100, " ×100"}, {101, " ×1000"}, {1001, " ×10000"}, {10001, " ×many"}} {
		if got := list(c.n).Text; got != "{filter: {a: {$in: [<number>"+c.want+"]}}}" {
			t.Errorf("%d elements: %s", c.n, got)
		}
	}
	if list(3) != list(7) || list(3).ID == list(30).ID {
		t.Error("buckets do not decide the shape")
	}
}

func TestRegexLengthsAreShownAndNotHashed(t *testing.T) {
	a, b := shapeOf(d("s", re("^abc", ""))), shapeOf(d("s", re("^vwxyz", "")))
	if a.ID != b.ID || a.Text != "{filter: {s: /^<3>/}}" || b.Text != "{filter: {s: /^<5>/}}" {
		t.Errorf("%v and %v", a, b)
	}
	if c := shapeOf(d("s", re("abc", ""))); c.ID == a.ID {
		t.Error("the anchor does not count")
	}
	if c := shapeOf(d("s", re("^abc", "i"))); c.ID == a.ID {
		t.Error("the option does not count")
	}
	// what stands in the place of options is no option, and nothing of it counts
	x, y := shapeOf(d("s", d("$regex", "a", "$options", "hunter"))), shapeOf(d("s", d("$regex", "a", "$options", "swordfish")))
	if x != y || x.Text != "{filter: {s: {$regex: /<1>/<options>}}}" {
		t.Errorf("%v and %v", x, y)
	}
}

func TestLongShapesAreCutInTextOnly(t *testing.T) {
	many := func(last string) Shape {
		filter := bson.D{}
		for i := range 200 {
			filter = append(filter, bson.E{Key: "field" + strings.Repeat("x", i%7) + string(rune('a'+i%26)), Value: i})
		}
		return shapeOf(append(filter, bson.E{Key: last, Value: 1}))
	}
	a, b := many("zz"), many("zzz")
	if len(a.Text) > maxShapeText+len("…") || !strings.HasSuffix(a.Text, "…") || a.Text != b.Text || a.ID == b.ID {
		t.Errorf("%d bytes, ids %s and %s", len(a.Text), a, b)
	}
}

// Shapes are equal on every machine and in every version: findings are keyed by
// them.
func TestShapeIDsStay(t *testing.T) {
	for want, s := range map[string]Shape{
		"f77b3fa865f9d62b": shapeOf(d("a", 1)),
		"3d3abde6d7164bb7": shapeOf(d("s", re("^abc", "i"))),
		"53faff505a112baa": command(d("update", "c", "updates", bson.A{d("q", d("_id", 1), "u", d("$push", d("log", 1)))})).Shape(),
		"4dd96fe1cdcc0f88": command(d("aggregate", "c", "pipeline", bson.A{d("$lookup", d("from", "users", "localField", "u", "foreignField", "_id", "as", "user"))})).Shape(),
	} {
		if s.String() != want {
			t.Errorf("%s has id %s, was %s", s.Text, s, want)
		}
	}
}

func TestShapeOfPartsAndTexts(t *testing.T) {
	v := value(d("from", "users", "as", "u"))
	if s := ShapeOf("$lookup", v); s.Text != "{$lookup: {from: users, as: u}}" || s != TextShape(s.Text) {
		t.Errorf("%v", s)
	}
	if !(Shape{}).IsZero() || TextShape("x").IsZero() {
		t.Error("IsZero")
	}
}

func TestBatchHasAShapePerStatement(t *testing.T) {
	o := command(d("update", "c"), Sequence{Name: "updates", Docs: []bsoncore.Document{
		doc(d("q", d("a", 1), "u", d("$set", d("x", 1)))), doc(d("q", d("b", 1), "u", bson.A{d("$unset", "y")})),
	}})
	want := []string{"{filter: {a: <number>}, update: {$set: {x: <number>}}}", "{filter: {b: <number>}, update: [{$unset: y}]}"}
	if got := texts(t, o); !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
}

// TestShapeIDIsThatOfTheShape: with or without the text, and without an allocation.
func TestShapeIDIsThatOfTheShape(t *testing.T) {
	body := doc(d("find", "c", "filter", d("a", 1, "b", d("$in", bson.A{1, 2}), "s", re("^ab", "i")), "sort", d("a", -1), "limit", 5))
	one, other := &Operation{Command: "find", Body: body}, &Operation{Command: "find", Body: body}
	if a, b := one.ShapeID(), other.Shape().ID; a != b || one.Shape().ID != a || other.ShapeID() != b {
		t.Errorf("%x and %x", a, b)
	}
	body = doc(d("find", "c", "filter", d("a", 1, "b", d("$gt", 5)), "sort", d("a", -1), "limit", 5))
	room, o := &Room{}, &Operation{}
	if n := testing.AllocsPerRun(100, func() {
		*o = Operation{Command: "find", Body: body}
		o.Borrow(room)
		o.ShapeID()
		o.Return()
	}); n > 0 {
		t.Errorf("%v allocations", n)
	}
}
