package analyzers_test

import "go.mongodb.org/mongo-driver/v2/bson"

// writeCall is the command of a write method, or nil for another method.
func writeCall(coll, name string, args []any) bson.D {
	switch name {
	case "insertOne":
		return insertOf(coll, args[:1])
	case "insertMany":
		return insertOf(coll, args[0].(bson.A))
	case "updateOne":
		options := bson.D{}
		if len(args) > 2 {
			options = args[2].(bson.D)
		}
		statement := bson.D{{Key: "q", Value: args[0]}, {Key: "u", Value: args[1]}}
		return updateOf(coll, append(statement, options...))
	case "replaceOne":
		return updateOf(coll, bson.D{{Key: "q", Value: args[0]}, {Key: "u", Value: args[1]}})
	case "deleteOne":
		return bson.D{{Key: "delete", Value: coll}, {Key: "deletes", Value: bson.A{bson.D{{Key: "q", Value: args[0]}, {Key: "limit", Value: 1}}}}}
	case "bulkWrite":
		return bulkOf(coll, args[0].(bson.A))
	}
	return nil
}

func insertOf(coll string, docs []any) bson.D {
	return bson.D{{Key: "insert", Value: coll}, {Key: "documents", Value: bson.A(docs)}}
}

func updateOf(coll string, statements ...any) bson.D {
	return bson.D{{Key: "update", Value: coll}, {Key: "updates", Value: bson.A(statements)}}
}

// bulkOf sends a batch of one kind, as drivers do: one command for it.
func bulkOf(coll string, batch bson.A) bson.D {
	var updates, deletes []any
	for _, one := range batch {
		model := one.(bson.D)[0]
		parts := map[string]any{}
		for _, e := range model.Value.(bson.D) {
			parts[e.Key] = e.Value
		}
		switch model.Key {
		case "updateOne":
			updates = append(updates, bson.D{{Key: "q", Value: parts["filter"]}, {Key: "u", Value: parts["update"]}})
		case "replaceOne":
			updates = append(updates, bson.D{{Key: "q", Value: parts["filter"]}, {Key: "u", Value: parts["replacement"]}})
		case "deleteOne":
			deletes = append(deletes, bson.D{{Key: "q", Value: parts["filter"]}, {Key: "limit", Value: 1}})
		default:
			panic("no model " + model.Key)
		}
	}
	if updates == nil {
		return bson.D{{Key: "delete", Value: coll}, {Key: "deletes", Value: bson.A(deletes)}}
	}
	return updateOf(coll, updates...)
}
