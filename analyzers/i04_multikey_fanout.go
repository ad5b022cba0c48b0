package analyzers

import (
	"strings"

	"go.mongodb.org/mongo-driver/v2/x/bsonx/bsoncore"

	"mongoadvisor/internal/analysis"
	"mongoadvisor/internal/op"
)

func multikeyFanout() *analysis.Analyzer {
	return &analysis.Analyzer{
		ID: "I04", Name: "multikey-fanout", Since: "0.2.0", Severity: analysis.Medium,
		Title:    "Index with an entry for each element of a long array",
		Commands: append([]string{"createIndexes"}, arrayCommands...), Run: runMultikeyFanout, State: arrayState(),
		Reasons: []analysis.Reason{
			{Name: "fanout", Doc: "indexes on an array that is long"},
			{Name: "parallel-arrays", Doc: "a write was refused because an index would hold two arrays of one document (171)"},
		},
		Limits: []analysis.Limit{
			{Name: "elements", Default: longElements, Unit: "elements", Doc: "an indexed array that is longer is reported"},
			{Name: "reported-elements", Default: 1000, Unit: "elements", Doc: "length from which that holds for an array that W01 or S01 reports"},
			{Name: "entries", Default: 10_000, Unit: "entries", Doc: "index entries of one document (elements times indexes) from which it is high"},
		},
		Doc: analysis.Doc{
			What: "A write to a long array, or a document written with one, where an index seen in the traffic (`createIndexes`, `listIndexes`) has the array or a field of its elements among its keys; and writes and index builds refused with error 171.",
			Why: "Each element is an entry of each such index: an insert and a delete of the document writes them all, and an append computes them all. Measured on MongoDB 6.0.5 with documents as elements, median of one append with no, one and two such indexes: at 250 elements 0.5, 0.6 and 1.0 ms, at 1,000 0.8, 1.6 and 3.0 ms, at 10,000 5, 9 and 15 ms; one delete at 10,000 took 0.4, 11 and 36 ms. " +
				"An index on two fields that are both arrays in one document cannot be: the write that would make them so is refused.",
			Fix:    "Move the elements out and index them there, an entry a document; or index a bounded part of the array. For two arrays: one array of documents with both values, or an index for each.",
			Guards: "Silent up to 250 elements; up to 1,000 where W01 or S01 reports the array itself; when no index of the collection was seen. Hidden indexes count: they are written as well. Wrong here when the searches that the index serves are worth its writes.",
			Lesson: "Unbounded arrays (50,000 elements in two indexes are 100,000 entries), index internals.",
		},
	}
}

func runMultikeyFanout(p *analysis.Pass) {
	if p.Op.Reply.Code == 171 {
		reportParallel(p)
	}
	a := learnt(p)
	for _, g := range a.grown {
		n := g.Array.longest
		if g.Track != nil {
			n = max(n, g.Track.least())
		}
		judgeIndexFanout(p, g.NS, g.Statement, g.Array, n, g.Scalar)
	}
	for _, l := range a.long {
		if l.Written {
			judgeIndexFanout(p, l.NS, l.Statement, l.Array, l.Length, l.Of != bsoncore.TypeEmbeddedDocument)
		}
	}
}

func judgeIndexFanout(p *analysis.Pass, ns op.Namespace, statement int, x *array, n int64, scalar bool) {
	limit := p.Limit("elements") + 1
	if x.taught() {
		limit = max(limit, p.Limit("reported-elements"))
	}
	if n < limit || x.path == "" || strings.Contains(x.path, "<") {
		return
	}
	indexes, known := p.Env.Indexes(ns)
	if !known {
		return
	}
	var on []op.Index
	for _, ix := range indexes {
		if indexHolds(ix, x.path) {
			on = append(on, ix)
		}
	}
	if len(on) > 0 {
		reportFanout(p, ns, statement, x, n, limit, on, scalar)
	}
}

