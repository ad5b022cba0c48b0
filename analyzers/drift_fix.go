package analyzers

import (
	"strings"

	"mongoadvisor/internal/analysis"
	"mongoadvisor/internal/op"
)

// casts say how a value becomes the kind that is kept: in mongosh, in an
// expression, as the type of a schema, and as the type that is converted.
var casts = [kinds]struct{ shell, expression, schema, from string }{
	kindID:         {"ObjectId(<%>)", "$toObjectId", "objectId", "string"},
	kindIDText:     {"<%>.toString()", "$toString", "string", "objectId"},
	kindNumber:     {"Number(<%>)", "$toDouble", "number", "string"},
	kindNumberText: {"String(<%>)", "$toString", "string", "number"},
	kindDate:       {"new Date(<%>)", "$toDate", "date", "string"},
	kindDateText:   {"<%>.toISOString()", "$toString", "string", "date"},
}

// driftFix casts at the caller, converts what is stored when convert is set, and
// keeps the other type out. The last two do not reach into arrays.
func driftFix(ns op.Namespace, path string, keep typeKind, inArray, convert bool) analysis.Fix {
	path = indexable(path)
	c := casts[keep]
	fix := analysis.Fix{
		Text: "Cast at the caller, where the value comes in, to " + keep.words() + "; then let a validator keep the other type out. If the collection has a validator already, add the property to it.",
	}
	var lines []string
	if convert && !inArray {
		fix.Text = "Decide for one type, cast to it at the caller, and convert what is stored. Then let a validator keep the other type out; if the collection has one already, add the property to it."
		lines = append(lines, coll(ns)+".updateMany({ "+field(path)+": { $type: "+quote(c.from)+" } }, [{ $set: { "+field(path)+": { "+c.expression+": "+quote("$"+path)+" } } }])")
	}
	lines = append(lines, coll(ns)+".find({ "+field(path)+": "+strings.ReplaceAll(c.shell, "%", last(path))+" })")
	if !inArray {
		lines = append(lines, "db.runCommand({ collMod: "+quote(ns.Coll)+", validator: { $jsonSchema: { properties: "+schemaOf(path, c.schema)+" } }, validationLevel: \"moderate\" })")
	}
	fix.Mongosh = strings.Join(lines, "\n")
	return fix
}

// schemaOf nests the properties of a dotted path. Null stays allowed.
func schemaOf(path, bsonType string) string {
	name, rest, more := strings.Cut(path, ".")
	inner := "{ bsonType: [" + quote(bsonType) + ", \"null\"] }"
	if more {
		inner = "{ properties: " + schemaOf(rest, bsonType) + " }"
	}
	return "{ " + field(name) + ": " + inner + " }"
}
