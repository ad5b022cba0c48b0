package analyzers

import (
	"slices"
	"strings"

	"mongoadvisor/internal/analysis"
	"mongoadvisor/internal/op"
)

func deepSkipPagination() *analysis.Analyzer {
	return &analysis.Analyzer{
		ID: "Q08", Name: "deep-skip-pagination", Since: "0.1.0", Severity: analysis.Low,
		Title:    "Pages found by skipping all that come before",
		Commands: []string{"find", "aggregate"}, Run: runDeepSkipPagination, Wants: op.TraitSkip, State: peakState(),
		Reasons: []analysis.Reason{
			{Name: "skip", Doc: "a find with a large skip"},
			{Name: "skip-stage", Doc: "a `$skip` stage over stored documents"},
		},
		Limits: []analysis.Limit{
			{Name: "low-skip", Default: 1000, Unit: "documents", Doc: "skipped documents from which it is reported, as low"},
			{Name: "medium-skip", Default: 10_000, Unit: "documents", Doc: "skipped documents from which it is medium"},
			{Name: "high-skip", Default: 100_000, Unit: "documents", Doc: "skipped documents from which it is high"},
		},
		Doc: analysis.Doc{
			What: "`skip` of a find, and `$skip` in a pipeline before any stage that makes documents out of others, also in `$facet`. All pages of one query are one finding; the depth of the deepest, to the power of ten, is in its evidence.",
			Why: "What is skipped is read first: page n costs n pages. Measured on MongoDB 6.0.5, sorted by an index, 20 documents a page: `skip: 1000` read 1,020 keys, `skip: 10000` 10,020, `skip: 19000` 19,020; " +
				"the range that starts where the last page ended read 20, however deep. And a document that is inserted meanwhile shifts the pages, so that others are shown twice or never.",
			Fix: "Remember the last document of a page and ask for what comes after it in the same order, with `_id` as the last key of the order so that equal values have one, too. The index needs the same keys, behind those compared by equality.",
			Guards: "Silent below 1,000; when the reply is empty, since then fewer documents than that were there to skip; when `_id` is compared by equality; behind `$group`, `$unwind`, `$lookup` and other stages that make documents; inside of a `$lookup`. " +
				"Wrong here for a page number that people jump to, and for one-off jobs.",
			Lesson: "Outlier pattern: the second collection is paged; the manual's page on `skip`.",
		},
	}
}

func runDeepSkipPagination(p *analysis.Pass) {
	for k := range skips(p.Op) {
		severity, limit, deep := step(p, k.N, rung{"low-skip", analysis.Low}, rung{"medium-skip", analysis.Medium}, rung{"high-skip", analysis.High})
		equal, one := k.equal()
		if !deep || one || nothingBack(p) {
			continue
		}
		reason := "skip"
		if k.Stage {
			reason = "skip-stage"
		}
		keys, byFields := k.order()
		f := analysis.Finding{
			Reason: reason, Statement: k.Statement, NS: k.NS, Fields: []string{},
			Severity: severity, Override: true,
			Message: "a deep page is found by skipping what comes before it",
			Advice:  "Each skipped document is read and thrown away, so the cost grows with the page number.",
			Caveat:  "people may jump to a page by its number; a job that runs once may skip",
			Fix:     skipFix(&k, equal, keys, byFields),
			Evidence: []analysis.Evidence{
				{Name: "skip_at_least", Value: magnitude(k.N), Limit: limit, Unit: "documents"},
				{Name: "deepest_at_least", Value: magnitude(p.State().(*peaks).raise(p.Op.Statements()[k.Statement].Shape(), k.N)), Unit: "documents"},
			},
		}
		for _, key := range keys {
			f.Fields = append(f.Fields, key.Path)
		}
		if len(f.Fields) > 0 {
			f.Message += ", sorted by " + strings.Join(f.Fields, ", ")
		}
		if p.Op.Reply.Seen {
			f.Confidence = analysis.Observed
		}
		p.Report(f)
	}
}

// nothingBack reports whether the reply says that the skip went past the end:
// how many documents were read until there is not known.
func nothingBack(p *analysis.Pass) bool {
	r := p.Op.Reply
	return r.Seen && r.OK && r.Returned == 0 && r.CursorID == 0
}

// maxSortKeys bounds the order for which the range is written out.
const maxSortKeys = 3

// skipFix writes the range behind the last document in the observed order.
func skipFix(k *skip, equal []string, keys []sortKey, byFields bool) analysis.Fix {
	fix := analysis.Fix{Text: "Ask for what comes after the last document of the page before, in the same order: a range on the sort key with _id as the last key. Keep the other conditions of the filter."}
	if !byFields || len(keys) > maxSortKeys {
		return fix
	}
	if len(keys) == 0 || keys[len(keys)-1].Path != "_id" {
		down := len(keys) > 0 && keys[0].Down
		keys = append(keys[:len(keys):len(keys)], sortKey{"_id", down})
	}
	filter, index, sort := "", "", ""
	for _, path := range equal {
		if indexable(path) == "" || len(index) > 0 && strings.Count(index, ":") >= maxSortKeys {
			continue
		}
		filter += field(indexable(path)) + ": <" + indexable(path) + ">, "
		index += field(indexable(path)) + ": 1, "
	}
	for _, key := range keys {
		if indexable(key.Path) == "" {
			return fix
		}
		part := field(indexable(key.Path)) + ": 1"
		if key.Down {
			part = field(indexable(key.Path)) + ": -1"
		}
		sort += ", " + part
		if !slices.Contains(equal, key.Path) {
			index += part + ", "
		}
	}
	filter, sort = "{ "+filter+after(keys)+" }", "{ "+sort[2:]+" }"
	c := coll(k.NS)
	if index = strings.TrimSuffix(index, ", "); strings.Contains(index, ",") { // the one on _id exists
		fix.Mongosh = c + ".createIndex({ " + index + " })\n"
	}
	if k.Stage {
		fix.Mongosh += c + ".aggregate([{ $match: " + filter + " }, { $sort: " + sort + " }, { $limit: <page size> }])"
	} else {
		fix.Mongosh += c + ".find(" + filter + ").sort(" + sort + ").limit(<page size>)"
	}
	return fix
}

// after writes the conditions of what comes behind the last document: behind its
// first key, or equal in that and behind in the next, and so on. The range on the
// first key alone gives the index its bounds.
func after(keys []sortKey) string {
	beyond := func(k sortKey, orEqual string) string {
		operator := "$gt"
		if k.Down {
			operator = "$lt"
		}
		path := indexable(k.Path)
		return field(path) + ": { " + operator + orEqual + ": <last " + path + "> }"
	}
	if len(keys) == 1 {
		return beyond(keys[0], "")
	}
	var branches []string
	same := ""
	for _, k := range keys {
		branches = append(branches, "{ "+same+beyond(k, "")+" }")
		same += field(indexable(k.Path)) + ": <last " + indexable(k.Path) + ">, "
	}
	return beyond(keys[0], "e") + ", $or: [" + strings.Join(branches, ", ") + "]"
}
