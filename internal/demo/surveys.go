package demo

import "go.mongodb.org/mongo-driver/v2/bson"

// surveys: how the lessons measure a database, and the jobs that precompute.
// They run once, as a report or a nightly job does.
func surveys() []Exercise {
	job := func(name, lesson, coll, why string, pipeline bson.A) Exercise {
		return Exercise{Name: name, Lesson: lesson, Namespace: coll, Why: why, Prefer: side(once(aggregate(coll, pipeline)))}
	}
	return []Exercise{
		job("the largest documents", "detecting bloated documents", "products", "a sample is enough to see the tail", bson.A{
			d("$sample", d("size", 100)),
			d("$project", d("name", 1, "bytes", d("$bsonSize", "$$ROOT"))),
			d("$sort", d("bytes", -1)), d("$limit", 3),
		}),
		job("how long arrays are", "detecting unbounded arrays", "products", "a long tail in the top bucket is the first sign", bson.A{
			d("$project", d("n", d("$size", d("$ifNull", bson.A{"$specs", bson.A{}})))),
			d("$bucket", d("groupBy", "$n", "boundaries", bson.A{0, 2, 4, 8, 1000}, "default", "other", "output", d("docs", d("$sum", 1)))),
		}),
		job("indexes nobody uses", "detecting unnecessary indexes", "customers", "zero accesses on every member over a full business cycle: hide it, then drop it", bson.A{
			d("$indexStats", d()),
			d("$project", d("name", 1, "ops", "$accesses.ops")), d("$sort", d("name", 1)),
		}),
		job("the rating summary as a job", "computed and subset patterns", "reviews", "one pass over the reviews instead of one per page view", bson.A{
			d("$match", d("_id", d("$lt", numReviews-1))), // the last one is of two products
			d("$group", d("_id", "$productId", "ratingAvg", d("$avg", "$rating"), "reviewCount", d("$sum", 1),
				"topReviews", d("$topN", d("n", 3, "sortBy", d("helpfulVotes", -1), "output", d("title", "$title", "rating", "$rating"))))),
			d("$merge", d("into", "products", "on", "_id", "whenMatched", "merge", "whenNotMatched", "discard")),
		}),
		job("events in a bucket per customer and day", "bucket pattern", "events", "one index entry per bucket instead of one per event", bson.A{
			d("$match", d("customerId", d("$lte", 20))),
			d("$group", d("_id", d("customerId", "$customerId", "day", d("$dateTrunc", d("date", "$ts", "unit", "day"))),
				"count", d("$sum", 1), "events", d("$push", d("ts", "$ts", "type", "$type")))),
			d("$merge", d("into", "event_buckets", "on", "_id", "whenMatched", "replace")),
		}),
	}
}