// indexHolds reports whether an index has an entry for each element of the array.
func indexHolds(ix op.Index, path string) bool {
	for _, k := range ix.Keys {
		wild, all := strings.CutSuffix(k.Path, "$**")
		switch {
		case k.Path == path, strings.HasPrefix(k.Path, path+"."), all && strings.HasPrefix(path+".", wild):
			return true
		}
	}
	return false
}

func reportFanout(p *analysis.Pass, ns op.Namespace, statement int, x *array, n, limit int64, on []op.Index, scalar bool) {
	entries := n * int64(len(on))
	f := analysis.Finding{
		Reason: "fanout", Statement: statement, NS: ns, Shape: op.TextShape("{indexes: " + x.path + "}"), Fields: []string{x.path},
		Confidence: analysis.Observed,
		Message:    "each element of array " + x.path + " is an entry of an index, and the array is long",
		Advice:     "Inserting or deleting the document writes all these entries, and each append computes them.",
		Caveat:     "the searches that the index serves may be worth its writes",
		Fix:        indexFanoutFix(ns, x.path, on, scalar),
		Evidence: []analysis.Evidence{
			{Name: "elements", Value: n, Limit: limit, Unit: "elements"},
			{Name: "indexes", Value: int64(len(on)), Unit: "indexes"},
			{Name: "entries_per_document", Value: entries, Limit: p.Limit("entries"), Unit: "entries"},
		},
	}
	if entries >= p.Limit("entries") {
		f.Severity, f.Override = analysis.High, true
	}
	p.Report(f)
}

func reportParallel(p *analysis.Pass) {
	p.Report(analysis.Finding{
		Reason: "parallel-arrays", NS: firstNS(p.Op), Shape: op.TextShape("{indexes: parallel arrays}"), Fields: []string{}, Confidence: analysis.Confirmed,
		Severity: analysis.High, Override: true,
		Message: "a compound index has two fields that are arrays in one document",
		Advice:  "The index would need an entry for each pair of elements. The server refuses the write, or the build of the index.",
		Caveat:  "one of the two fields may be an array by mistake",
		Fix: analysis.Fix{
			Text: "Keep the two values of a pair together in one array of documents and index that, or give each array an index of its own.",
			Mongosh: coll(firstNS(p.Op)) + ".createIndex({ <array>: 1 })\n" +
				coll(firstNS(p.Op)) + ".createIndex({ <other array>: 1 })",
		},
	})
}

// indexFanoutFix moves the elements to where they are an entry each, and hides the
// indexes on the array: hiding can be taken back, dropping cannot.
func indexFanoutFix(ns op.Namespace, path string, on []op.Index, scalar bool) analysis.Fix {
	fix := growthFix(growth{NS: ns, Path: path, Kind: growPush, Scalar: scalar}, path)
	parent, child := singular(ns.Coll), collName(childName(ns.Coll, last(path)))
	fix.Text = "Move the elements into documents of their own, where each is one entry, and embed the newest few. Then hide the indexes on the array, and drop them when nothing misses them."
	for _, ix := range on {
		for _, k := range ix.Keys {
			name, below := strings.CutPrefix(k.Path, path+".")
			if k.Path == path {
				name, below = "value", scalar
			}
			if clean := op.Path(name); below && indexable(clean) == clean {
				fix.Mongosh += "\n" + child + ".createIndex({ " + field(clean) + ": 1, " + field(parent+"Id") + ": 1 })"
			}
		}
		fix.Mongosh += "\n" + coll(ns) + ".hideIndex(" + keyPattern(ix) + ")"
	}
	return fix
}

// keyPattern writes the keys of an index, which name it where its name may be data.
func keyPattern(ix op.Index) string {
	var keys []string
	for _, k := range ix.Keys {
		kind := "<kind>"
		switch k.Kind {
		case "1", "-1":
			kind = k.Kind
		case "2d", "2dsphere", "hashed", "text":
			kind = quote(k.Kind)
		}
		keys = append(keys, field(op.Path(k.Path))+": "+kind)
	}
	return "{ " + strings.Join(keys, ", ") + " }"
}
