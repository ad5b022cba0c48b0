package analyzers

import (
	"strings"
	"time"

	"mongoadvisor/internal/analysis"
	"mongoadvisor/internal/op"
)

func lookupUnindexedForeign() *analysis.Analyzer {
	return &analysis.Analyzer{
		ID: "A03", Name: "lookup-unindexed-foreign", Since: "0.2.0", Severity: analysis.High, Needs: op.HasReply, MinCount: 3,
		Title:    "A join by a field that no index leads with",
		Commands: []string{"aggregate", "find", "count", "distinct"}, Run: runLookupUnindexedForeign, Wants: op.TraitJoin | op.TraitGraph, State: joinTimeState(),
		Reasons: []analysis.Reason{
			{Name: "no-index", Doc: "the whole list of indexes was seen, and none leads with the foreign field"},
			{Name: "slow-join", Doc: "the indexes are not known; few documents are joined and returned, and yet it is slow"},
		},
		Limits: []analysis.Limit{
			{Name: "fast", Default: 5, Unit: "milliseconds", Doc: "no-index is info while less than half of the calls take as long"},
			{Name: "slow", Default: 100, Unit: "milliseconds", Doc: "latency that at least half of the calls of a slow-join must have"},
			{Name: "slow-calls", Default: 10, Unit: "operations", Doc: "slow calls with a small reply from which it is a slow-join"},
			{Name: "small-reply", Default: 16 << 10, Unit: "bytes", Doc: "a reply up to this size is small"},
		},
		Doc: analysis.Doc{
			What: "`$lookup` by foreignField, and `$graphLookup` by connectToField, when no index of the other collection starts with that field: by the list of its indexes, as a driver or a tool asked for it through here, or by a latency that the size of the result does not explain.",
			Why: "Without an index the other collection is scanned. Measured on MongoDB 6.0.5 with 2,000 documents in it: 20 joins with an inner pipeline took 21 ms without the index and 2 ms with it, 1,000 joins 3,257 and 214 ms. " +
				"Without an inner pipeline the server builds a hash table of a small collection for each call: one join took 2.8 ms and 0.6 ms with the index, and 1,000 joins took as long either way.",
			Fix:    "An index that starts with the foreign field, with the collation of the query. A hashed one serves, too; partial and hidden ones do not, and sparse and wildcard ones only where the join has an inner pipeline or is unwound at once (measured on MongoDB 6.0.5).",
			Guards: "Not before the third call; `_id` always has its index. `no-index` is info while the calls are fast, as with a tiny collection. `slow-join` needs ten slow calls with small replies, a selective `$match` or a `$limit` in front of the only join, and no index known to help. Sparse and wildcard indexes count as help. The form with `let` and an equality in `$expr` is A02's. Wrong here when the index was made past this proxy after the list was read.",
			Lesson: "Schema anti-patterns: separating data that is accessed together; the manual's page on `$lookup`.",
		},
	}
}

// foreignJoin is one join by a field of another collection.
type foreignJoin struct {
	From      op.Namespace
	Path      string
	Statement int
	Stage     op.Stage
}

func runLookupUnindexedForeign(p *analysis.Pass) {
	statements := p.Op.Statements()
	for i := range statements {
		s := &statements[i]
		if !mayJoin(s.Pipeline) || p.Op.Cut {
			continue
		}
		joins := foreignFields(s, i)
		for _, f := range joins {
			judgeForeign(p, s, f, len(joins) == 1)
		}
	}
}

// foreignFields lists the joins by a field other than _id.
func foreignFields(s *op.Statement, statement int) (out []foreignJoin) {
	for st := range s.Stages() {
		name := "foreignField"
		switch st.Name {
		case "$lookup":
		case "$graphLookup":
			name = "connectToField"
		default:
			continue
		}
		spec := op.Doc(st.Value)
		path := op.Str(op.Get(spec, name))
		if from := op.LookupFrom(spec, st.NS); path != "" && path != "_id" && from.Coll != "" {
			out = append(out, foreignJoin{From: from, Path: path, Statement: statement, Stage: st})
		}
	}
	return out
}

func judgeForeign(p *analysis.Pass, s *op.Statement, f foreignJoin, alone bool) {
	indexes, _ := p.Env.Indexes(f.From)
	collation := op.CollationText(s.Collation)
	if servesJoin(indexes, f.Path, collation) {
		return
	}
	path, from := op.Path(f.Path), op.Path(f.From.Coll)
	shape := op.TextShape("{" + f.Stage.Name + ": {from: " + from + ", by: " + path + "}}")
	taken := p.State().(*joinTimes).take(shape.ID, p.Op,
		time.Duration(p.Limit("fast"))*time.Millisecond, time.Duration(p.Limit("slow"))*time.Millisecond, p.Limit("small-reply"))
	finding := analysis.Finding{
		Reason: "no-index", Statement: f.Statement, NS: f.From, Shape: shape, Fields: []string{path},
		Message: from + " is joined by " + path + ", which no index of it starts with",
		Advice:  "Each join has to look through the whole collection.",
		Caveat:  "the index may have been made past this proxy after the list of indexes was read",
		Fix:     analysis.Fix{Text: "Create the index on the foreign field, with the collation of the query."},
		Evidence: []analysis.Evidence{
			{Name: "calls", Value: taken.calls, Unit: "operations"},
			{Name: "slow_calls", Value: taken.slow, Limit: p.Limit("slow-calls"), Unit: "operations"},
		},
	}
	if indexable(path) != "" {
		finding.Fix.Mongosh = indexLine(f.From, path)
		if collation != "" {
			finding.Fix.Mongosh = coll(f.From) + ".createIndex({ " + field(indexable(path)) + ": 1 }, { collation: " + collationLiteral(s.Collation) + " })"
		}
	}
	switch {
	case p.Env.IndexesComplete(f.From):
		finding.Confidence = analysis.Observed
		if 2*taken.taking < taken.calls {
			finding.Severity, finding.Override = analysis.Info, true
			finding.Caveat = "the collection is so small, or so little of it is joined, that it does not matter yet"
		}
	case alone && taken.slow >= p.Limit("slow-calls") && 2*taken.slow >= taken.calls && fewJoined(s.Pipeline):
		finding.Reason, finding.Message = "slow-join", from+" is joined by "+path+", and it takes long for so little"
		finding.Advice = "Such a join is slow when the other collection has no index on that field."
		finding.Caveat = "the index may be there, and the time be spent elsewhere: look at the output of explain"
	default:
		return
	}
	p.Report(finding)
}

// servesJoin reports whether one of the indexes can serve an equality on a path.
// What serves some forms of a join counts: a sparse index, one on all fields. One
// with a collation counts when the query states none: the collection's own is not
// known.
func servesJoin(indexes []op.Index, path, collation string) bool {
	for _, ix := range indexes {
		led := ix.Leads(path) || strings.HasSuffix(ix.Keys[0].Path, "$**")
		if led && !ix.Partial && !ix.Hidden && (collation == "" || sameCollation(ix.Collation, collation)) {
			return true
		}
	}
	return false
}
