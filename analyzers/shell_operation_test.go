package analyzers_test

import (
	"errors"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
)

// drain ends a line whose cursor is read to its end.
const drain = ".toArray()"

// rest reads the batches behind the first, of the size that the line asks for.
func (s *shell) rest(line string, command bson.D, reply bson.Raw) {
	s.t.Helper()
	for {
		id, ok := reply.Lookup("cursor", "id").AsInt64OK()
		if !ok || id == 0 {
			return
		}
		next := bson.D{{Key: "getMore", Value: id}, {Key: "collection", Value: command[0].Value}}
		for _, e := range command {
			if e.Key == "batchSize" {
				next = append(next, e)
			}
		}
		reply = s.send(line, next)
	}
}

// failedReply is what the server said when it said that something failed.
func failedReply(err error) bson.Raw {
	var command mongo.CommandError
	var write mongo.WriteException
	switch {
	case errors.As(err, &command):
		return command.Raw
	case errors.As(err, &write):
		return write.Raw
	}
	return nil
}

// operationCall adds the methods that only fixes of these rules use.
func operationCall(command bson.D, coll, name string, args []any) (bson.D, bool) {
	option := func(i int) bson.D {
		if i < len(args) {
			return args[i].(bson.D)
		}
		return nil
	}
	switch name {
	case "distinct":
		return append(bson.D{{Key: "distinct", Value: coll}, {Key: "key", Value: args[0]}, {Key: "query", Value: args[1]}}, option(2)...), true
	case "noCursorTimeout":
		return append(command, bson.E{Key: "noCursorTimeout", Value: true}), true
	case "insertOne":
		return bson.D{{Key: "insert", Value: coll}, {Key: "documents", Value: bson.A{args[0]}}}, true
	case "updateOne":
		statement := append(bson.D{{Key: "q", Value: args[0]}, {Key: "u", Value: args[1]}}, option(2)...)
		return bson.D{{Key: "update", Value: coll}, {Key: "updates", Value: bson.A{statement}}}, true
	case "explain":
		return bson.D{{Key: "explain", Value: command}, {Key: "verbosity", Value: args[0]}}, true
	case "grantRolesToUser":
		return bson.D{{Key: "grantRolesToUser", Value: args[0]}, {Key: "roles", Value: args[1]}}, true
	case "version":
		return bson.D{{Key: "buildInfo", Value: 1}}, true
	case "findOneAndUpdate":
		return bson.D{{Key: "findAndModify", Value: coll}, {Key: "query", Value: args[0]}, {Key: "update", Value: args[1]}}, true
	case "deleteOne":
		return bson.D{{Key: "delete", Value: coll}, {Key: "deletes", Value: bson.A{bson.D{{Key: "q", Value: args[0]}, {Key: "limit", Value: 1}}}}}, true
	case "replaceOne":
		return bson.D{{Key: "update", Value: coll}, {Key: "updates", Value: bson.A{bson.D{{Key: "q", Value: args[0]}, {Key: "u", Value: args[1]}}}}}, true
	case "getIndexes":
		return bson.D{{Key: "listIndexes", Value: coll}}, true
	}
	return nil, false
}
