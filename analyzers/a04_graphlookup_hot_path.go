package analyzers

import (
	"go.mongodb.org/mongo-driver/v2/x/bsonx/bsoncore"

	"mongoadvisor/internal/analysis"
	"mongoadvisor/internal/op"
)

func graphLookupHotPath() *analysis.Analyzer {
	return &analysis.Analyzer{
		ID: "A04", Name: "graphlookup-hot-path", Since: "0.2.0", Severity: analysis.Medium,
		Title:    "A tree walked by $graphLookup again and again",
		Commands: []string{"aggregate", "find", "count", "distinct"}, Run: runGraphLookupHotPath, Wants: op.TraitGraph, State: joinState(),
		Reasons: []analysis.Reason{
			{Name: "repeated", Doc: "a `$graphLookup` with maxDepth runs often"},
			{Name: "no-max-depth", Doc: "a `$graphLookup` without maxDepth runs often: it goes as deep as the data does"},
		},
		Limits: []analysis.Limit{
			{Name: "per-minute", Default: 10, Unit: "operations", Doc: "calls of one search within a minute from which it is reported, as medium"},
			{Name: "high-rate", Default: 100, Unit: "operations", Doc: "calls within a minute from which one without maxDepth is high"},
		},
		Doc: analysis.Doc{
			What: "`$graphLookup` at any depth of a pipeline and in views. Calls are added up by collection, from and the two connecting fields; each call beyond the limit counts.",
			Why: "It asks the collection once for each level, and for everything found so far, until nothing new comes. Its result has to fit into one document, and into memory before. " +
				"Measured on MongoDB 6.0.5, in a tree of 5,461 nodes, the 1,364 below one node: 29 ms without an index on the connecting field, 6.9 ms with one, and 2.5 ms as an equality on the stored ancestors. " +
				"A tree is read far more often than it is changed.",
			Fix:    "Store in each node the list of its ancestors: what is below a node is then one indexed equality, and the way up is in the node itself. When a node moves, the lists of those below it are rewritten. Until then, index the field of connectToField and set maxDepth.",
			Guards: "Silent below ten calls a minute, and for applications that say they report. Wrong here when the graph changes as often as it is read, or is no tree: with several ways to a node, a list of ancestors does not tell which.",
			Lesson: "Tree patterns: array of ancestors; the use case of the category page.",
		},
	}
}

func runGraphLookupHotPath(p *analysis.Pass) {
	statements := p.Op.Statements()
	for i := range statements {
		s := &statements[i]
		if !mayJoin(s.Pipeline) || reporting(p.Op.Conn) || stores(s.Pipeline) {
			continue
		}
		for st := range s.Stages() {
			if st.Name == "$graphLookup" {
				judgeGraph(p, i, st)
			}
		}
	}
}

func judgeGraph(p *analysis.Pass, statement int, st op.Stage) {
	spec := op.Doc(st.Value)
	from := op.LookupFrom(spec, st.NS)
	up, to := op.Path(op.Str(op.Get(spec, "connectFromField"))), op.Path(op.Str(op.Get(spec, "connectToField")))
	shape := op.TextShape("{$graphLookup: {from: " + op.Path(from.Coll) + ", connectFromField: " + up + ", connectToField: " + to + "}}")
	search, perMinute := p.State().(*joins).count(shape.ID, p.Now)
	as := op.Str(op.Get(spec, "as"))
	if st.Depth == 0 {
		search.longest = max(search.longest, longestArray(p.Op.Reply, as))
		search.deepest = max(search.deepest, deepest(p.Op.Reply, as, op.Str(op.Get(spec, "depthField"))))
	}
	if perMinute < p.Limit("per-minute") || from.Coll == "" {
		return
	}
	f := analysis.Finding{
		Reason: "repeated", Statement: statement, NS: st.NS, Shape: shape, Fields: []string{to}, Confidence: analysis.Observed,
		Message:  op.Path(from.Coll) + " is searched from " + up + " to " + to + " by $graphLookup again and again",
		Advice:   "Each call walks the tree level by level, for an answer that changes only when the tree does.",
		Caveat:   "the graph may change as often as it is read, or have several ways to a node",
		Fix:      graphFix(from, up, to),
		Evidence: []analysis.Evidence{{Name: "per_minute", Value: perMinute, Limit: p.Limit("per-minute"), Unit: "operations"}},
	}
	if to == "_id" {
		f.Fields = []string{up}
	}
	if op.Get(spec, "maxDepth").Type == 0 {
		f.Reason, f.Message = "no-max-depth", f.Message+", as deep as it goes"
		if perMinute >= p.Limit("high-rate") {
			f.Severity, f.Override = analysis.High, true
			f.Evidence[0].Limit = p.Limit("high-rate")
		}
	}
	if st.Depth > 0 {
		f.Message += ", in " + st.Path
	}
	if search.longest > 0 {
		f.Evidence = append(f.Evidence, analysis.Evidence{Name: "longest_result", Value: int64(search.longest), Unit: "documents"})
	}
	if search.deepest > 0 {
		f.Evidence = append(f.Evidence, analysis.Evidence{Name: "deepest", Value: int64(search.deepest), Unit: "levels"})
	}
	p.Report(f)
}

// deepest is how many levels the documents of a reply show, when the search says
// at which depth it found each.
func deepest(r op.Reply, as, depth string) int {
	levels := 0
	if depth == "" {
		return 0
	}
	for _, d := range r.Docs[:min(len(r.Docs), maxReplyDocs)] {
		if found := op.Get(d, as); found.Type == bsoncore.TypeArray {
			for item := range op.Items(op.Arr(found)) {
				if n, ok := op.Int(op.Get(op.Doc(item), depth)); ok {
					levels = max(levels, int(n)+1)
				}
			}
		}
	}
	return levels
}

// graphFix stores the ancestors: below a node they are an equality, above it they
// are in the node.
func graphFix(from op.Namespace, up, to string) analysis.Fix {
	c := coll(from)
	if to == "_id" {
		return analysis.Fix{
			Text: "Store in each node the list of its ancestors, from " + up + " upwards: the way up comes with the node, and their documents with one query by _id.",
			Mongosh: c + ".findOne({ _id: <node> }, { ancestors: 1 })\n" +
				c + ".find({ _id: { $in: [<ancestors of the node>] } })",
		}
	}
	fix := analysis.Fix{Text: "Store in each node the list of its ancestors: what is below a node is one indexed equality, and the way up is in the node. Until then, index " + to + ", set maxDepth, and let $project take only what is shown."}
	if indexable(to) != "" {
		fix.Mongosh = indexLine(from, to) + "  // as long as the search stays\n"
	}
	fix.Mongosh += c + ".createIndex({ ancestors: 1 })\n" + c + ".find({ ancestors: <node> })"
	return fix
}
