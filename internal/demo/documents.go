package demo

import "go.mongodb.org/mongo-driver/v2/bson"

// documents: what is in one document and who reads it.
func documents() []Exercise {
	return []Exercise{
		{
			Name: "two megabytes for a title", Lesson: "bloated documents", Rules: []string{"S02"}, Namespace: "manuals",
			Why:    "the text fills the cache and the line, and the list shows titles only",
			Avoid:  side(func(n int) bson.D { return find("manuals", d("_id", n%numManuals), "limit", 1) }),
			Prefer: side(func(n int) bson.D { return find("manual_titles", d("_id", n%numManuals), "limit", 1) }),
		},
		{
			Name: "readings in a time series collection", Lesson: "bucket pattern", Namespace: "readings",
			Why: "the server makes the buckets; the application inserts plain documents",
			Prefer: side(func(n int) bson.D {
				return insertOne("readings", d("t", day(n), "sensorId", 1, "value", 20+n%5))
			}),
		},
		{
			Name: "vehicles of all kinds", Lesson: "polymorphic pattern", Namespace: "vehicles", Field: "type",
			Why: "one collection with a discriminator answers for all kinds, each with fields of its own",
			Prefer: side(
				func(n int) bson.D {
					kind := []string{"car", "bike"}[n%2]
					return upsertOne("vehicles", d("_id", n), d("$set", d("type", kind, map[string]string{"car": "doors", "bike": "gears"}[kind], 4)))
				},
				once(find("vehicles", d("type", "car"), "limit", 20))),
		},
	}
}
