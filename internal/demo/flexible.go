package demo

import "go.mongodb.org/mongo-driver/v2/bson"

// flexible: fields and collections that differ from document to document.
func flexible() []Exercise {
	attributes := []string{
		"color", "weight", "width", "height", "voltage", "material", "depth", "power",
		"finish", "capacity", "memory", "screen", "battery", "fabric", "sleeve",
	}
	return []Exercise{
		{
			Name: "a field per attribute", Lesson: "attribute pattern", Rules: []string{"S09"}, Namespace: "products",
			Why: "each field needs an index of its own; key and value need one for all",
			Avoid: side(append([]func(int) bson.D{once(sparse("products", attributes[:10]))}, each(attributes, 5, func(a string, n int) bson.D {
				return find("products", d(a, n), "limit", 20)
			})...)...),
			Prefer: side(each(attributes, 5, func(a string, n int) bson.D {
				return find("products", d("specs", d("$elemMatch", d("k", a, "v", n))), "limit", 20)
			})...),
		},
		{
			Name: "a collection per day", Lesson: "too many collections", Rules: []string{"S04"}, Namespace: "events_<n>_<n>_<n>",
			Why: "each collection and each index is a file with its own handles and cache",
			Avoid: side(perDay(func(at bson.DateTime) bson.D {
				return insertOne("events_"+at.Time().UTC().Format("2006_01_02"), d("type", "view"))
			})...),
			Prefer: side(func(n int) bson.D {
				docs := make(bson.A, daysPerRound)
				for i := range docs {
					docs[i] = d("day", day(n*daysPerRound+i), "type", "view")
				}
				return d("insert", "events", "documents", docs)
			}),
		},
		{
			Name: "a new shape, document by document", Lesson: "schema versioning", Namespace: "customers",
			Why: "readers know both shapes and migrate a document when they next save it",
			Prefer: side(
				func(n int) bson.D { return find("customers", d("_id", n), "limit", 1) },
				func(n int) bson.D {
					return updateOne("customers", d("_id", n), d("$set", d("first", "Ada", "last", "King", "schemaVersion", 2)))
				}),
		},
	}
}

// daysPerRound is how many days pass in one round.
const daysPerRound = 4

// perDay makes the commands of one round: one for each of its days.
func perDay(command func(at bson.DateTime) bson.D) []func(n int) bson.D {
	out := make([]func(n int) bson.D, daysPerRound)
	for i := range out {
		out[i] = func(n int) bson.D { return command(day(n*daysPerRound + i)) }
	}
	return out
}

// each makes the commands of one round: one for each of some names, the next ones
// in the next round.
func each(names []string, some int, command func(name string, n int) bson.D) []func(n int) bson.D {
	out := make([]func(n int) bson.D, some)
	for i := range out {
		out[i] = func(n int) bson.D { return command(names[(n*some+i)%len(names)], n) }
	}
	return out
}

// sparse makes an index for each field that not all documents have.
func sparse(coll string, fields []string) bson.D {
	indexes := bson.A{}
	for _, f := range fields {
		indexes = append(indexes, d("key", d(f, 1), "name", f+"_1", "sparse", true))
	}
	return d("createIndexes", coll, "indexes", indexes)
}
