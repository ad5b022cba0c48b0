package canary

import (
	"strings"

	"go.mongodb.org/mongo-driver/v2/bson"
)

// loops are writes that mean something only after many of them: one document that
// is written again and again, copies of a reference. One reply in four says that
// a document was found.
func (t *tokens) loops() []carrier {
	var out []carrier
	add := func(times int, command func() carrier) {
		for range times {
			c := command()
			c.body = append(c.body, d("$db", "shop", "comment", t.comment())...)
			out = append(out, c)
		}
	}
	add(40, func() carrier { // W07
		u := d("$inc", d("n", t.number(), "by."+t.key(), t.number()), "$set", d("x", t.word()))
		return carrier{body: d("update", "people"), seqs: map[string][]bson.D{"updates": {d("q", d("_id", 5), "u", u)}}}
	})
	long := strings.Repeat(t.word(), 1000)
	add(60, func() carrier { // W04
		return carrier{body: d("update", "people"), seqs: map[string][]bson.D{"updates": {d("q", d("_id", 6), "u", d("a", t.word(), t.key(), t.word(), "long", long))}}, reply: d("n", 1, "nModified", 1, "ok", 1)}
	})
	same := d("a", t.word(), t.key(), t.word())
	add(120, func() carrier {
		return carrier{body: d("update", "people"), seqs: map[string][]bson.D{"updates": {d("q", d("_id", 7), "u", same)}}, reply: d("n", 1, "nModified", 1, "ok", 1)}
	})
	id := t.id()
	add(60, func() carrier { // W08
		u := d("$set", d("customer.name", t.word(), "customer."+t.key(), t.word()))
		return carrier{body: d("update", "people"), seqs: map[string][]bson.D{"updates": {d("q", d("customer._id", id), "u", u, "multi", true)}}}
	})
	return out
}
