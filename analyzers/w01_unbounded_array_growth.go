package analyzers

import (
	"hash/fnv"
	"strings"

	"mongoadvisor/internal/analysis"
	"mongoadvisor/internal/op"
)

func unboundedArrayGrowth() *analysis.Analyzer {
	return &analysis.Analyzer{
		ID: "W01", Name: "unbounded-array-growth", Since: "0.1.0", Severity: analysis.Info,
		Title:    "Array that only grows",
		Commands: updateCommands, Run: runUnboundedArrayGrowth,
		Reasons: []analysis.Reason{
			{Name: string(growPush), Doc: "$push without an effective $slice"},
			{Name: string(growSet), Doc: "$addToSet, which only the number of different values bounds"},
			{Name: string(growConcat), Doc: "a pipeline update that appends to the array without $slice"},
			{Name: string(growMerge), Doc: "the same in whenMatched of $merge"},
		},
		Limits: []analysis.Limit{
			{Name: "growth-pushes", Default: 10, Unit: "pushes", Doc: "pushes to one document from which growth counts as observed: medium"},
			{Name: "many-pushes", Default: 1000, Unit: "pushes", Doc: "pushes to one document from which it is high"},
		},
		State: &analysis.StateSpec{Scope: analysis.ScopeNamespace, New: func() any { return newArrays() }},
		Doc: analysis.Doc{
			What: "An update that adds to an array and nothing that keeps it short: `$push` without `$slice`, `$addToSet`, `$pushAll`, a pipeline update that concatenates the array with itself. All forms are read: positional paths, `arrayFilters`, `findAndModify`, `bulkWrite`, `$merge`.",
			Why: "The array is rewritten as a whole at each change, each element is a key of every multikey index on it, and the document grows towards 16 MiB, where every further write fails while reads still work. " +
				"Measured on MongoDB 6.0.5, median of one append: up to 250 elements 0.5 to 0.7 ms, at 10,000 6 to 9 ms, at 50,000 23 ms without and 121 ms with two multikey indexes.",
			Fix: "Keep the elements in a collection of their own, indexed by the parent, and embed only a bounded part: `$each` with `$slice`. For time-ordered data use buckets. For a set of references use a collection of edges with a unique index.",
			Guards: "Silent when the update cuts the array (`$slice`), when the filter bounds it (`{count: {$lt: 360}}` with `$inc: {count: 1}`, `{\"a.99\": {$exists: false}}`, `$expr` on `$size`), " +
				"when `$pull`, `$pop` or a trimming `$push` on the same array was seen before in the collection and the document has not grown since, and for arrays the configuration names under `bounded`. " +
				"Info until growth of one document is observed, then medium, then high. Wrong here when the business bounds the list, as with a customer's addresses: name it under `bounded`.",
			Lesson: "All three lessons: unbounded arrays; subset, bucket and outlier patterns.",
		},
	}
}

// arrays is what is known of the arrays of one collection.
type arrays struct {
	byPath  map[string]*array
	tracked int // documents in all of them
}

// maxArrays and maxDocuments bound the state of one collection: some 50 KB.
const (
	maxArrays    = 64
	maxDocuments = 1024
)

type array struct {
	trimmed   bool
	pushes    map[uint64]int64 // by hash of _id
	most      int64
	documents int64 // distinct ones that are tracked
}

func newArrays() *arrays { return &arrays{byPath: map[string]*array{}} }

// at is what is known of one array. The collection is part of the key: a
// bulkWrite is about several.
func (a *arrays) at(ns op.Namespace, path string) *array {
	key := ns.String() + "." + anyPosition(op.Path(path))
	if x, ok := a.byPath[key]; ok {
		return x
	}
	if len(a.byPath) >= maxArrays {
		key = ""
		if x, ok := a.byPath[key]; ok {
			return x
		}
	}
	x := &array{pushes: map[uint64]int64{}}
	a.byPath[strings.Clone(key)] = x
	return x
}

// anyPosition makes "posts.$.x", "posts.$[].x" and "posts.$[p].x" one path.
func anyPosition(path string) string {
	if !strings.Contains(path, "$") {
		return path
	}
	segments := strings.Split(path, ".")
	for i, s := range segments {
		if strings.HasPrefix(s, "$") {
			segments[i] = "$"
		}
	}
	return strings.Join(segments, ".")
}

// trim notes that something keeps the array short: of one document, or of any.
func (a *array) trim(s *op.Statement) {
	a.trimmed = true
	if id, ok := target(s); ok {
		if _, known := a.pushes[id]; known {
			a.pushes[id] = 0
		}
		return
	}
	for id := range a.pushes {
		a.pushes[id] = 0
	}
}

