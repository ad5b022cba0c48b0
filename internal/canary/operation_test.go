package canary

import "go.mongodb.org/mongo-driver/v2/bson"

// operationLimits let the rules about cursors, connections, transactions and
// errors speak of a few calls that take no time.
var operationLimits = map[string]int64{
	"Q09.small-collection": 1, "Q09.repeats": 1,
	"Q10.slow-ms": 0, "Q10.few-documents": 10_000,
	"O01.operations": 100, "O01.settle": 0, "O01.connections": 1, "O01.minutes": 0,
	"O02.slow-ms":    0,
	"O03.single":     1,
	"O04.duplicates": 3,
	"I05.commands":   3,
}

// operation are commands for those rules. Each is sent often enough to get every
// kind of reply.
func (t *tokens) operation() []carrier {
	var out []carrier
	add := func(body bson.D) { out = append(out, carrier{body: append(body, d("$db", "shop")...)}) }
	for i := range 12 {
		add(d("hello", 1, "client", d("application", d("name", "canary"), "driver", d("name", "go", "version", "1"), "os", d("name", t.word()))))
		add(d("find", "people", "filter", d(), "projection", d(t.key(), 1), "sort", d(t.key(), 1), "noCursorTimeout", true, "batchSize", 2))
		add(d("find", "people", "filter", d("a", t.word(), t.key(), t.word(), "$or", bson.A{d("b", t.word()), d(t.key(), t.any())}), "sort", d("x", 1, t.key(), -1)))
		add(d("count", "visits", "query", d("city", t.word(), "b", d("$gt", t.number()), t.key(), d("$in", bson.A{t.word()}))))
		add(d("createIndexes", "people", "indexes", bson.A{d("key", d("a", 1, t.key(), 1), "name", t.word())}))
		session := d("lsid", d("id", t.binary()), "txnNumber", int64(i), "autocommit", false)
		add(append(d("update", "people", "updates", bson.A{d("q", d("a", t.word(), t.key(), t.word()), "u", d("$set", d(t.key(), t.word())))}, "startTransaction", true), session...))
		add(append(d("commitTransaction", 1), session...))
		add(d(t.word(), t.word()))
		add(d("ping", 1)) // an odd number of commands, so that each gets every kind of reply
	}
	return out
}
