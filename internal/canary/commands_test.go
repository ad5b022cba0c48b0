package canary

import (
	"strings"

	"go.mongodb.org/mongo-driver/v2/bson"
)

func d(pairs ...any) bson.D {
	out := bson.D{}
	for i := 0; i < len(pairs); i += 2 {
		out = append(out, bson.E{Key: pairs[i].(string), Value: pairs[i+1]})
	}
	return out
}

// filters are predicates with tokens in every literal position.
func (t *tokens) filters() []bson.D {
	out := []bson.D{
		t.any(),
		d("name", t.pattern("^", "i")), d("name", t.pattern("", "")), d("name", t.pattern("(?i)", "sx")),
		d("name", bson.Regex{Pattern: "^" + t.word() + "$", Options: "i"}),
		d("name", bson.Regex{Pattern: "^" + t.word() + "|" + t.word()}),
		d("name", bson.Regex{Pattern: "^" + t.word() + "{0,1}c"}),
		d("name", bson.Regex{Pattern: ".*" + t.word() + "$"}),
		d("name", bson.Regex{Pattern: "^[" + t.word() + "]" + t.word(), Options: "m"}),
		d("name", d("$regex", t.word(), "$options", "i")),
		d("name", d("$options", t.word(), "$regex", t.word()), "other", t.pattern("", "i")),
		d("name", d("$regex", t.pattern("^(", ""), "$options", "")),
		d("name", d("$in", bson.A{t.word(), t.pattern("^", ""), t.pattern("", "i"), t.number(), d("x", t.word())})),
		d("name", d("$nin", bson.A{t.pattern("", "i"), t.word()})),
		d("tags", d("$all", bson.A{t.word(), t.pattern("", "i"), d("$elemMatch", d("q", t.pattern("", "i")))})),
		d("items", d("$elemMatch", d("sku", t.word(), "name", t.pattern("", "i"), t.key(), t.word()))),
		d("n", d("$gte", t.number(), "$lt", t.number(), "$ne", t.word(), "$mod", bson.A{t.number(), 1})),
		d("n", d("$not", d("$in", bson.A{t.word()})), "m", d("$not", t.pattern("^", "i"))),
		d("$or", bson.A{d("a", t.word()), d("b", t.pattern("", "i")), d("$and", bson.A{t.any(), d("c", d("$eq", t.sentence()))})}),
		d("$nor", bson.A{d("a", t.pattern("", ""))}),
		d("$text", d("$search", t.word(), "$language", t.word())),
		d("$where", "this.a == '"+t.word()+"'", "b", t.word()),
		d("$where", bson.JavaScript("this.a == '"+t.word()+"'")),
		d("$comment", t.mail(), "name", t.pattern("", "i")),
		d("$jsonSchema", d("properties", d("a", d("enum", bson.A{t.word()}, "pattern", t.word())))),
		d("$expr", d("$and", bson.A{
			d("$eq", bson.A{"$a", t.word()}), d("$regexMatch", d("input", "$a", "regex", t.word(), "options", t.word())),
			d("$regexFind", d("input", t.sentence(), "regex", t.pattern("^", "i"))), d("$in", bson.A{"$b", bson.A{t.word(), t.number()}}),
			d("$gt", bson.A{"$c", d("$literal", t.sentence())}), d("$function", d("body", "function(){return '"+t.word()+"'}", "args", bson.A{t.word()}, "lang", "js")),
		})),
		d("loc", d("$near", d("$geometry", d("type", t.word(), "coordinates", bson.A{t.number(), t.number()}), "$maxDistance", t.number()))),
		d("by."+t.key(), t.pattern("", "i"), t.key()+".x", t.word()),
		d("by."+t.mail(), t.pattern("", "i")), d(t.sentence()[1:], t.pattern("", "i")),
		d("a", d("$type", t.word(), "$size", t.number(), "$exists", t.word())), d("a", d("$bitsAllSet", t.binary())),
		d("$unknownOperator", t.word(), "a", d("$unknown", t.word())),
	}
	return out
}

