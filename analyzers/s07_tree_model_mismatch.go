package analyzers

import (
	"strings"

	"mongoadvisor/internal/analysis"
	"mongoadvisor/internal/op"
	"mongoadvisor/internal/regex"
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

func reportNested(p *analysis.Pass, t *trail, statement int, path string) {
	s := &p.Op.Statements()[statement]
	known := t.space(s.NS)
	if known == nil || p.Op.Reply.Seen && !p.Op.Reply.OK {
		return
	}
	n := entry(t.nested, known, func() *nested { return &nested{field: strings.Clone(path), recent: sketch.NewRate(nestedTime)} })
	if n == nil || n.field != path {
		return
	}
	n.changed = max(n.changed, p.Op.Reply.Modified)
	count, limit := n.recent.Add(p.Op.Time, 1), p.Limit("renumberings")
	if count < limit {
		return
	}
	f := analysis.Finding{
		Reason: "nested-set-churn", Statement: statement, Fields: []string{op.Path(path)}, Shape: op.TextShape("{tree: nested set}"),
		Message: "the nested set of " + op.Path(s.NS.Coll) + " is renumbered again and again, by " + op.Path(path),
		Advice:  "A new or moved node rewrites every node to its right, each with its index keys, and readers meanwhile see numbers that overlap.",
		Caveat:  "a tree that is built just now and then rests suits nested sets",
		Fix:     ancestorsFix(coll(s.NS), "parent"),
		Evidence: []analysis.Evidence{
			{Name: "renumberings", Value: count, Limit: limit, Unit: "updates in 3 minutes"},
			{Name: "most_documents_changed", Value: n.changed, Unit: "documents"},
		},
	}
	if n.changed > 0 {
		f.Confidence = analysis.Observed
	}
	p.Report(f)
}

func reportChildren(p *analysis.Pass, t *trail) {
	statements := p.Op.Statements()
	for g := range growths(p.Op) {
		s := &statements[g.Statement]
		if !childArray(g.Path) || cutByPush(g) || bounded(s, g.Path) || p.Env.Bounded(g.NS, op.Path(g.Path)) {
			continue
		}
		known := t.space(g.NS)
		if known == nil {
			continue
		}
		path := op.Path(g.Path)
		k := entry(t.kids, arrayKey{known, strings.Clone(path)}, func() *kids { return &kids{parents: sketch.NewTop[struct{}](maxParents)} })
		if k == nil {
			continue
		}
		k.pushes++
		if id, ok := target(s); ok {
			it := k.parents.Add(id, int64(max(g.Elements, 1)))
			k.most = max(k.most, it.Count-it.Over)
		}
		if k.pushes >= p.Limit("child-pushes") {
			p.Report(childrenFinding(p, g, k, path))
		}
	}
}

func childrenFinding(p *analysis.Pass, g growth, k *kids, path string) analysis.Finding {
	f := analysis.Finding{
		Reason: "child-array", Statement: g.Statement, NS: g.NS, Fields: []string{path}, Shape: op.TextShape("{tree: {children: " + path + "}}"),
		Severity: analysis.Low, Override: true,
		Message: "each new child is added to array " + path + " of its parent in " + op.Path(g.NS.Coll),
		Advice:  "The array of a popular node grows with every child and is rewritten each time; a child that knows its parent is one insert.",
		Caveat:  "nodes whose children are few by nature, and whose order matters: name the array under bounded in the configuration",
		Fix: analysis.Fix{
			Text:    "Turn the reference round: store in each child its parent and its ancestors, and index both. The children of a node are then one equality, in any order.",
			Mongosh: ancestorsFix(coll(g.NS), "parent").Mongosh,
		},
		Evidence: []analysis.Evidence{
			{Name: "pushes", Value: k.pushes, Limit: p.Limit("child-pushes"), Unit: "pushes"},
			{Name: "pushes_to_one_parent", Value: k.most, Limit: p.Limit("many-children"), Unit: "elements"},
		},
	}
	if k.most >= p.Limit("many-children") {
		f.Severity, f.Confidence = analysis.Medium, analysis.Observed
	}
	return f
}

// reportPathRegex speaks of regular expressions on materialized paths, for which
// Q01 and Q02 leave the word to this rule.
func reportPathRegex(p *analysis.Pass) {
	if len(p.Op.Reply.Docs) == 0 {
		return
	}
	reason := func(*pattern) string { return "path-regex" }
	grouped(patterns(p), "S07", reason, func(f *pattern, _ string, fields []string) {
		severity, caveat := f.softened(analysis.Medium)
		if caveat == "" {
			caveat = "a tree that is and stays small"
		}
		what := "does not start at the root"
		if f.Class.Reason == regex.CaseInsensitive {
			what = "ignores case"
		}
		finding := analysis.Finding{
			Reason: "path-regex", Statement: f.Statement, NS: f.Filter.NS, Fields: fields, Severity: severity, Override: true, Caveat: caveat, Confidence: analysis.Observed,
			Message: "a path of the tree is searched in " + named(fields) + " by a regular expression that " + what + ": an index can only be read from end to end" + f.place(),
			Advice:  "Paths are sorted from the root down: an expression that names the way from the root gets an index range, and any other examines every path.",
			Fix:     analysis.Fix{Text: "Begin the expression at the root, with the separator: /^,root,/. The program that writes paths decides their case, so it can ask in the same. To find a branch without knowing the way to it, store an array of ancestors and ask by equality."},
		}
		if path := indexable(f.Path); path != "" {
			sep := string(f.Tree)
			if f.Tree == '/' {
				sep = `\/`
			}
			c := coll(f.Filter.NS)
			finding.Fix.Mongosh = c + ".createIndex({ " + field(path) + ": 1 })\n" + query(f.Call, f.Filter.NS, "{ "+field(path)+": /^"+sep+"<root>"+sep+"/ }", "")
		}
		p.Report(finding)
	})
}
