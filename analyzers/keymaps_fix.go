package analyzers

import (
	"strings"

	"mongoadvisor/internal/analysis"
	"mongoadvisor/internal/op"
)

// keyFix makes the key a value: of an attribute when a document has few of them,
// else of a document of its own.
func keyFix(ns op.Namespace, prefix string, k mapKey, few bool) analysis.Fix {
	fix := analysis.Fix{Text: "Make the key a value: a small document for each in a collection of its own, or an array of {k, v} where a document has few of them."}
	if indexable(prefix) != prefix {
		return fix // in an array, or below another key that is data
	}
	c := coll(ns)
	if few {
		fix.Text = "Make the keys values of an array (attribute pattern): one index serves them all."
		attribute := "[{ k: <key>, v: <value> }]"
		names := strings.Split(prefix, ".")
		for i := len(names) - 1; i >= 0; i-- {
			attribute = "{ " + field(names[i]) + ": " + attribute + " }"
		}
		fix.Mongosh = c + ".insertOne(" + attribute + ")\n" + c + ".createIndex({ " + quote(prefix+".k") + ": 1, " + quote(prefix+".v") + ": 1 })"
		return fix
	}
	fix.Text = "Keep a small document for each key in a collection of its own, found by its parent and the key. Where a document has only few keys, an array of {k, v} does, too."
	child, ref := collName(childName(ns.Coll, last(prefix))), field(singular(ns.Coll)+"Id")
	value := indexable(op.Path(k.Rest))
	if value == "" {
		value = "value"
	}
	change := "$set: { " + field(value) + ": <value> }"
	if k.Operator == "$inc" {
		change = "$inc: { " + field(value) + ": <n> }"
	}
	fix.Mongosh = child + ".createIndex({ " + ref + ": 1, key: 1 }, { unique: true })\n" +
		child + ".updateOne({ " + ref + ": <" + singular(ns.Coll) + " id>, key: <key> }, { " + change + " }, { upsert: true })"
	return fix
}
