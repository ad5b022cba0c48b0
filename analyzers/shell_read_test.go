package analyzers_test

import "go.mongodb.org/mongo-driver/v2/bson"

// readCall are the methods that the fixes for reads need beside those of call;
// nil for any other.
func readCall(coll, name string, args []any) bson.D {
	if name != "updateOne" {
		return nil
	}
	statement := bson.D{{Key: "q", Value: args[0]}, {Key: "u", Value: args[1]}}
	if len(args) > 2 {
		statement = append(statement, args[2].(bson.D)...)
	}
	return bson.D{{Key: "update", Value: coll}, {Key: "updates", Value: bson.A{statement}}}
}
