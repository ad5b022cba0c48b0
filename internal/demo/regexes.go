package demo

import "go.mongodb.org/mongo-driver/v2/bson"

// regexes: what an index can serve and what it cannot.
func regexes() []Exercise {
	one := func(name, why string, rules []string, coll, field string, avoid, prefer bson.D) Exercise {
		return Exercise{
			Name: name, Lesson: "regular expressions and indexes", Why: why, Rules: rules, Namespace: coll, Field: field,
			Avoid: side(always(avoid)), Prefer: side(always(prefer)),
		}
	}
	return []Exercise{
		one("a city without case", "option i reads every key; a collation of strength 2 compares without case and uses its index",
			[]string{"Q02"}, "customers", "address.city",
			find("customers", d("address.city", rx("^pune$", "i")), "limit", 20),
			find("customers", d("address.city", "pune"), "collation", caseless, "limit", 20)),
		one("the beginning of a name without case", "a range under the collation finds a beginning in any case",
			[]string{"Q02"}, "customers", "name",
			find("customers", d("name", rx("^ada 1", "i")), "limit", 20),
			find("customers", d("name", d("$gte", "ada 1", "$lt", "ada 1\uffff")), "collation", caseless, "limit", 20)),
		one("a part of a category path", "without the anchor every key is read; the leading comma makes the prefix exact",
			[]string{"S07"}, "categories", "path",
			find("categories", d("path", rx(",audio,", ""))),
			find("categories", d("path", rx("^,electronics,audio,", "")))),
		one("a path between wildcards", "a leading wildcard undoes the anchor",
			[]string{"Q01"}, "products", "categoryPath",
			find("products", d("categoryPath", rx("^.*books.*$", "")), "limit", 20),
			find("products", d("categoryPath", rx("^,books,.*$", "")), "limit", 20)),
		one("a group after the anchor", "the server takes no prefix from inside a group",
			[]string{"Q01"}, "products", "sku",
			find("products", d("sku", rx("^(EL-01)", ""))),
			find("products", d("sku", rx("^EL-01", "")))),
		one("two beginnings in one expression", "an alternation anywhere costs the range; $in takes a list of anchored expressions",
			[]string{"Q01"}, "customers", "email",
			find("customers", d("email", rx("^user100|^user200", ""))),
			find("customers", d("email", d("$in", bson.A{rx("^user100", ""), rx("^user200", "")})))),
		one("an optional character in braces", "with an index, the server misses documents that lack the optional character",
			[]string{"Q03"}, "products", "ean",
			find("products", d("ean", rx("^40{0,1}1", "")), "limit", 20),
			find("products", d("ean", rx("^40?1", "")), "limit", 20)),
		one("an expression under a collation", "a regular expression ignores the collation and so cannot use its index",
			[]string{"Q04"}, "employees", "name",
			find("employees", d("name", rx("^grace", "")), "collation", caseless),
			find("employees", d("name", "grace 7"), "collation", caseless)),
	}
}
