package analyzers_test

import "go.mongodb.org/mongo-driver/v2/bson"

// writeCall is what mongosh sends for methods that write one document, and for
// hideIndex; nil for others.
func writeCall(coll, name string, args []any) bson.D {
	switch name {
	case "insertOne":
		return bson.D{{Key: "insert", Value: coll}, {Key: "documents", Value: bson.A{args[0]}}}
	case "insertMany":
		return bson.D{{Key: "insert", Value: coll}, {Key: "documents", Value: args[0]}}
	case "updateOne":
		statement := bson.D{{Key: "q", Value: args[0]}, {Key: "u", Value: args[1]}}
		if len(args) > 2 {
			statement = append(statement, args[2].(bson.D)...)
		}
		return bson.D{{Key: "update", Value: coll}, {Key: "updates", Value: bson.A{statement}}}
	case "findOneAndUpdate":
		command := bson.D{{Key: "findAndModify", Value: coll}, {Key: "query", Value: args[0]}, {Key: "update", Value: args[1]}}
		if len(args) > 2 {
			command = append(command, args[2].(bson.D)...)
		}
		return command
	case "findOneAndDelete":
		return bson.D{{Key: "findAndModify", Value: coll}, {Key: "query", Value: args[0]}, {Key: "remove", Value: true}}
	case "deleteOne":
		return bson.D{{Key: "delete", Value: coll}, {Key: "deletes", Value: bson.A{bson.D{{Key: "q", Value: args[0]}, {Key: "limit", Value: 1}}}}}
	case "hideIndex":
		return bson.D{{Key: "collMod", Value: coll}, {Key: "index", Value: bson.D{{Key: "keyPattern", Value: args[0]}, {Key: "hidden", Value: true}}}}
	}
	return nil
}
