package analyzers

import (
	"strings"

	"mongoadvisor/internal/analysis"
	"mongoadvisor/internal/op"
)

func volatileReferenceFanout() *analysis.Analyzer {
	return &analysis.Analyzer{
		ID: "W08", Name: "volatile-reference-fanout", Since: "0.2.0", Severity: analysis.Low,
		Title:    "Copies of a field that changes too often to be copied",
		Commands: []string{"update", "bulkWrite"}, Run: runVolatileReferenceFanout,
		State: &analysis.StateSpec{Scope: analysis.ScopeNamespace, Max: 128, New: func() any { return newCopies() }},
		Reasons: []analysis.Reason{
			{Name: "frequent", Doc: "the copies are written minute after minute"},
			{Name: "many-documents", Doc: "so many documents are written for it in a minute"},
		},
		Limits: []analysis.Limit{
			{Name: "minutes", Default: 10, Unit: "minutes", Doc: "minutes in a row with such a call from which it is reported, as low"},
			{Name: "documents", Default: 1000, Unit: "documents", Doc: "documents written for a field in a minute from which it is medium"},
			{Name: "calls", Default: 3, Unit: "calls", Doc: "calls for a field that must have been seen, the first for each reference left out"},
		},
		Doc: analysis.Doc{
			What: "`updateMany` that selects by the id inside of an embedded reference (`{\"product._id\": …}`, `{\"items.id\": …}`) and sets fields beside that id: it carries a change of the original to its copies. Also with positions and `arrayFilters`, as a pipeline, and in `bulkWrite`. Calls are added up by collection and fields.",
			Why: "An extended reference saves the join as long as the copied fields seldom change. A field that changes all day writes every document that refers to it, each time. " +
				"Measured on MongoDB 6.0.5, 20,000 orders, 1,000 of them of the product: one change of its stock took 19 to 31 ms without and 11 to 12 ms with an index on the id, where the product alone is one document.",
			Fix: "Do not copy that field: keep the id and the stable fields beside it, and read the volatile one from the original. Until then, index the id inside of the reference.",
			Guards: "Silent when it is rare, as the copies of a name that changes once in years should be; the first call for each reference does not count, so that a back-fill that takes each once is none; silent for filters without the id of a reference. " +
				"Wrong here when the copy must be as exact as the original at each read. Whatever is copied of a person must be erased with the person, from every copy.",
			Lesson: "Extended reference; its pitfalls and the note on security.",
		},
	}
}

func runVolatileReferenceFanout(p *analysis.Pass) {
	statements := p.Op.Statements()
	for i := range statements {
		s := &statements[i]
		if !s.Multi || s.Command != "update" {
			continue
		}
		r, ok := fanoutOf(s)
		if !ok {
			continue
		}
		n, known := written(p.Op, s)
		if !known {
			n = 0 // the calls still count
		}
		if c := p.State().(*copies).add(s.NS, r, p.Now, n); c != nil {
			judgeFanout(p, i, r, c)
		}
	}
}

// decide gives a set of copied fields its reason, once and for all: one root
// cause is one finding, however the traffic changes.
func (c *copied) decide(p *analysis.Pass) {
	switch {
	case c.reason != "" || c.again < p.Limit("calls"):
	case c.documents.Count(p.Now) >= p.Limit("documents"):
		c.reason = "many-documents"
	case c.inRow >= p.Limit("minutes"):
		c.reason = "frequent"
	}
}

func judgeFanout(p *analysis.Pass, statement int, r fanout, c *copied) {
	if c.decide(p); c.reason == "" {
		return
	}
	documents := c.documents.Count(p.Now)
	f := analysis.Finding{
		Reason: c.reason, Statement: statement, NS: p.Op.Statements()[statement].NS, Fields: r.Fields,
		Shape:   op.TextShape("{update: {filter: {" + r.ID + ": <id>}, set: {" + strings.Join(r.Fields, ", ") + "}}}"),
		Message: "copies of " + named(r.Fields) + " are updated again and again",
		Advice:  "Each change of the original writes every document that refers to it.",
		Caveat:  "the copy may have to be as exact as the original at each read; personal data must be erased from every copy, too",
		Evidence: []analysis.Evidence{
			{Name: "documents_in_a_minute", Value: documents, Limit: p.Limit("documents"), Unit: "documents"},
			{Name: "minutes_in_a_row", Value: c.inRow, Limit: p.Limit("minutes"), Unit: "minutes"},
			{Name: "calls", Value: c.again, Limit: p.Limit("calls"), Unit: "calls"},
		},
	}
	if documents >= p.Limit("documents") {
		f.Severity, f.Override, f.Confidence = analysis.Medium, true, analysis.Observed
	}
	f.Fix = fanoutFix(p, f.NS, r)
	if strings.Contains(f.Fix.Mongosh, "createIndex") {
		f.Advice += " No index on " + r.ID + " is known here: without one, it reads the whole collection as well."
	}
	p.Report(f)
}

// fanoutFix takes the copy away, once no reader needs it.
func fanoutFix(p *analysis.Pass, ns op.Namespace, r fanout) analysis.Fix {
	fix := analysis.Fix{Text: "Keep the id and the stable fields in the reference, and read this one from the original. When no reader needs the copies, take them away."}
	c := coll(ns)
	var unset []string
	for _, path := range r.Fields {
		if indexable(path) == "" {
			return fix
		}
		unset = append(unset, field(r.inEach(path))+`: ""`)
	}
	filter := "{}"
	if r.Array {
		filter = "{ " + field(r.ID) + ": { $exists: true } }" // $[] refuses documents without the array
	}
	fix.Mongosh = c + ".updateMany(" + filter + ", { $unset: { " + strings.Join(unset, ", ") + " } })  // once no reader needs it"
	if indexes, _ := p.Env.Indexes(ns); !servesJoin(indexes, r.ID, "") {
		fix.Text += " Until then, an index on the id keeps each call from reading everything."
		fix.Mongosh += "\n" + c + ".createIndex({ " + field(r.ID) + ": 1 })  // until then"
	}
	return fix
}
