package analyzers

import (
	"mongoadvisor/internal/analysis"
	"mongoadvisor/internal/op"
)

func tooManyCollections() *analysis.Analyzer {
	return &analysis.Analyzer{
		ID: "S04", Name: "too-many-collections", Since: "0.2.0", Severity: analysis.Medium,
		Title:    "Collections that stand for days, tenants or ids, or too many of them",
		Commands: []string{"find", "aggregate", "count", "distinct", "mapReduce", "insert", "update", "delete", "findAndModify", "bulkWrite", "create", "createIndexes", "listCollections", "drop", "dropDatabase", "renameCollection"},
		Run:      runTooManyCollections,
		Reasons: []analysis.Reason{
			{Name: "templated-name", Doc: "many collections of one database have names that differ in a date, a number or an id only"},
			{Name: "count", Doc: "a database has more collections than is usual; those of one template count as one"},
			{Name: "growth", Doc: "new collections are created every day"},
		},
		Limits: []analysis.Limit{
			{Name: "templated-names", Default: 10, Unit: "collections", Doc: "collections whose names have one template, from which the template is reported"},
			{Name: "counted-names", Default: 500, Unit: "collections", Doc: "the same where a number below 1,000 at the end is all that differs, and no word before it names a tenant or a day: a few hundred are fine"},
			{Name: "info-collections", Default: 500, Unit: "collections", Doc: "collections of a database from which their count is reported, as info"},
			{Name: "medium-collections", Default: 1000, Unit: "collections", Doc: "collections of a database from which it is medium"},
			{Name: "high-collections", Default: 5000, Unit: "collections", Doc: "collections of a database, or of one template, from which it is high"},
			{Name: "new-per-day", Default: 5, Unit: "collections", Doc: "collections created in a day, on each of the days below, from which growth is reported"},
			{Name: "growth-days", Default: 3, Unit: "days", Doc: "days in a row, at most seven"},
		},
		State: &analysis.StateSpec{Scope: analysis.ScopeGlobal, New: func() any { return newCatalogues() }},
		Doc: analysis.Doc{
			What: "The collections of each database: those that operations address, that `create` makes, that `listCollections` lists, less those that are dropped. A template is a name in which whole segments are numbers, dates or ids: `events_2026_11_30`, `t_4711_orders`, `carts-65f0c0ffee01`. Each finding counts once a second at most, as long as its collections are used.",
			Why: "Each collection and each index of it is a file of its own, with handles and cache to keep it open, and a query over all of them needs a query for each. " +
				"Numbers to compare with: Atlas advises from 100 collections in a database on, Compass from 10,000, the agent skills say that the count alone is not the problem; this rule speaks at 500, 1,000 and 5,000, and of names that have a template with a date, a tenant or an id at 10, since those grow with the calendar or with the customers.",
			Fix: "One collection with a field for what the name says, and an index that begins with that field. For days: a date field with a TTL index, or a time-series collection; what was a drop of a day's collection, the TTL index does.",
			Guards: "A few hundred collections are fine, and so are databases made for one test or one tenant each: templates are looked for in the names of collections only (to keep tenants apart, separate databases with a user each, or separate clusters, are the way). " +
				"Collections that are dropped no longer count; names with a segment like test, tmp or temp never do. Growth counts what `create` makes, and what an insert makes after a `listCollections` told of all that were there; not the first look at a collection that may have been there. Wrong here when each collection needs an owner, a shard key or a restore of its own.",
			Lesson: "Too many collections, with its security note; the manual's page on reducing the number of collections.",
		},
	}
}

func runTooManyCollections(p *analysis.Pass) {
	if p.Op.Reply.Seen && !p.Op.Reply.OK {
		return
	}
	all := p.State().(*catalogues)
	if all.stretch.broken(p) {
		all.interrupt()
	}
	switch p.Op.Command {
	case "dropDatabase":
		all.forget(p.Op.NS.DB)
		return
	case "drop":
		all.drop(p.Op.NS)
		return
	case "renameCollection":
		all.drop(p.Op.NS)
		return
	case "listCollections":
		all.list(p.Op)
		return
	case "create":
		if op.Get(p.Op.Body, "viewOn").Type == 0 {
			all.create(p.Op.NS, p.Now)
			judgeDatabase(p, all, p.Op.NS)
		}
		return
	case "createIndexes":
		all.add(p.Op.NS)
		return
	}
	statements := p.Op.Statements()
	if len(statements) == 0 { // an insert in a log, which has no documents
		useCollection(p, all, p.Op.NS, p.Op.Command)
	}
	previous := op.Namespace{}
	for i := range statements {
		if s := &statements[i]; s.NS != previous {
			previous = s.NS
			useCollection(p, all, s.NS, s.Command)
		}
	}
}

