package demo

import (
	"go.mongodb.org/mongo-driver/v2/bson"
)

// d builds a document from keys and values in turn.
func d(pairs ...any) bson.D {
	out := make(bson.D, 0, len(pairs)/2)
	for i := 0; i+1 < len(pairs); i += 2 {
		out = append(out, bson.E{Key: pairs[i].(string), Value: pairs[i+1]})
	}
	return out
}

// rx is a regular expression.
func rx(pattern, options string) bson.Regex {
	return bson.Regex{Pattern: pattern, Options: options}
}

// caseless is the collation that compares without case.
var caseless = d("locale", "en", "strength", 2)
