package demo

import "go.mongodb.org/mongo-driver/v2/bson"

// arrays: what grows for ever, what is bounded, and what only looks bounded.
func arrays() []Exercise {
	comment := func(n int) bson.D { return d("author", n, "text", "well said", "createdAt", day(n)) }
	review := func(n int) bson.D { return d("customerId", n, "rating", n%5+1, "createdAt", day(n)) }
	return []Exercise{
		{
			Name: "comments in their post", Lesson: "unbounded arrays", Rules: []string{"W01"}, Namespace: "posts", Field: "comments",
			Why:   "the whole post is rewritten at each comment and grows towards 16 MiB; a preview of five stays small",
			Avoid: side(func(n int) bson.D { return updateOne("posts", d("_id", 1), d("$push", d("comments", comment(n)))) }),
			Prefer: side(
				func(n int) bson.D { return insertOne("comments", append(d("postId", 2), comment(n)...)) },
				func(n int) bson.D {
					return updateOne("posts", d("_id", 2), d("$push", d("recentComments", d("$each", bson.A{comment(n)}, "$slice", -5)), "$inc", d("commentCount", 1)))
				}),
		},
		{
			Name: "reviews in their product", Lesson: "subset pattern", Rules: []string{"W01"}, Namespace: "products", Field: "reviews",
			Why:   "the hot product page carries every review ever written; the newest ten are what it shows",
			Avoid: side(func(n int) bson.D { return updateOne("products", d("_id", 1), d("$push", d("reviews", review(n)))) }),
			Prefer: side(
				func(n int) bson.D { return insertOne("reviews", append(d("productId", 2), review(n)...)) },
				func(n int) bson.D {
					newest := d("$each", bson.A{review(n)}, "$sort", d("createdAt", -1), "$slice", 10)
					return updateOne("products", d("_id", 2), d("$push", d("recentReviews", newest), "$inc", d("reviewCount", 1)))
				}),
		},
		{
			Name: "$slice without $each", Lesson: "bounded previews", Rules: []string{"W02"}, Namespace: "posts", Field: "viewers",
			Why: "without $each the modifiers are stored as data, and nothing is cut",
			Avoid: side(func(n int) bson.D {
				return updateOne("posts", d("_id", 3), d("$push", d("viewers", d("id", n, "$slice", -3))))
			}),
			Prefer: side(func(n int) bson.D {
				return updateOne("posts", d("_id", 4), d("$push", d("lastViewers", d("$each", bson.A{n}, "$slice", -3))))
			}),
		},
		{
			Name: "$slice that keeps the oldest", Lesson: "bounded previews", Rules: []string{"W02"}, Namespace: "products", Field: "prices",
			Why: "a positive $slice keeps the first five, so every later element is thrown away",
			Avoid: side(func(n int) bson.D {
				return updateOne("products", d("_id", 3), d("$push", d("prices", d("$each", bson.A{n}, "$slice", 5))))
			}),
			Prefer: side(func(n int) bson.D {
				return updateOne("products", d("_id", 4), d("$push", d("lastPrices", d("$each", bson.A{n}, "$slice", -5))))
			}),
		},
		{
			Name: "every buyer in the book", Lesson: "outlier pattern", Rules: []string{"W01"}, Namespace: "books", Field: "buyers",
			Why:   "a bestseller has millions: cap the common case, flag the outlier, put its rest elsewhere",
			Avoid: side(func(n int) bson.D { return updateOne("books", d("_id", 1), d("$addToSet", d("buyers", 1000+n))) }),
			Prefer: side(
				func(n int) bson.D {
					return updateOne("books", d("_id", 2, "buyers.49", d("$exists", false)), d("$push", d("buyers", 1000+n)))
				},
				func(n int) bson.D { return insertOne("books_overflow", d("bookId", 3, "page", n, "buyers", bson.A{n})) },
				once(updateOne("books", d("_id", 3), d("$set", d("hasOverflow", true))))),
		},
		{
			Name: "an event per document", Lesson: "bucket pattern", Rules: []string{"S06"}, Namespace: "events",
			Why:   "a bucket has one index entry for up to 360 events, and its guard keeps it bounded",
			Avoid: stream("events", func(i int) bson.D { return d("customerId", i%7, "ts", day(0)+bson.DateTime(i*100), "type", "view") }),
			Prefer: side(func(n int) bson.D {
				return upsertOne("event_buckets", d("customerId", 7, "day", day(0), "count", d("$lt", 360)),
					d("$push", d("events", d("ts", day(n), "type", "view")), "$inc", d("count", 1)))
			}),
		},
	}
}
