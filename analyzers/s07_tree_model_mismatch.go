package analyzers

import (
	"mongoadvisor/internal/analysis"
	"mongoadvisor/internal/op"
	"mongoadvisor/internal/sketch"
)

func treeModelMismatch() *analysis.Analyzer {
	return &analysis.Analyzer{
		ID: "S07", Name: "tree-model-mismatch", Since: "0.2.0", Severity: analysis.Medium,
		Title:    "Tree stored in a form that does not fit what is done with it",
		Commands: []string{"find", "aggregate", "getMore", "update", "findAndModify", "bulkWrite"}, Run: runTreeModelMismatch, State: trailState(),
		Reasons: []analysis.Reason{
			{Name: "nested-set-churn", Doc: "a nested set is renumbered again and again"},
			{Name: "path-regex", Doc: "a materialized path is searched by a regular expression that does not start at the root, or with option `i`"},
			{Name: "child-array", Doc: "each new child is added to an array in its parent"},
			{Name: "recursive-reads", Doc: "the tree is walked query by query: each asks for what the reply before referred to"},
		},
		Limits: []analysis.Limit{
			{Name: "renumberings", Default: 3, Unit: "updates", Doc: "renumberings of one collection within three minutes from which each is reported"},
			{Name: "child-pushes", Default: 3, Unit: "pushes", Doc: "additions to arrays of children of one collection from which each is reported"},
			{Name: "many-children", Default: 10, Unit: "pushes", Doc: "additions to one parent from which it is medium"},
			{Name: "depth", Default: 3, Unit: "queries", Doc: "queries in a chain from which it is a walk"},
			{Name: "siblings", Default: 10, Unit: "queries", Doc: "queries for different nodes of one reply within a second from which it is a walk"},
			{Name: "walks", Default: 3, Unit: "walks", Doc: "walks through one collection within a minute from which each is reported"},
		},
		Doc: analysis.Doc{
			What: "A tree in one collection whose model is at odds with its traffic. Nested sets: updates of many documents that move `lft` and `rgt` (or `left` and `right`) by an even number from some number on; both numbers of a renumbering are one finding. " +
				"Materialized paths: a regular expression with the separator in it, on a field that holds paths as the reply shows (`,books,novels,`, `/books/novels`), that is not anchored or ignores case. " +
				"Child references: `$push` and `$addToSet` to `children`, `childIds`, `subcategories` and the like. Parent references: a chain of queries on one collection, each for a value of the reply before (`find({ _id: parent })`, `find({ parentId: _id })`), or many for the nodes of one reply.",
			Why: "Each model makes some questions cheap and others dear. A new node in a nested set rewrites every node to its right. A path is found by an index range only from its beginning, which is the root. " +
				"An array of children grows with every child and is rewritten each time. Parents alone make a round trip of every level.",
			Fix: "Store in each node its parent, and the array of its ancestors with an index: a branch is one equality, a breadcrumb is in the document, a new node is one insert. Or a path that begins at the root and with the separator, searched by `/^,root,/`.",
			Guards: "Silent for nested sets that rest: below three renumberings within three minutes; for single pushes; for walks of two levels and for fewer than three walks a minute; for regular expressions beside a condition that an index serves, and where no reply shows a path (then Q01 and Q02 speak). " +
				"Arrays that the update cuts or bounds, or that the configuration names under `bounded`, are no child arrays. `$graphLookup` is A04's. Low until one parent has got ten children. " +
				"Wrong here for a tree that is small and read whole, and for a nested set that is built just now.",
			Lesson: "Tree structures: parent, child, ancestors, materialized paths, nested sets.",
		},
	}
}

func runTreeModelMismatch(p *analysis.Pass) {
	switch p.Op.Command {
	case "find", "aggregate", "getMore":
		t := follow(p)
		if t.walk(p.Limit("depth"), p.Limit("siblings")) {
			reportWalk(p, t)
		}
		reportPathRegex(p)
	default:
		t := p.State().(*trail)
		statements := p.Op.Statements()
		for i := range statements {
			if path := renumbers(&statements[i]); path != "" {
				reportNested(p, t, i, path)
			}
		}
		reportChildren(p, t)
	}
}

func reportWalk(p *analysis.Pass, t *trail) {
	l := t.link
	w := entry(t.walks, l.Child, func() *walks { return &walks{recent: sketch.NewRate(burstTime * 60)} })
	if w == nil {
		return
	}
	w.depth = max(w.depth, l.From.depth+1)
	n, limit := w.recent.Add(p.Op.Time, 1), p.Limit("walks")
	if n < limit {
		return
	}
	from, by, c := op.Path(l.Path), op.Path(l.Field), coll(l.Child.ns)
	parent := from
	if pathName, _ := pathStem(from); pathName == "" || childArray(from) {
		parent = by
	}
	f := analysis.Finding{
		Reason: "recursive-reads", Confidence: analysis.Observed, Fields: []string{parent}, NS: l.Child.ns,
		Shape:   op.TextShape("{tree: {" + by + ": " + from + "}}"),
		Message: op.Path(l.Child.ns.Coll) + " is walked node by node: each query asks by " + by + " for what " + from + " of the reply before says",
		Advice:  "Every level of the tree is a round trip, and the next one cannot start before it is over.",
		Caveat:  "the tree may be shallow and the walk seldom; a form that opens one level at a click walks on purpose",
		Fix:     ancestorsFix(c, parent),
		Evidence: []analysis.Evidence{
			{Name: "walks_per_minute", Value: n, Limit: limit, Unit: "walks"},
			{Name: "depth", Value: int64(w.depth), Limit: p.Limit("depth"), Unit: "queries"},
		},
	}
	p.Report(f)
}

// ancestorsFix stores the way to the root in each node.
func ancestorsFix(c, parent string) analysis.Fix {
	fix := analysis.Fix{Text: "Store the ids of all ancestors in each node beside its parent, from the root down, and index them: a whole branch is one equality, a breadcrumb is in the document, and a new node is one insert."}
	parent = indexable(parent)
	if parent == "" || parent == "_id" || childArray(parent) {
		parent = "parent"
	}
	fix.Mongosh = c + ".updateOne({ _id: <id> }, { $set: { " + field(parent) + ": <parent id>, ancestors: [<root id>, <parent id>] } })\n" +
		c + ".createIndex({ ancestors: 1 })\n" +
		c + ".find({ ancestors: <root id> })"
	return fix
}