// updates are updates in their three forms.
func (t *tokens) updates() []any {
	return []any{
		d("$set", d("a", t.word(), "b.c", t.any(), "by."+t.key(), t.word()), "$setOnInsert", d("x", t.sentence()), "$inc", d("n", t.number())),
		d("$push", d("log", t.word())), d("$push", d("notes", t.any())), d("$push", d("by."+t.key(), t.word())),
		d("$push", d("log", d("$each", bson.A{t.word(), t.any()}, "$sort", d(t.key(), 1)))),
		d("$push", d("capped", d("$each", bson.A{t.word()}, "$slice", 5))), d("$push", d("capped", d("$each", bson.A{t.word()}, "$slice", 0))),
		d("$push", d("wrong", d("text", t.word(), "$slice", -3))), d("$push", d("wrong2", d("$slice", -3, t.key(), t.word()))),
		d("$push", d("large", d("$each", bson.A{t.word()}, "$slice", -1_000_000))),
		d("$push", d("a.$[elem].log", t.word(), "b.$.x", t.word())),
		d("$addToSet", d("tags", t.word(), "sets", d("$each", bson.A{t.word(), t.number()}))), d("$pushAll", d("old", bson.A{t.word()})),
		d("$pull", d("p", d("at", d("$lt", t.date()), "name", t.pattern("", "i"))), "$pullAll", d("q", bson.A{t.word()})),
		d("$rename", d("a", t.key()), "$unset", d("b", t.word()), "$min", d("m", t.number()), "$bit", d("c", d("or", t.number())), "$currentDate", d("t", d("$type", t.word()))),
		t.any(),
		bson.A{
			d("$set", d("log", d("$concatArrays", bson.A{"$log", bson.A{t.word(), t.any()}}), "s", t.sentence(), "l", d("$literal", t.sentence()))),
			d("$set", d("set", d("$setUnion", bson.A{"$set", bson.A{t.word()}}))), d("$unset", bson.A{t.key()}), d("$replaceWith", d("a", t.word())),
		},
	}
}

// pipelines are aggregations with tokens in every stage.
func (t *tokens) pipelines() []bson.A {
	word := func() bson.D { return d("$concat", bson.A{"$a", t.word(), t.sentence()}) }
	lookup := func(inner ...any) bson.D {
		return d("$lookup", d("from", "users", "let", d("v", "$user", "lit", t.word(), "s", t.sentence()), "pipeline", bson.A(inner), "as", "joined"))
	}
	var out []bson.A
	for _, f := range t.filters() {
		out = append(out, bson.A{d("$match", f)}, bson.A{d("$group", d("_id", "$a")), d("$match", f)})
	}
	return append(out,
		bson.A{lookup(d("$match", d("$expr", d("$eq", bson.A{"$_id", "$$v"}))), d("$match", d("name", t.pattern("", "i"), "x", t.word()))), d("$unwind", "$joined"), d("$project", d("joined.name", 1, "joined."+t.key(), 1, "w", word()))},
		bson.A{lookup(d("$match", d("$expr", d("$eq", bson.A{"$_id", t.word()}))))},
		bson.A{d("$lookup", d("from", "users", "localField", "by."+t.key(), "foreignField", "x."+t.key(), "as", t.key()))},
		bson.A{d("$lookup", d("from", "users", "localField", "u", "foreignField", "_id", "as", "j")), d("$match", d("j.name", t.word())), d("$project", d("x", "$j."+t.key(), "y", "$j."+t.word()+" and more"))},
		bson.A{d("$match", d()), d("$group", d("_id", t.word(), "n", d("$sum", 1)))}, bson.A{d("$count", t.key())},
		bson.A{d("$match", d("a", t.word())), d("$sort", d("a", 1, t.key(), -1)), d("$skip", t.number())},
		bson.A{lookup(), lookup(), lookup(), d("$limit", t.number()), d("$skip", t.number())},
		bson.A{d("$facet", d("data", bson.A{d("$lookup", d("from", "x", "localField", "a", "foreignField", "b", "as", "c")), d("$match", d("n", t.pattern("", "i")))}, t.key(), bson.A{d("$match", d("m", t.pattern("", "i")))}))},
		bson.A{d("$unionWith", d("coll", "old", "pipeline", bson.A{d("$match", d("name", t.pattern("", "i"))), d("$addFields", d("s", t.word()))}))},
		bson.A{d("$graphLookup", d("from", "tree", "startWith", t.word(), "connectFromField", "a", "connectToField", "b", "as", "c", "maxDepth", t.number(), "restrictSearchWithMatch", d("name", t.pattern("", "i"), "x", t.word())))},
		bson.A{d("$geoNear", d("near", d("type", t.word(), "coordinates", bson.A{t.number()}), "distanceField", "dist", "query", d("name", t.pattern("", "i")), "maxDistance", t.number()))},
		bson.A{d("$addFields", d("a", word(), "b", t.any(), t.key(), t.word())), d("$match", d("a", t.pattern("", "i")))},
		bson.A{d("$match", d("a", t.pattern("", "i"))), d("$group", d("_id", d("day", "$d", "lit", t.word()), "n", d("$sum", t.number()), "all", d("$push", t.word()), t.key(), d("$first", t.sentence())))},
		bson.A{d("$match", d("b", t.pattern("", "i"))), d("$bucket", d("groupBy", "$x", "boundaries", bson.A{t.number(), t.word()}, "default", t.word(), "output", d(t.key(), d("$sum", 1)))), d("$sortByCount", word())},
		bson.A{d("$match", d("c", t.pattern("", "i"))), d("$project", d("a", d("$literal", t.sentence()), "b", d("$literal", t.any()), "c", d("$cond", bson.A{d("$eq", bson.A{"$x", t.word()}), t.word(), t.sentence()}),
			"d", d("$switch", d("branches", bson.A{d("case", d("$gt", bson.A{"$n", t.number()}), "then", t.word())}, "default", t.word())), "e", d("$dateToString", d("format", t.word(), "date", "$d", "timezone", t.word())),
			"f", d("$map", d("input", "$l", "as", "i", "in", d("$concat", bson.A{"$$i", t.word()}))), "g", d("$getField", t.word()), "h", d("$setField", d("field", t.word(), "input", "$$ROOT", "value", t.word()))))},
		bson.A{d("$match", d("d", t.pattern("", "i"))), d("$redact", d("$cond", d("if", d("$eq", bson.A{"$l", t.word()}), "then", "$$KEEP", "else", "$$PRUNE"))), d("$replaceRoot", d("newRoot", d("a", t.word()))), d("$sample", d("size", t.number()))},
		bson.A{d("$match", d("e", t.pattern("", "i"))), d("$setWindowFields", d("partitionBy", word(), "sortBy", d("a", 1), "output", d("o", d("$sum", "$a", "window", d("range", bson.A{t.number(), t.word()}))))), d("$densify", d("field", "a", "range", d("step", t.number(), "bounds", bson.A{t.date()}))), d("$fill", d("output", d("a", d("value", t.word()))))},
		bson.A{d("$search", d("index", t.word(), "text", d("query", t.word(), "path", "a"))), d("$lookup", d("from", "s", "localField", "a", "foreignField", "b", "as", "c"))},
		bson.A{d("$vectorSearch", d("queryVector", bson.A{t.number()})), d("$match", d("f", t.pattern("", "i")))},
		bson.A{d("$documents", bson.A{d("x", t.word())}), d("$match", d("g", t.pattern("", "i")))},
		bson.A{d("$match", d("h", t.pattern("", "i"))), d("$merge", d("into", "target", "on", "_id", "let", d("new", t.word()), "whenMatched", bson.A{d("$set", d("log", d("$concatArrays", bson.A{"$log", bson.A{t.word()}}), "s", t.word()))}))},
		bson.A{d("$unknownStage", d("a", t.word(), t.key(), t.sentence())), d("$match", d("i", t.pattern("", "i")))},
		bson.A{d("$match", d("z", t.pattern("", "i"))), d("$sort", d("a", 1, t.key(), -1, "s", d("$meta", t.word())))},
	)
}

