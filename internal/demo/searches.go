package demo

import "go.mongodb.org/mongo-driver/v2/bson"

// searches: the other ways in which people look for a piece of a text.
func searches() []Exercise {
	return []Exercise{
		{
			Name: "a word inside a name", Lesson: "case-insensitive queries", Rules: []string{"Q02"}, Namespace: "products", Field: "name",
			Why:    "no index on the field can find the middle of a text: a text index has the words",
			Avoid:  side(always(find("products", d("name", d("$regex", "duct 12", "$options", "i")), "limit", 20))),
			Prefer: side(always(find("products", d("$text", d("$search", "12")), "limit", 20))),
		},
		{
			Name: "a path in any case", Lesson: "materialized paths", Rules: []string{"S07"}, Namespace: "categories", Field: "path",
			Why:    "option i costs the index range, and a path that we write has one case only",
			Avoid:  side(always(find("categories", d("path", rx("^,Electronics,", "i"))))),
			Prefer: side(always(find("categories", d("path", rx("^,electronics,", ""))))),
		},
		{
			Name: "the end of an address", Lesson: "regular expressions and indexes", Rules: []string{"Q01"}, Namespace: "customers", Field: "email",
			Why:    "an index is sorted from the left: the end of a text is the beginning of its reverse",
			Avoid:  side(always(find("customers", d("email", rx("777@example\\.test$", ""))))),
			Prefer: side(always(find("customers", d("emailReversed", rx("^tset\\.elpmaxe@777", ""))))),
		},
		{
			Name: "a beginning with option m", Lesson: "regular expressions and indexes", Rules: []string{"Q01"}, Namespace: "products", Field: "sku",
			Why:    "with option m the anchor also means the beginning of any line, so no range follows from it",
			Avoid:  side(always(find("products", d("sku", rx("^EL-02", "m"))))),
			Prefer: side(always(find("products", d("sku", rx("\\AEL-02", ""))))),
		},
		{
			Name: "newest reviews after those on the page", Lesson: "outlier pattern", Namespace: "reviews", Field: "createdAt",
			Why: "the embedded ten are on the page already; the rest is sorted by the index of their own collection",
			Prefer: side(func(n int) bson.D {
				return find("reviews", d("productId", n), "sort", d("createdAt", -1), "skip", 10, "limit", 20)
			}),
		},
	}
}
