package analyzers_test

import (
	"strconv"
	"strings"

	"go.mongodb.org/mongo-driver/v2/bson"
)

// schemaCall are the methods that the fixes for schema rules need beside those
// of call.
func schemaCall(command bson.D, coll, name string, args []any) bson.D {
	options := bson.D{}
	if len(args) > 1 {
		if d, ok := args[len(args)-1].(bson.D); ok {
			options = d
		}
	}
	switch name {
	case "runCommand":
		return args[0].(bson.D)
	case "insertOne":
		return append(bson.D{{Key: "insert", Value: coll}, {Key: "documents", Value: bson.A{args[0]}}}, options...)
	case "insertMany":
		return append(bson.D{{Key: "insert", Value: coll}, {Key: "documents", Value: args[0]}}, options...)
	case "updateOne":
		statement := bson.D{{Key: "q", Value: args[0]}, {Key: "u", Value: args[1]}}
		update := bson.D{{Key: "update", Value: coll}, {Key: "updates", Value: bson.A{}}}
		for _, o := range options {
			if o.Key == "writeConcern" {
				update = append(update, o)
			} else if len(args) > 2 {
				statement = append(statement, o)
			}
		}
		update[1].Value = bson.A{statement}
		return update
	case "readPref":
		return append(command, bson.E{Key: "$readPreference", Value: bson.D{{Key: "mode", Value: args[0]}}})
	case "createCollection":
		return append(bson.D{{Key: "create", Value: args[0]}}, options...)
	}
	panic("no method " + name)
}

// constructor reports whether a value is made by a call that construct knows.
func (p *literals) constructor(text string) bool {
	for _, name := range []string{"ObjectId(", "Number(", "String(", "new Date("} {
		if strings.HasPrefix(text, name) {
			return true
		}
	}
	return false
}

func (p *literals) construct() any {
	name := p.match(`ObjectId|Number|String|new Date`)
	p.need("(")
	args := p.list(")")
	switch name {
	case "ObjectId":
		id, err := bson.ObjectIDFromHex(args[0].(string))
		if err != nil {
			panic(err)
		}
		return id
	case "Number":
		n, err := strconv.ParseFloat(args[0].(string), 64)
		if err != nil {
			panic(err)
		}
		return n
	case "String":
		return strconv.Itoa(int(args[0].(int32)))
	}
	return date(args[0].(string))
}