// add counts elements pushed to one document. Documents beyond the bound are
// not counted: the figures are "at least".
func (a *arrays) add(to *array, id uint64, n int64) {
	if _, known := to.pushes[id]; !known {
		if a.tracked >= maxDocuments {
			return
		}
		a.tracked++
		to.documents++
	}
	to.pushes[id] += n
	to.most = max(to.most, to.pushes[id])
}

func runUnboundedArrayGrowth(p *analysis.Pass) {
	known := p.State().(*arrays)
	statements := p.Op.Statements()
	for i := range statements {
		s := &statements[i]
		trims(s, func(path string) { known.at(s.NS, path).trim(s) })
	}
	for g := range growths(p.Op) {
		s := &statements[g.Statement]
		if childArray(g.Path) || cutByPush(g) || bounded(s, g.Path) || p.Env.Bounded(g.NS, op.Path(g.Path)) {
			continue
		}
		state := known.at(g.NS, g.Path)
		id, ok := target(s)
		if ok && grew(p.Op, len(statements)) {
			known.add(state, id, int64(max(g.Elements, 1)))
		}
		if state.trimmed && state.pushes[id] < p.Limit("growth-pushes") {
			continue // something keeps it short, and this document has not shown otherwise
		}
		reportGrowth(p, g, state)
	}
}

// cutByPush reports whether $push has modifiers that W02 judges, or adds
// nothing.
func cutByPush(g growth) bool {
	if g.Pushed == nil {
		return false
	}
	return g.Elements == 0 || op.Get(g.Pushed, "$slice").Type != 0 || op.Get(g.Pushed, "$each").Type == 0
}

// target hashes the _id an update is for.
func target(s *op.Statement) (uint64, bool) {
	for pred := range (op.Filter{Doc: s.Filter}).Predicates() {
		if pred.Path == "_id" && pred.Op == "$eq" && !pred.Negated && !pred.Or {
			h := fnv.New64a()
			_, _ = h.Write([]byte{byte(pred.Value.Type)})
			_, _ = h.Write(pred.Value.Data)
			return h.Sum64(), true
		}
	}
	return 0, false
}

// grew reports whether the reply allows that the array grew: an $addToSet of a
// value that was there changes nothing.
func grew(o *op.Operation, statements int) bool {
	return o.Command != "update" || statements > 1 || !o.Reply.Seen || o.Reply.Modified > 0 || o.Reply.Upserted > 0
}

func reportGrowth(p *analysis.Pass, g growth, state *array) {
	path := op.Path(g.Path)
	f := analysis.Finding{
		Reason: string(g.Kind), Statement: g.Statement, NS: g.NS, Shape: g.shape(), Fields: []string{path},
		Message: "array " + path + " only grows: " + growthWords[g.Kind],
		Advice:  "The whole array is rewritten at each change and the document grows towards 16 MiB, where every further write to it fails.",
		Caveat:  "a list that the business bounds, such as the addresses of a customer: name it under bounded in the configuration",
		Fix:     growthFix(g, path),
		Evidence: []analysis.Evidence{
			{Name: "pushes_to_one_document", Value: state.most, Limit: p.Limit("growth-pushes"), Unit: "elements"},
			{Name: "documents", Value: state.documents, Unit: "documents"},
		},
	}
	switch {
	case g.Kind == growSet && state.most < p.Limit("many-pushes"):
	case state.most >= p.Limit("many-pushes"):
		f.Severity, f.Override, f.Confidence = analysis.High, true, analysis.Observed
	case state.most >= p.Limit("growth-pushes"):
		f.Severity, f.Override, f.Confidence = analysis.Medium, true, analysis.Observed
	}
	p.Report(f)
}

var growthWords = map[growthKind]string{
	growPush:   "$push without $slice, and no bound in the filter",
	growSet:    "$addToSet adds every new value, and only the number of different values bounds it",
	growConcat: "a pipeline update appends to it without $slice",
	growMerge:  "$merge appends to it without $slice",
}

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
	before := strings.TrimSuffix(path, name) // positions in it stay: the server needs them
	recent, count := before+"recent"+title(name), before+singular(name)+"Count"
	return analysis.Fix{
		Text: "Store each element as a document of its own collection, indexed by its parent, and embed only the newest few with $each and $slice. Elements ordered by time can go into buckets instead.",
		Mongosh: child + ".insertOne({ " + ref + ": <" + parent + " id>, ...<element> })\n" +
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
