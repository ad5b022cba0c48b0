package analyzers

import (
	"strings"
	"unicode"

	"mongoadvisor/internal/analysis"
	"mongoadvisor/internal/op"
	"mongoadvisor/internal/sketch"
)

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
		k := entry(t.kids, placeKey{known, strings.Clone(path)}, func() *kids { return &kids{parents: sketch.NewTop[struct{}](maxParents)} })
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

// renumbers reports whether a statement makes room in a nested set: it moves the
// numbers of all nodes to the right of one. field is the first it moves.
func renumbers(s *op.Statement) (path string) {
	if !s.Multi {
		return ""
	}
	for name, by := range op.Fields(op.Doc(op.Get(s.Update.Operators, "$inc"))) {
		if n, ok := op.Int(by); ok && n != 0 && n%2 == 0 && nestedNumber(name) {
			path = name
			break
		}
	}
	if path == "" {
		return ""
	}
	for pred := range (op.Filter{Doc: s.Filter}).Predicates() {
		if (pred.Op == "$gt" || pred.Op == "$gte") && !pred.Negated && nestedNumber(pred.Path) {
			return path
		}
	}
	return ""
}

// nestedNumber reports whether a field is named as one of the two numbers of a
// node in a nested set.
func nestedNumber(path string) bool {
	switch letters(lastSegment(path)) {
	case "lft", "rgt", "left", "right", "nsleft", "nsright", "treeleft", "treeright":
		return true
	}
	return false
}

// letters are the letters of a short name in lower case.
func letters(name string) string {
	if len(name) > maxReference {
		return ""
	}
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, name)
}

// childArray reports whether an array is named for the children of a tree's node.
func childArray(path string) bool {
	name := letters(last(op.Path(path)))
	for _, mark := range []string{"ids", "id", "refs", "ref"} {
		name = strings.TrimSuffix(name, mark)
	}
	switch name {
	case "children", "childs", "child", "childrens", "childnodes", "childnode", "descendants", "descendant",
		"subcategories", "subcategory", "subfolders", "subdirectories", "subpages", "subtasks", "subnodes", "subtrees", "subgroups", "subtopics", "subsections", "subdepartments", "subunits":
		return true
	}
	return false
}
