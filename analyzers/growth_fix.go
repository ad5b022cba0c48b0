package analyzers

import (
	"strings"

	"mongoadvisor/internal/analysis"
)

// growthFix proposes a collection of its own and a bounded preview.
func growthFix(g growth, path string) analysis.Fix {
	if indexable(path) == "" || strings.Contains(path, "<") && g.Kind != growSet {
		return analysis.Fix{Text: "Keep the elements in a collection of their own, and embed only a bounded part with $each and $slice."}
	}
	name, parent := last(path), singular(g.NS.Coll)
	child := collName(childName(g.NS.Coll, name))
	ref := field(parent + "Id")
	if g.Kind == growSet {
		return analysis.Fix{
			Text: "If the values are few and known, say so under bounded in the configuration. Else keep them as edges in a collection of their own: a unique index makes the set.",
			Mongosh: child + ".createIndex({ " + ref + ": 1, value: 1 }, { unique: true })\n" +
				child + ".updateOne({ " + ref + ": <" + parent + " id>, value: <value> }, { $setOnInsert: { at: new Date() } }, { upsert: true })",
		}
	}
	element := "...<element>"
	if g.Scalar {
		element = "value: <element>"
	}
	before := strings.TrimSuffix(path, name) // positions in it stay: the server needs them
	recent, count := before+"recent"+title(name), before+singular(name)+"Count"
	return analysis.Fix{
		Text: "Store each element as a document of its own collection, indexed by its parent, and embed only the newest few with $each and $slice. Elements ordered by time can go into buckets instead.",
		Mongosh: child + ".insertOne({ " + ref + ": <" + parent + " id>, createdAt: new Date(), " + element + " })\n" +
			child + ".createIndex({ " + ref + ": 1, createdAt: -1 })\n" +
			coll(g.NS) + ".updateOne({ _id: <" + parent + " id> }, { $push: { " + field(recent) + ": { $each: [<element>], $slice: -10 } }, $inc: { " + field(count) + ": 1 } })",
	}
}

// childName is the collection for the elements: their own name when that says
// enough ("comments"), else with the parent's ("postLog").
func childName(parent, name string) string {
	if len(name) > 4 && strings.HasSuffix(name, "s") && name != parent {
		return name
	}
	return singular(parent) + title(name)
}