// carrier is a command with the sequences that belong to it.
type carrier struct {
	body bson.D
	seqs map[string][]bson.D
	// reply is the answer; one full of data when nil.
	reply bson.D
}

// commands are all commands with tokens everywhere.
func (t *tokens) commands() []carrier {
	var out []carrier
	add := func(body bson.D, seqs map[string][]bson.D) {
		body = append(body, d("$db", "shop", "comment", t.comment(), "hint", t.word(), "let", d("v", t.word(), "s", t.sentence()), "readConcern", d("level", t.word()),
			"writeConcern", d("w", t.word()), "lsid", d("id", t.binary()), "maxTimeMS", t.number()/1_000_000, "unknownOption", t.any())...)
		out = append(out, carrier{body: t.marker()}, carrier{body: body, seqs: seqs})
	}
	collation := func() bson.D { return d("locale", t.word(), "strength", t.number(), "caseFirst", t.word()) }
	for _, f := range t.filters() {
		add(d("find", "people", "filter", f, "sort", d("a", 1, t.key(), -1, "x", t.word()), "projection", d("a", t.word(), "b", d("$literal", t.sentence()), "c", d("$elemMatch", d("q", t.word())), t.key(), 1), "limit", t.number(), "skip", t.number()), nil)
		add(d("find", "people", "filter", f, "collation", collation()), nil)
		add(d("find", "people", "filter", f, "collation", d("locale", "en", "strength", 2)), nil)
		add(d("count", "people", "query", f), nil)
		add(d("distinct", "people", "key", "a."+t.key(), "query", f), nil)
		add(d("delete", "people"), map[string][]bson.D{"deletes": {d("q", f, "limit", 0, "collation", collation(), "hint", t.word())}})
		add(d("mapReduce", "people", "map", bson.JavaScript(t.word()), "reduce", t.word(), "query", f, "out", d("inline", 1)), nil)
		add(d("findAndModify", "people", "query", f, "update", t.updates()[1], "fields", d("a", t.word())), nil)
		add(d("explain", d("find", "people", "filter", f)), nil)
	}
	for _, u := range t.updates() {
		q := d("_id", t.id(), "name", t.pattern("", "i"))
		add(d("update", "people"), map[string][]bson.D{"updates": {d("q", q, "u", u, "arrayFilters", bson.A{d("elem.x", t.word(), "elem."+t.key(), t.word())}, "c", d("v", t.word()))}})
		add(d("update", "people", "updates", bson.A{d("q", d("a", t.word()), "u", u, "upsert", true)}), nil)
		add(d("findAndModify", "people", "query", q, "update", u, "sort", d(t.key(), 1)), nil)
		add(d("bulkWrite", 1), map[string][]bson.D{
			"ops":    {d("update", 0, "filter", q, "updateMods", u), d("insert", 0, "document", t.any()), d("delete", 0, "filter", d("x", t.pattern("", "i")))},
			"nsInfo": {d("ns", "shop.people")},
		})
	}
	for _, p := range t.pipelines() {
		for range 3 { // A01 speaks at the third
			add(d("aggregate", "people", "pipeline", p, "cursor", d("batchSize", t.number())), nil)
		}
		add(d("aggregate", "people", "pipeline", p, "collation", collation()), nil)
	}
	list := make(bson.A, 1200) // longer than Q07 takes
	for i := range list {
		list[i] = t.word()
	}
	add(d("find", "people", "filter", d("name", d("$in", list))), nil)
	for _, f := range []bson.D{d("at", d("$lt", t.date()), "state", t.word()), {}, d("name", t.pattern("", "i")), d("name", d("$ne", t.word()), t.key(), nil)} {
		for range 12 { // W06 speaks at the third whose reply has a count
			add(d("delete", "people"), map[string][]bson.D{"deletes": {d("q", f, "limit", 0)}})
		}
	}
	out = append(out, t.loops()...)
	t.schema(add)
	add(d("insert", "people"), map[string][]bson.D{"documents": {t.any(), d(t.key(), t.word()), d("big", strings.Repeat(t.word(), 30_000))}})
	add(d("find", "people", "filter", d("name", t.pattern("", "i"), "big", strings.Repeat(t.word(), 30_000))), nil) // longer than what is kept
	out = append(out, t.operation()...)
	add(d("eval", "function() { return '"+t.word()+"' }"), nil)
	add(d("eval", bson.JavaScript("function() { return '"+t.word()+"' }"), "args", bson.A{t.word()}), nil)
	add(d("createIndexes", "people", "indexes", bson.A{d("key", d(t.key(), 1), "name", t.word(), "partialFilterExpression", d("a", t.word()))}), nil)
	add(d("create", "people", "validator", d("a", t.word()), "pipeline", bson.A{d("$match", d("a", t.word()))}), nil)
	add(d("renameCollection", "shop.people", "to", "shop.others"), nil)
	add(d(t.word(), t.word()), nil)
	out = append(out, t.aggregations()...)
	out = append(out, t.documents()...)
	out = append(out, t.followed()...)
	return append(out, t.secrets()...)
}

