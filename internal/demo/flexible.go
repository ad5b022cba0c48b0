package demo

import "go.mongodb.org/mongo-driver/v2/bson"

// flexible: fields and collections that differ from document to document.
func flexible() []Exercise {
	attributes := []string{"color", "weight", "width", "height", "voltage", "material"}
	return []Exercise{
		{
			Name: "a field per attribute", Lesson: "attribute pattern", Rules: []string{"S09"}, Namespace: "products",
			Why:   "each field needs an index of its own; key and value need one for all",
			Avoid: side(func(n int) bson.D { return find("products", d(attributes[n%len(attributes)], n), "limit", 20) }),
			Prefer: side(func(n int) bson.D {
				return find("products", d("specs", d("$elemMatch", d("k", attributes[n%len(attributes)], "v", n))), "limit", 20)
			}),
		},
		{
			Name: "a collection per day", Lesson: "too many collections", Rules: []string{"S04"}, Namespace: "events_<n>_<n>_<n>",
			Why: "each collection and each index is a file with its own handles and cache",
			Avoid: side(perDay(4, func(at bson.DateTime) bson.D {
				return insertOne("events_"+at.Time().UTC().Format("2006_01_02"), d("type", "view"))
			})...),
			Prefer: side(perDay(4, func(at bson.DateTime) bson.D { return insertOne("events", d("day", at, "type", "view")) })...),
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

// perDay makes the commands of one round: one for each of some days.
func perDay(days int, command func(at bson.DateTime) bson.D) []func(n int) bson.D {
	out := make([]func(n int) bson.D, days)
	for i := range out {
		out[i] = func(n int) bson.D { return command(day(n*days + i)) }
	}
	return out
}
