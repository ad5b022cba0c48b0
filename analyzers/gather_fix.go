package analyzers

import (
	"slices"
	"strings"

	"go.mongodb.org/mongo-driver/v2/x/bsonx/bsoncore"

	"mongoadvisor/internal/analysis"
	"mongoadvisor/internal/op"
)

// gatherFix writes the accumulator that keeps a few, by what the pipeline shows of
// key and order.
func gatherFix(g *gather, ns op.Namespace) analysis.Fix {
	fix := analysis.Fix{Text: "Keep only as many as are shown: $topN or $firstN instead of " + g.Operator + ". The other accumulators stay as they are. If all are needed, read them with a find on the key, page by page."}
	name, key := op.Name(g.Name), "<key>"
	if path := op.Path(fieldPath(g.Key)); path != "" && indexable(path) == path {
		key = quote("$" + path)
	} else if isNull(g.Key) {
		key = "null"
	}
	if strings.HasPrefix(name, "<") {
		return fix
	}
	var before []bsoncore.Document
	for _, d := range g.Before {
		if op.FirstKey(d) != "$sort" {
			before = append(before, d)
		}
	}
	lead := strings.TrimSuffix(pipelineText(before), "]")
	if len(before) > 0 {
		lead += ", "
	}
	fix.Mongosh = coll(ns) + ".aggregate(" + lead + "{ $group: { _id: " + key + ", " + field(name) + ": " + g.bounded() + " } }])"
	return fix
}

// judgeFacet looks for branches of the first $facet that return all they get.
func judgeFacet(p *analysis.Pass, s *op.Statement, statement int) {
	for i, d := range s.Pipeline {
		if op.FirstKey(d) != "$facet" || stores(s.Pipeline) {
			continue
		}
		for name, v := range op.Fields(op.Doc(op.Get(d, "$facet"))) {
			branch := op.Docs(v)
			if endless(branch) {
				f := analysis.Finding{
					Reason: "facet-list", Statement: statement, Fields: []string{op.Path(name)},
					Message: "the branch " + op.Path(name) + " of $facet returns all its documents in one array",
					Advice:  "All branches have to fit into one document of 16 MB, which is sent at once and not as a cursor.",
					Caveat:  "what comes before $facet may bound the list",
					Fix:     facetFix(s, i, name, branch),
				}
				reportGathered(p, &f, s, largestArray(p.Op.Reply, name), false)
			}
		}
		return
	}
}

// endless reports whether a branch keeps a document for each one it gets.
func endless(branch []bsoncore.Document) bool {
	for _, d := range branch {
		switch op.FirstKey(d) {
		case "$limit", "$sample", "$group", "$count", "$sortByCount", "$bucket", "$bucketAuto":
			return false
		}
	}
	return true
}

func facetFix(s *op.Statement, at int, name string, branch []bsoncore.Document) analysis.Fix {
	fix := analysis.Fix{Text: "Read the list as a query of its own, page by page with $limit; keep in $facet what adds up."}
	list := strings.TrimSuffix(pipelineText(slices.Concat(s.Pipeline[:at], branch)), "]")
	if list != "[" {
		list += ", "
	}
	fix.Mongosh = coll(s.NS) + ".aggregate(" + list + "{ $limit: <page size> }])"
	return fix
}

func judgeDistinct(p *analysis.Pass, s *op.Statement, statement int) {
	path := op.Path(s.Key)
	r := p.Op.Reply
	size := int64(0)
	if r.Seen && (r.Returned < 0 || int64(r.Returned) >= p.Limit("distinct-values") || int64(r.Bytes) >= p.Limit("high-bytes")) {
		size = max(int64(r.Bytes), p.Limit("medium-bytes"))
	}
	if size == 0 && !ranOut(p) {
		return
	}
	f := analysis.Finding{
		Reason: "distinct", Statement: statement, Fields: []string{path},
		Message: "distinct returns a large list of values of " + path,
		Advice:  "All values come in one document, which cannot be longer than 16 MB: some day it fails.",
		Caveat:  "the values may be as many as they will ever be",
		Fix:     analysis.Fix{Text: "Group by the field: that is a cursor, without a bound, and can be sorted and limited. Or keep the values in a collection of their own, where the few that are new are added."},
	}
	if key := indexable(path); key != "" {
		f.Fix.Mongosh = coll(s.NS) + ".aggregate([{ $group: { _id: " + quote("$"+key) + " } }])"
		if op.FirstKey(s.Filter) != "" {
			match := "<filter as before>"
			if text := matchText(s.Filter); text != "" {
				match = text
			}
			f.Fix.Mongosh = coll(s.NS) + ".aggregate([{ $match: " + match + " }, { $group: { _id: " + quote("$"+key) + " } }])"
		}
	}
	reportGathered(p, &f, s, size, false)
}
