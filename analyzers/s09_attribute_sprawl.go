package analyzers

import (
	"mongoadvisor/internal/analysis"
	"mongoadvisor/internal/op"
)

func attributeSprawl() *analysis.Analyzer {
	return &analysis.Analyzer{
		ID: "S09", Name: "attribute-sprawl", Since: "0.2.0", Severity: analysis.Low,
		Needs:    op.HasEvery,
		Title:    "Many optional fields, each asked for alone",
		Commands: append([]string{"insert", "drop", "dropDatabase"}, filterCommands...), Run: runAttributeSprawl,
		Reasons: []analysis.Reason{
			{Name: "field-per-attribute", Doc: "each attribute is a field of its own, with an index of its own or none"},
		},
		Limits: []analysis.Limit{
			{Name: "fields", Default: 15, Unit: "fields", Doc: "fields beside each other that are compared alone, from which they are attributes"},
			{Name: "indexes", Default: 8, Unit: "indexes", Doc: "sparse or partial indexes on one of these fields alone, when the collection's indexes were seen"},
			{Name: "max-share", Default: 20, Unit: "%", Doc: "a field that has more of these queries is a key of its own and no attribute"},
		},
		State: &analysis.StateSpec{Scope: analysis.ScopeGlobal, New: func() any { return newAttributes() }},
		Doc: analysis.Doc{
			What: "Filters of one equality (or `$in`) on one field, for many different fields beside each other: at the top of the document, or below one field (`specs.color`). " +
				"When the collection's indexes were seen, many of the fields must have a sparse or partial index of their own; when not, documents must have been seen that lack them.",
			Why: "Each attribute needs an index, and a collection can have 64; each index is kept up by every write, and stays in memory for the queries that use it. A new attribute needs a new index first.",
			Fix: "An array of key and value pairs with one index on both: `$elemMatch` on it serves every attribute, those that come later, too. Or a wildcard index on the field that holds them all.",
			Guards: "Silent below 15 fields; for a field that has more than a fifth of these queries; with a wildcard index; for collections that `$search` is used on, since a search index maps named fields and not pairs, and for an hour after operations were left out under load, with which a `$search` may have been. " +
				"Numbers to compare with: neither Atlas nor Compass looks for this; they advise on 30 and on 10 indexes of a collection. Wrong here when the fields are in all documents, as with the columns of a form for administrators.",
			Lesson: "Attribute pattern.",
		},
	}
}

func runAttributeSprawl(p *analysis.Pass) {
	if p.Op.Reply.Seen && !p.Op.Reply.OK {
		return
	}
	known := p.State().(*attributes)
	known.stretch.broken(p)
	quiet := known.stretch.gaps(p.Now) // $search may have been left out
	known.collections.dropped(p.Op)
	statements := p.Op.Statements()
	for i := range statements[:min(len(statements), maxAttributeStatements)] {
		s := &statements[i]
		known.learn(p.Op, s)
		path, ok := alone(s)
		if !ok {
			continue
		}
		group, field := known.ask(s.NS, path)
		if group != nil && !quiet && int64(len(group.fields)) >= p.Limit("fields") {
			judgeAttribute(p, i, group, field)
		}
	}
}

// judgeAttribute looks at the fields beside the one that was asked for.
func judgeAttribute(p *analysis.Pass, statement int, g *attributeGroup, asked *attributeField) {
	share := p.Limit("max-share")
	key := func(f *attributeField) bool { return f.asked*100 > g.asked*share }
	ns := p.Op.Statements()[statement].NS
	indexes, indexed := p.Env.Indexes(ns)
	var fields, optional, single int64
	for i := range g.fields {
		f := &g.fields[i]
		if key(f) {
			continue
		}
		fields++
		if f.lacking > 0 {
			optional++
		}
	}
	for _, ix := range indexes {
		if wildcard(ix) {
			return
		}
		if f := g.find(lastOf(g, ix)); f != nil && !key(f) {
			single++
		}
	}
	enough := optional >= p.Limit("fields")
	if indexed && len(indexes) > 0 {
		enough = single >= p.Limit("indexes")
	}
	if key(asked) || fields < p.Limit("fields") || !enough || g.searched {
		return
	}
	reportAttribute(p, statement, g, ns, []analysis.Evidence{
		{Name: "fields_asked_for_alone", Value: fields, Limit: p.Limit("fields"), Unit: "fields"},
		{Name: "sparse_indexes", Value: single, Limit: p.Limit("indexes"), Unit: "indexes"},
		{Name: "fields_seen_missing", Value: optional, Unit: "fields"},
	})
}

func reportAttribute(p *analysis.Pass, statement int, g *attributeGroup, ns op.Namespace, evidence []analysis.Evidence) {
	where := "at the top of the document"
	if g.prefix != "" {
		where = "below " + op.Path(g.prefix)
	}
	f := analysis.Finding{
		Reason: "field-per-attribute", Statement: statement, NS: ns, Fields: []string{},
		Shape:    op.TextShape("{attributes: " + g.label() + "}"),
		Message:  "many optional fields " + where + " are each asked for alone",
		Advice:   "Each of them needs an index of its own, which every write keeps up, and the next attribute needs one more.",
		Caveat:   "the fields may be in all documents, each with a meaning of its own",
		Fix:      attributeFix(ns, g),
		Evidence: evidence,
	}
	for i := range g.fields {
		if len(f.Fields) == maxUsed {
			break
		}
		f.Fields = append(f.Fields, g.path(op.Path(g.fields[i].name)))
	}
	if evidence[1].Value > 0 || evidence[2].Value > 0 {
		f.Confidence = analysis.Observed
	}
	p.Report(f)
}

// attributeFix keeps the attributes as pairs.
func attributeFix(ns op.Namespace, g *attributeGroup) analysis.Fix {
	pairs := indexable(op.Path(g.prefix))
	if pairs == "" {
		pairs = "attributes"
	}
	return analysis.Fix{
		Text: "Keep the attributes as an array of key and value pairs, with one index on both. Where they stand below one field, a wildcard index on it serves them without a change of the documents.",
		Mongosh: coll(ns) + ".createIndex({ " + quote(pairs+".k") + ": 1, " + quote(pairs+".v") + ": 1 })\n" +
			coll(ns) + ".find({ " + field(pairs) + ": { $elemMatch: { k: <attribute>, v: <value> } } })",
	}
}
