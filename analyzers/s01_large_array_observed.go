package analyzers

import (
	"go.mongodb.org/mongo-driver/v2/x/bsonx/bsoncore"

	"mongoadvisor/internal/analysis"
	"mongoadvisor/internal/op"
)

func largeArrayObserved() *analysis.Analyzer {
	return &analysis.Analyzer{
		ID: "S01", Name: "large-array-observed", Since: "0.2.0", Severity: analysis.Low,
		Title:    "Long array in a document",
		Commands: arrayCommands, Run: runLargeArrayObserved, State: arrayState(),
		Reasons: []analysis.Reason{
			{Name: "large", Doc: "the array is long in documents of the collection"},
			{Name: "outlier", Doc: "it is long in less than one document of a hundred"},
		},
		Limits: []analysis.Limit{
			{Name: "elements", Default: longElements, Unit: "elements", Doc: "length from which it is low; not below 250"},
			{Name: "many-elements", Default: 1000, Unit: "elements", Doc: "length from which it is medium, and from which it is said of arrays the configuration names under bounded"},
			{Name: "very-many-elements", Default: 10_000, Unit: "elements", Doc: "length from which it is high"},
			{Name: "outlier-documents", Default: 200, Unit: "documents", Doc: "documents that must have been seen before one is called an outlier"},
		},
		Doc: analysis.Doc{
			What: "The longest array at each path in documents that are inserted, replaced or returned as they are stored. Only arrays that hold documents, ids or strings count from 250 elements on; others from 1,000, and arrays of numbers (vectors, coordinates) from 16,384.",
			Why: "Every read of the document carries the whole array, every change of it writes the whole array, and every index on it has an entry for each element. The long tail comes first: one popular document shows where the others go. " +
				"Levels of others: Atlas warns from 10,000 elements, Compass from 250 when they are documents, ids or strings.",
			Fix: "Elements in a collection of their own, and in the document the few that are read with it. For an outlier: the first few hundred in the document, a flag, and the rest in documents of their own.",
			Guards: "Silent while W01 reports growth of the same array: its fix is the same. Silent where a projection computes or cuts arrays, for results of aggregations that do more than filter and order, for GridFS chunks and time series. " +
				"Of one operation the first 32 documents are looked at, each to a depth of 8 and 4,096 fields; of a document that was not kept whole the elements at its beginning are counted. Which of the two reasons it is, is decided when the array is first reported. Wrong here when the array is always read and written as a whole.",
			Lesson: "Unbounded arrays (\"the long tail is the first sign\"), subset and outlier patterns.",
		},
	}
}

func runLargeArrayObserved(p *analysis.Pass) {
	a := learnt(p)
	for _, l := range a.long {
		x := l.Array
		severity, limit, ok := step(p, x.longest, rung{"elements", analysis.Low}, rung{"many-elements", analysis.Medium}, rung{"very-many-elements", analysis.High})
		if !ok || l.Quiet || x.grows || x.path == "" || x.longest < p.Limit("many-elements") && p.Env.Bounded(l.NS, x.path) {
			continue
		}
		if x.large == "" {
			x.large = "large"
			if seen := a.seen(l.NS); seen >= p.Limit("outlier-documents") && x.above*100 < seen {
				x.large = "outlier"
			}
		}
		reportLarge(p, l, severity, limit, a.seen(l.NS))
	}
}

func reportLarge(p *analysis.Pass, l longArray, severity analysis.Severity, limit, seen int64) {
	x := l.Array
	f := analysis.Finding{
		Reason: x.large, Statement: l.Statement, NS: l.NS, Shape: op.TextShape("{array: " + x.path + "}"), Fields: []string{x.path},
		Severity: severity, Override: true, Confidence: analysis.Observed,
		Message: "array " + x.path + " is long",
		Advice:  "The whole array is read with its document and written at each change of it. Atlas warns from 10,000 elements, Compass from 250.",
		Caveat:  "the array may always be read and written as a whole, and grow no more",
		Fix:     growthFix(growth{NS: l.NS, Path: x.path, Kind: growPush, Scalar: l.Of != bsoncore.TypeEmbeddedDocument}, x.path),
		Evidence: []analysis.Evidence{
			{Name: "longest", Value: x.longest, Limit: limit, Unit: "elements"},
			{Name: "documents_above", Value: x.above, Unit: "documents"},
			{Name: "documents_seen", Value: seen, Unit: "documents"},
		},
	}
	if x.large == "outlier" {
		f.Message += " in few documents"
		f.Fix = outlierFix(l.NS, x.path)
	}
	if p95 := x.p95(seen); p95 > 0 {
		f.Evidence = append(f.Evidence, analysis.Evidence{Name: "p95_at_least", Value: p95, Unit: "elements"})
	}
	f.Evidence = append(f.Evidence, analysis.Evidence{Name: "compass_level", Value: 250, Unit: "elements"}, analysis.Evidence{Name: "atlas_level", Value: 10_000, Unit: "elements"})
	p.Report(f)
}

// p95 is a length that 5 of 100 documents reach, to a power of two; 0 when fewer
// have a long array, or nobody knows of how many.
func (x *array) p95(seen int64) int64 {
	if seen == 0 {
		return 0
	}
	above := int64(0)
	for i := len(x.lengths) - 1; i > 0; i-- {
		if above += x.lengths[i]; above*20 >= seen && above > 0 {
			return max(int64(1)<<(i-1), longElements)
		}
	}
	return 0
}

// outlierFix keeps the usual case in the document and the rest beside it.
func outlierFix(ns op.Namespace, path string) analysis.Fix {
	parent, name := singular(ns.Coll), last(path)
	rest, ref := collName(ns.Coll+"_overflow"), field(parent+"Id")
	return analysis.Fix{
		Text: "Bound the array in the document, flag the document that has more, and keep the rest in documents of its own.",
		Mongosh: coll(ns) + ".updateOne({ _id: <" + parent + " id>, " + quote(path+".249") + ": { $exists: false } }, { $push: { " + field(path) + ": <element> } })\n" +
			rest + ".createIndex({ " + ref + ": 1, page: 1 })\n" +
			rest + ".updateOne({ " + ref + ": <" + parent + " id>, page: <page>, count: { $lt: 250 } }, { $push: { " + field(name) + ": <element> }, $inc: { count: 1 } }, { upsert: true })\n" +
			coll(ns) + ".updateOne({ _id: <" + parent + " id> }, { $set: { hasOverflow: true } })",
	}
}