// useCollection takes in that a command addresses a collection.
func useCollection(p *analysis.Pass, all *catalogues, ns op.Namespace, command string) {
	if ns.Coll == "" {
		return
	}
	if command == "insert" && all.fresh(ns) {
		all.create(ns, p.Now)
	} else {
		all.add(ns)
	}
	judgeDatabase(p, all, ns)
}

// judgeDatabase looks at what the collection of an operation belongs to.
func judgeDatabase(p *analysis.Pass, all *catalogues, ns op.Namespace) {
	db := all.known(ns.DB)
	if db == nil {
		return
	}
	if f := db.family(ns.Coll); f != nil && int64(f.names) >= f.limit(p) && f.told.due(p.Now) {
		reportTemplate(p, ns, f)
	}
	if int64(len(db.names)) >= p.Limit("info-collections") && db.countTold.due(p.Now) {
		reportCount(p, ns.DB, db.single(p))
	}
	if most := db.steady(p.Now, int(p.Limit("growth-days"))); most >= p.Limit("new-per-day") && db.growthTold.due(p.Now) {
		reportCreation(p, ns.DB, most)
	}
}

func reportTemplate(p *analysis.Pass, ns op.Namespace, f *nameFamily) {
	t := templateOf(ns.Coll)
	severity := analysis.Medium
	if int64(f.names) >= p.Limit("high-collections") {
		severity = analysis.High
	}
	p.Report(analysis.Finding{
		Reason: "templated-name", NS: op.Namespace{DB: ns.DB, Coll: t.text}, Shape: op.TextShape("{collections: " + t.text + "}"), Fields: []string{},
		Severity: severity, Override: true, Confidence: analysis.Observed,
		Message: "collections named " + t.text + ": a value stands in the name",
		Advice:  "Each of them and each of its indexes is a file of its own, and their number grows with the values. A query over several of them needs a query for each.",
		Caveat:  "each collection may need an owner, a shard key or a restore of its own",
		Fix:     t.fix(),
		Evidence: []analysis.Evidence{
			{Name: "collections_of_this_template", Value: int64(f.names), Limit: f.limit(p), Unit: "collections"},
		},
	})
}

func reportCount(p *analysis.Pass, db string, n int64) {
	severity, limit, many := step(p, n, rung{"info-collections", analysis.Info}, rung{"medium-collections", analysis.Medium}, rung{"high-collections", analysis.High})
	if !many {
		return
	}
	p.Report(analysis.Finding{
		Reason: "count", NS: op.Namespace{DB: db}, Shape: op.TextShape("{collections: <all>}"), Fields: []string{},
		Severity: severity, Override: true, Confidence: analysis.Observed,
		Message: "the database has many collections",
		Advice:  "Each collection and each of its indexes is a file of its own that the server keeps handles and cache for.",
		Caveat:  "the number alone harms little as long as few of them are used at a time",
		Fix: analysis.Fix{
			Text:    "Look for collections that hold the same kind of document and put those into one, with a field that tells them apart. Drop what nobody uses.",
			Mongosh: "db.<collection>.aggregate([{ $set: { <field>: <what tells it apart> } }, { $merge: <common collection> }])",
		},
		Evidence: []analysis.Evidence{{Name: "collections", Value: n, Limit: limit, Unit: "collections"}},
	})
}

func reportCreation(p *analysis.Pass, db string, most int64) {
	p.Report(analysis.Finding{
		Reason: "growth", NS: op.Namespace{DB: db}, Shape: op.TextShape("{collections: <new>}"), Fields: []string{},
		Severity: analysis.Low, Override: true, Confidence: analysis.Observed,
		Message: "new collections are created in the database day after day",
		Advice:  "Their number has no bound, and the server keeps handles and cache for each and for its indexes.",
		Caveat:  "a roll-out of new features creates collections, too, and ends",
		Fix: analysis.Fix{
			Text:    "Find what creates them and let it write into one collection, with a field that says what the name said.",
			Mongosh: "db.<common collection>.createIndex({ <field>: 1 })",
		},
		Evidence: []analysis.Evidence{
			{Name: "new_collections_per_day", Value: most, Limit: p.Limit("new-per-day"), Unit: "collections"},
			{Name: "days_in_a_row", Value: p.Limit("growth-days"), Unit: "days"},
		},
	})
}
