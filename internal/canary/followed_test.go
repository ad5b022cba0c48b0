package canary

import (
	"go.mongodb.org/mongo-driver/v2/bson"
)

// followed are queries whose values stood in an earlier reply: all of them are
// tokens, and so are the keys around them.
func (t *tokens) followed() []carrier {
	var out []carrier
	find := func(coll string, filter bson.D, docs ...any) {
		out = append(out, carrier{
			body:  d("find", coll, "filter", filter, "comment", t.mail(), "$db", "shop"),
			reply: d("cursor", d("firstBatch", append(bson.A{}, docs...), "id", int64(0), "ns", "shop."+coll), "ok", 1.0),
		})
	}
	list := bson.A{}
	refs := make([]any, 12)
	for i := range refs {
		refs[i] = t.id()
		list = append(list, d("_id", t.id(), "person", d(t.key(), refs[i]), "personId", refs[i], "note", t.word()))
	}
	find("notes", d("s", t.word()), list...)
	for _, id := range refs {
		find("persons", d("_id", id, t.key(), t.word()), d("_id", id, "name", t.word()))
	}
	for range 25 {
		ref := t.word()
		find("letters", d("_id", t.id()), d("_id", t.id(), "senderCode", ref, t.key(), t.word()))
		find("senders", d("code", ref), d("_id", t.id(), "code", ref, "name", t.mail()))
	}
	for range 4 {
		leaf, middle, root := t.word(), t.word(), t.word()
		find("nodes", d("_id", leaf), d("_id", leaf, "parent", middle, "path", ","+root+","+middle+","))
		find("nodes", d("_id", middle), d("_id", middle, "parent", root))
		find("nodes", d("_id", root), d("_id", root, "parent", nil))
		find("nodes", d("path", bson.Regex{Pattern: "," + middle + ",", Options: "i"}), d("_id", leaf, "path", ","+root+","+middle+","))
		out = append(out, carrier{body: d("update", "nodes", "updates", bson.A{
			d("q", d("lft", d("$gt", t.number())), "u", d("$inc", d("lft", int64(2))), "multi", true),
			d("q", d("_id", root), "u", d("$push", d("children", leaf, t.key()+".children", t.word()))),
		}, "$db", "shop"), reply: d("n", int64(4), "nModified", int64(4), "ok", 1.0)})
	}
	return out
}
