package analyzers_test

import (
	"fmt"

	"go.mongodb.org/mongo-driver/v2/bson"
)

// shellCall is one method call of a line.
type shellCall struct {
	coll string
	args []any
}

// arg is an argument that is a document, empty when it is not there.
func (c *shellCall) arg(i int) bson.D {
	if i < len(c.args) {
		return c.args[i].(bson.D)
	}
	return bson.D{}
}

// add makes the command that a method sends, or changes the command so far.
func (c *shellCall) add(command bson.D, name string) bson.D {
	switch name {
	case "sort", "limit", "skip", "collation", "hint", "batchSize", "maxTimeMS":
		return append(command, bson.E{Key: name, Value: c.args[0]})
	case "noCursorTimeout":
		return append(command, bson.E{Key: name, Value: true})
	case "readPref":
		return append(command, bson.E{Key: "$readPreference", Value: bson.D{{Key: "mode", Value: c.args[0]}}})
	case "explain":
		return bson.D{{Key: "explain", Value: command}, {Key: "verbosity", Value: c.args[0]}}
	}
	for _, of := range []func(string) bson.D{c.read, c.write, c.define} {
		if command := of(name); command != nil {
			return command
		}
	}
	panic("no method " + name)
}

func (c *shellCall) read(name string) bson.D {
	switch name {
	case "find":
		return bson.D{{Key: "find", Value: c.coll}, {Key: "filter", Value: c.arg(0)}}
	case "findOne":
		return bson.D{{Key: "find", Value: c.coll}, {Key: "filter", Value: c.arg(0)}, {Key: "limit", Value: 1}, {Key: "singleBatch", Value: true}}
	case "aggregate":
		return append(bson.D{{Key: "aggregate", Value: c.coll}, {Key: "pipeline", Value: c.args[0]}, {Key: "cursor", Value: bson.D{}}}, c.arg(1)...)
	case "countDocuments":
		group := bson.D{{Key: "_id", Value: 1}, {Key: "n", Value: bson.D{{Key: "$sum", Value: 1}}}}
		stages := bson.A{bson.D{{Key: "$match", Value: c.arg(0)}}, bson.D{{Key: "$group", Value: group}}}
		return append(bson.D{{Key: "aggregate", Value: c.coll}, {Key: "pipeline", Value: stages}, {Key: "cursor", Value: bson.D{}}}, c.arg(1)...)
	case "estimatedDocumentCount":
		return bson.D{{Key: "count", Value: c.coll}}
	case "distinct":
		return append(bson.D{{Key: "distinct", Value: c.coll}, {Key: "key", Value: c.args[0]}, {Key: "query", Value: c.arg(1)}}, c.arg(2)...)
	case "mapReduce":
		return append(bson.D{{Key: "mapReduce", Value: c.coll}, {Key: "map", Value: c.args[0]}, {Key: "reduce", Value: c.args[1]}}, c.arg(2)...)
	}
	return nil
}

func (c *shellCall) write(name string) bson.D {
	switch name {
	case "insertOne":
		return append(insertOf(c.coll, c.args[:1]), c.arg(1)...)
	case "insertMany":
		return append(insertOf(c.coll, c.args[0].(bson.A)), c.arg(1)...)
	case "updateOne", "replaceOne":
		return c.update(nil)
	case "updateMany":
		return c.update(bson.D{{Key: "multi", Value: true}})
	case "deleteOne":
		return c.delete(1)
	case "deleteMany":
		return c.delete(0)
	case "findOneAndUpdate", "findOneAndReplace":
		return append(bson.D{{Key: "findAndModify", Value: c.coll}, {Key: "query", Value: c.args[0]}, {Key: "update", Value: c.args[1]}}, c.arg(2)...)
	case "findOneAndDelete":
		return append(bson.D{{Key: "findAndModify", Value: c.coll}, {Key: "query", Value: c.args[0]}, {Key: "remove", Value: true}}, c.arg(1)...)
	case "bulkWrite":
		return bulkOf(c.coll, c.args[0].(bson.A))
	}
	return nil
}

func insertOf(coll string, docs []any) bson.D {
	return bson.D{{Key: "insert", Value: coll}, {Key: "documents", Value: bson.A(docs)}}
}

func updateOf(coll string, statements ...any) bson.D {
	return bson.D{{Key: "update", Value: coll}, {Key: "updates", Value: bson.A(statements)}}
}

func (c *shellCall) update(more bson.D) bson.D {
	ofStatement, ofCommand := parted(c.arg(2))
	statement := append(bson.D{{Key: "q", Value: c.args[0]}, {Key: "u", Value: c.args[1]}}, more...)
	return append(updateOf(c.coll, append(statement, ofStatement...)), ofCommand...)
}

func (c *shellCall) delete(limit int) bson.D {
	ofStatement, ofCommand := parted(c.arg(1))
	statement := append(bson.D{{Key: "q", Value: c.args[0]}, {Key: "limit", Value: limit}}, ofStatement...)
	return append(bson.D{{Key: "delete", Value: c.coll}, {Key: "deletes", Value: bson.A{statement}}}, ofCommand...)
}

// parted parts those of a statement from those of its command.
func parted(given bson.D) (ofStatement, ofCommand bson.D) {
	for _, o := range given {
		if o.Key == "writeConcern" {
			ofCommand = append(ofCommand, o)
		} else {
			ofStatement = append(ofStatement, o)
		}
	}
	return ofStatement, ofCommand
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

// define are the methods that change or tell of collections, users and servers.
func (c *shellCall) define(name string) bson.D {
	switch name {
	case "createIndex":
		return c.createIndex()
	case "hideIndex":
		return bson.D{{Key: "collMod", Value: c.coll}, {Key: "index", Value: bson.D{{Key: "keyPattern", Value: c.args[0]}, {Key: "hidden", Value: true}}}}
	case "getIndexes":
		return bson.D{{Key: "listIndexes", Value: c.coll}}
	case "createCollection":
		return append(bson.D{{Key: "create", Value: c.args[0]}}, c.arg(1)...)
	case "drop":
		return bson.D{{Key: "drop", Value: c.coll}}
	case "grantRolesToUser":
		return bson.D{{Key: "grantRolesToUser", Value: c.args[0]}, {Key: "roles", Value: c.args[1]}}
	case "version":
		return bson.D{{Key: "buildInfo", Value: 1}}
	case "runCommand":
		return c.arg(0)
	}
	return nil
}

// createIndex names the index after its keys and options. mongosh leaves the
// options out, but here the plain index may be there.
func (c *shellCall) createIndex() bson.D {
	name := ""
	for _, k := range c.arg(0) {
		name += fmt.Sprintf("_%s_%v", k.Key, k.Value)
	}
	for _, o := range c.arg(1) {
		name += "_" + o.Key
	}
	index := append(bson.D{{Key: "key", Value: c.arg(0)}, {Key: "name", Value: name[1:]}}, c.arg(1)...)
	return bson.D{{Key: "createIndexes", Value: c.coll}, {Key: "indexes", Value: bson.A{index}}}
}