// documents are large and hold long arrays, under names of which some are data.
func (t *tokens) documents() []carrier {
	words := func(n int) (out bson.A) {
		for range n {
			out = append(out, t.word())
		}
		return out
	}
	key := t.key()
	text := func() string { return strings.Repeat(t.word(), 20_000) }
	docs := []bson.D{d("_id", t.id(), "list", words(1000), key, words(300), "sub", d(key, words(300))), d("_id", t.id(), "body", text(), key, t.word())}
	done := d("n", 1, "nModified", 1, "ok", 1.0)
	index := d("key", d("list", 1, key, -1), "name", t.word())
	full := d("n", 0, "writeErrors", bson.A{d("index", 0, "code", 10334, "errmsg", t.word())}, "ok", 1.0)
	parallel := d("ok", 0.0, "code", 171, "codeName", "CannotIndexParallelArrays", "errmsg", t.word())
	cursor := func(docs ...any) bson.D {
		return d("cursor", d("firstBatch", bson.A(docs), "id", int64(0), "ns", "shop.large"), "ok", 1.0)
	}
	out := []carrier{{body: d("createIndexes", "large", "indexes", bson.A{index}), reply: done}}
	for _, doc := range docs {
		out = append(out,
			carrier{body: d("insert", "large", "documents", bson.A{doc}), reply: done},
			carrier{body: d("find", "large", "filter", d("_id", t.id())), reply: cursor(doc)},
			carrier{body: d("find", "large", "filter", d("_id", t.id())), reply: cursor(append(doc, d("more"+key, strings.Repeat(text(), 10))...))})
	}
	for _, u := range t.updates() {
		q := d("_id", t.id())
		out = append(out, carrier{body: d("update", "large", "updates", bson.A{d("q", q, "u", u)}), reply: full}, carrier{body: d("findAndModify", "large", "query", q, "update", u), reply: parallel})
	}
	id := t.id()
	for n := range 25 { // W01 speaks of rewriting at the twentieth
		out = append(out, carrier{body: d("update", "large", "updates", bson.A{d("q", d("_id", id), "u", d("$set", d("grown", words(n+1), key, words(n+1))))}), reply: done})
	}
	for i := range out {
		out[i].body = append(out[i].body, d("$db", "shop", "comment", t.comment())...)
	}
	return out
}

