package canary

import (
	"fmt"

	"go.mongodb.org/mongo-driver/v2/bson"
)

// schema is traffic for the rules of the schema, which need more than one call.
// Every call is repeated until each kind of reply was had.
func (t *tokens) schema(add func(body bson.D, seqs map[string][]bson.D)) {
	insert := func(coll string, doc func() bson.D) {
		for range 16 {
			add(d("insert", coll), map[string][]bson.D{"documents": {doc()}})
		}
	}
	for _, concern := range []bson.D{d("w", 0), d("w", t.word(), "j", false)} { // O06
		add(d("update", "people", "updates", bson.A{d("q", d("_id", t.id()), "u", d("$set", d("a", t.word())))}, "writeConcern", concern), nil)
	}
	source := t.word() // S06
	insert("readings", func() bson.D { return d("sensorId", source, "at", t.date(), "text", t.word()) })
	var sparse bson.A // S09
	for n := range 20 {
		sparse = append(sparse, d("key", d(fmt.Sprintf("attr%c", 'a'+n), 1), "name", fmt.Sprintf("a%d", n), "sparse", true))
	}
	for range 4 {
		add(d("createIndexes", "products", "indexes", sparse), nil)
	}
	for n := range 80 {
		add(d("find", "products", "filter", d(fmt.Sprintf("attr%c", 'a'+n/4), t.word())), nil)
	}
	for n := range 40 { // S04
		add(d("insert", fmt.Sprintf("days_%03d", n), "documents", bson.A{t.any()}), nil)
	}
	// S08
	insert("typed", func() bson.D { return d("ref", t.id(), "sub", d("amount", t.number(), t.key(), t.number())) })
	for range 4 {
		add(d("count", "typed", "query", d("ref", t.id().Hex())), nil)
	}
	insert("typed", func() bson.D { return d("sub", d("amount", t.digits())) })
}