// secrets are commands that carry credentials.
func (t *tokens) secrets() []carrier {
	scram := func() bson.Binary { return bson.Binary{Data: []byte("n,,n=" + t.word() + ",r=" + t.word())} }
	speculative := d("saslStart", 1, "mechanism", "SCRAM-SHA-256", "payload", scram(), "db", "admin")
	var out []carrier
	for _, body := range []bson.D{
		d("hello", 1, "saslSupportedMechs", "admin."+t.word(), "speculativeAuthenticate", speculative),
		d("isMaster", 1, "speculativeAuthenticate", speculative),
		d("saslStart", 1, "mechanism", "PLAIN", "payload", bson.Binary{Data: []byte("\x00" + t.word() + "\x00" + t.word())}),
		d("saslContinue", 1, "payload", scram()), d("authenticate", 1, "user", t.word(), "nonce", t.word(), "key", t.word()),
		d("createUser", t.word(), "pwd", t.word(), "roles", bson.A{t.word()}, "customData", t.any()), d("updateUser", t.word(), "pwd", t.word()),
		d("usersInfo", t.word()), d("copydb", 1, "username", t.word(), "key", t.word()), d("setParameter", 1, "ldapQueryPassword", t.word()),
	} {
		out = append(out, carrier{body: append(body, d("comment", t.mail(), "$db", "admin")...)})
	}
	return out
}

// comment is one of the forms an identifier has in comments.
func (t *tokens) comment() any {
	switch t.rand.IntN(7) {
	case 0:
		return "route=/orders/" + t.id().Hex()
	case 1:
		return "user=" + t.mail()
	case 2:
		return "job " + t.digits() + " of " + t.key()
	case 3:
		return d("route", "/cart", "user", t.mail(), t.key(), t.mail(), "sub", d("x", t.word()), "n", t.number())
	case 4:
		return t.any()[10:12] // plain words of a comment are attribution
	case 5:
		return "mongoadvisor:ignore " + t.digits() + "," + t.mail() + " for " + t.key()
	}
	return strings.Repeat("/page ", 70) + t.mail() + strings.Repeat(" "+t.mail(), 5)
}

// marker says which test it is, by a name that holds data.
func (t *tokens) marker() bson.D {
	name := []string{"TestFind/" + t.id().Hex(), "finds[" + t.mail() + "]", "test_user_" + t.digits(), "orders > of " + t.key()}[t.rand.IntN(4)]
	return d("ping", 1, "comment", "mongoadvisor:begin "+name, "$db", "shop")
}

// reply is an answer that is full of data.
func (t *tokens) reply(i int) bson.D {
	switch i % 4 {
	case 0:
		return d("ok", 0.0, "errmsg", "E11000 duplicate key error: { email: \""+t.mail()+"\" }", "code", 11000, "codeName", "DuplicateKey", "keyValue", t.any())
	case 1:
		return d("cursor", d("firstBatch", bson.A{t.any(), d(t.key(), t.word())}, "id", t.number(), "ns", "shop."+t.word()), "ok", 1.0)
	case 2:
		return d("n", 1500, "nModified", 1, "writeErrors", bson.A{d("index", 0, "code", 11000, "errmsg", t.word(), "keyValue", t.any())}, "value", t.any(), "ok", 1.0)
	}
	return d("values", bson.A{t.word()}, "payload", t.binary(), "conversationId", t.number(), "ok", 1.0)
}
