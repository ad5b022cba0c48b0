package analyzers

import (
	"time"

	"mongoadvisor/internal/analysis"
	"mongoadvisor/internal/op"
)

func unboundedArrayGrowth() *analysis.Analyzer {
	return &analysis.Analyzer{
		ID: "W01", Name: "unbounded-array-growth", Since: "0.1.0", Severity: analysis.Info,
		Title:    "Array that only grows",
		Commands: arrayCommands, Run: runUnboundedArrayGrowth, State: arrayState(),
		Reasons: []analysis.Reason{
			{Name: string(growPush), Doc: "$push without an effective $slice"},
			{Name: string(growSet), Doc: "$addToSet, which only the number of different values bounds: one step lower"},
			{Name: string(growConcat), Doc: "a pipeline update that appends to the array without $slice"},
			{Name: string(growMerge), Doc: "the same in whenMatched of $merge"},
			{Name: string(growRewrite), Doc: "the array of one document is written as a whole, longer each time"},
			{Name: string(growPosition), Doc: "$set of the element after the last, by its position, again and again"},
		},
		Limits: []analysis.Limit{
			{Name: "growth-pushes", Default: 10, Unit: "elements", Doc: "elements added to one document from which growth counts as observed: medium"},
			{Name: "many-pushes", Default: 1000, Unit: "elements", Doc: "elements added to one document from which it is high"},
			{Name: "long-array", Default: 10_000, Unit: "elements", Doc: "length of a growing array from which it is high"},
			{Name: "critical-days", Default: 30, Unit: "days", Doc: "16 MiB within so many days, as the array grows now, is critical"},
			{Name: "critical-bytes", Default: 12 << 20, Unit: "bytes", Doc: "size of a document, as replies show it, from which it is critical"},
			{Name: "forecast-minutes", Default: 360, Unit: "minutes", Doc: "for how long one document's array must have been seen growing before a date is said"},
			{Name: "forecast-pushes", Default: 20, Unit: "pushes", Doc: "pushes to one document before a date is said"},
			{Name: "plateau", Default: 10, Unit: "pushes", Doc: "pushes in a row that did not make a document's array longer: it counts as full"},
			{Name: "closed-values", Default: 32, Unit: "values", Doc: "$addToSet of at most so many different values is silent"},
			{Name: "closed-adds", Default: 100, Unit: "values", Doc: "values that must have been added before that is believed"},
			{Name: "rises", Default: 20, Unit: "writes", Doc: "writes of the whole array in a row, longer each time, before it is said"},
			{Name: "positions", Default: 100, Unit: "writes", Doc: "elements set one after the other before it is said: slots for the minutes of an hour are 60"},
		},
		Doc: analysis.Doc{
			What: "An update that adds to an array and nothing that keeps it short: `$push` without `$slice`, `$addToSet`, `$pushAll`, a pipeline update that concatenates the array with itself (also below `$mergeObjects`, `$cond`, `$reduce`, `$replaceWith`), " +
				"an array that is written as a whole and is longer each time, elements set one after the other by their position. All forms are read: positional paths, `arrayFilters`, `findAndModify`, `bulkWrite`, `$merge`.",
			Why: "The array is rewritten as a whole at each change, each element is a key of every multikey index on it, and the document grows towards 16 MiB, where every further write fails while reads still work. " +
				"Measured on MongoDB 6.0.5, median of one append: up to 250 elements 0.5 to 0.7 ms, at 10,000 6 to 9 ms, at 50,000 23 ms without and 121 ms with two multikey indexes.",
			Fix: "Keep the elements in a collection of their own, indexed by the parent, and embed only a bounded part: `$each` with `$slice`. For time-ordered data use buckets. For a set of references use a collection of edges with a unique index.",
			Guards: "Silent when the update cuts the array (`$slice`), when the filter bounds it (`{count: {$lt: 360}}` with `$inc: {count: 1}`, `{\"a.99\": {$exists: false}}`, `$expr` on `$size`), " +
				"when `$pull`, `$pop` or a trimming `$push` on the same array was seen before in the collection and the document has not grown since, when `$addToSet` adds a value that came before to a document that was not seen growing, or the same few values, and for arrays the configuration names under `bounded`. A push that the server refused because of its size is S03's. " +
				"Info until growth of one document is observed, then medium, then high; critical when a date can be said for its end. Replies that show the array set the figures right; until one does, they are \"at least\". A document that stopped growing is no longer counted. " +
				"Followed are 256 arrays of documents per collection. When operations were left out under load, what shortens an array may have been among them: counts begin anew, and for an hour only observed growth is reported. Wrong here when the business bounds the list, as with a customer's addresses: name it under `bounded`.",
			Lesson: "All three lessons: unbounded arrays; subset, bucket and outlier patterns.",
		},
	}
}

// arrayCommands are the commands that write documents or return stored ones.
var arrayCommands = []string{"insert", "update", "findAndModify", "delete", "bulkWrite", "find", "aggregate", "getMore"}

func runUnboundedArrayGrowth(p *analysis.Pass) {
	a := learnt(p)
	if len(a.grown) == 0 || tooLarge(p.Op) {
		return
	}
	for _, g := range a.grown {
		if childArray(g.Path) {
			continue // S07 speaks of the tree
		}
		if (g.Array.trimmed || a.stretch.gaps(p.Now)) && (g.Track == nil || g.Track.grown < p.Limit("growth-pushes")) {
			continue // something keeps it short, or may, and this document has not shown otherwise
		}
		switch g.Kind {
		case growSet:
			if closed(p, g.Array) || !g.Fresh && (g.Track == nil || g.Track.grown < p.Limit("growth-pushes")) {
				continue // the values are few, or this one came before
			}
		case growRewrite:
			if g.Track.rises < p.Limit("rises") {
				continue
			}
		case growPosition:
			if g.Track.rises < p.Limit("positions") {
				continue
			}
		}
		reportGrowth(p, g)
	}
}

// closed reports whether the values of a set are the same few.
func closed(p *analysis.Pass, x *array) bool {
	few := int64(x.values.Len())
	return !x.values.Full() && few <= p.Limit("closed-values") && x.added >= p.Limit("closed-adds") && x.added >= 4*few
}

// cutByPush reports whether $push has modifiers that W02 judges, or adds
// nothing.
func cutByPush(g growth) bool {
	if g.Pushed == nil {
		return false
	}
	return g.Elements == 0 || op.Get(g.Pushed, "$slice").Type != 0 || op.Get(g.Pushed, "$each").Type == 0
}

// tooLarge reports whether a write was refused because its document would be
// larger than the server takes.
func tooLarge(o *op.Operation) bool {
	switch o.Reply.Code {
	case 10334, 17419, 17420:
		return o.Kind == op.KindWrite
	}
	return false
}

func reportGrowth(p *analysis.Pass, g grown) {
	path := op.Path(g.Path)
	g.Array.grows = true
	severity, t := growthSeverity(p, g)
	f := analysis.Finding{
		Reason: string(g.Kind), Statement: g.Statement, NS: g.NS, Shape: g.shape(), Fields: []string{path},
		Message:  "array " + path + " only grows: " + growthWords[g.Kind],
		Advice:   "The whole array is rewritten at each change and the document grows towards 16 MiB, where every further write to it fails.",
		Caveat:   "a list that the business bounds, such as the addresses of a customer: name it under bounded in the configuration",
		Fix:      growthFix(g.growth, path),
		Evidence: growthEvidence(p, g.Array, t),
		Severity: severity, Override: true,
	}
	if severity > analysis.Info {
		f.Confidence = analysis.Observed
	}
	p.Report(f)
}

// growthSeverity is that of the array of this document or of the one that grew
// most, whichever is worse, and the document it comes from.
func growthSeverity(p *analysis.Pass, g grown) (analysis.Severity, *track) {
	severity, of := trackSeverity(p, g.Track), g.Track
	if worst := g.Array.worst; worst != nil && worst != of {
		if s := trackSeverity(p, g.Array.current(worst)); s >= severity {
			severity, of = s, worst
		}
	}
	switch { // or what replies show of others
	case g.Array.longest >= p.Limit("long-array"):
		severity = max(severity, analysis.High)
	case g.Array.longest >= p.Limit("many-pushes"):
		severity = max(severity, analysis.Medium)
	}
	if g.Kind == growSet { // the number of different values may bound it
		if severity = severity.Lower(); severity < analysis.Medium {
			severity = analysis.Info
		}
	}
	return severity, of
}

func trackSeverity(p *analysis.Pass, t *track) analysis.Severity {
	if t == nil || t.full(p.Limit("plateau")) || t.grown < p.Limit("growth-pushes") {
		return analysis.Info
	}
	o := forecast(p, t)
	switch {
	case t.size > 0 && t.weight() >= float64(p.Limit("critical-bytes")), o.full >= 0 && o.full < float64(p.Limit("critical-days")):
		return analysis.Critical
	case t.grown >= p.Limit("many-pushes"), t.length >= p.Limit("long-array"):
		return analysis.High
	}
	return analysis.Medium
}

func forecast(p *analysis.Pass, t *track) outlook {
	return t.outlook(time.Duration(p.Limit("forecast-minutes"))*time.Minute, p.Limit("forecast-pushes"))
}

var growthWords = map[growthKind]string{
	growPush:     "$push without $slice, and no bound in the filter",
	growSet:      "$addToSet adds every new value, and only the number of different values bounds it",
	growConcat:   "a pipeline update appends to it without $slice",
	growMerge:    "$merge appends to it without $slice",
	growRewrite:  "it is written as a whole, longer each time",
	growPosition: "elements are set one after the other by their position",
}

// growthEvidence are the figures of one document's array.
func growthEvidence(p *analysis.Pass, x *array, t *track) []analysis.Evidence {
	if t == nil {
		t = newTrack()
	}
	out := []analysis.Evidence{
		{Name: "pushes_to_one_document", Value: t.grown, Limit: p.Limit("growth-pushes"), Unit: "elements"},
		{Name: "documents", Value: x.tracked, Unit: "documents"},
	}
	length := "length"
	switch {
	case t.length < 0:
		length = "length_at_least"
	case t.about:
		length = "length_about"
	}
	out = append(out, analysis.Evidence{Name: length, Value: t.least(), Limit: p.Limit("long-array"), Unit: "elements"})
	if x.longest > t.least() {
		out = append(out, analysis.Evidence{Name: "longest_seen", Value: x.longest, Unit: "elements"})
	}
	if mean := t.mean(); mean > 0 {
		out = append(out, analysis.Evidence{Name: "element_bytes", Value: int64(mean + 0.5), Unit: "bytes"})
	}
	return append(out, forecastEvidence(p, t)...)
}

// forecastEvidence says when the array reaches the lengths from which it is
// called large, and when its document is full.
func forecastEvidence(p *analysis.Pass, t *track) (out []analysis.Evidence) {
	o := forecast(p, t)
	if o.perDay <= 0 || t.full(p.Limit("plateau")) {
		return nil
	}
	out = append(out, analysis.Evidence{Name: "elements_per_day", Value: int64(o.perDay + 0.5), Unit: "elements"})
	for _, rung := range []struct {
		name string
		n    int64
	}{{"days_to_250", 250}, {"days_to_1000", 1000}, {"days_to_10000", 10_000}} {
		if days := o.until(rung.n, t); days >= 0 {
			out = append(out, analysis.Evidence{Name: rung.name, Value: int64(days + 0.5), Unit: "days"})
		}
	}
	if o.full >= 0 {
		out = append(out, analysis.Evidence{Name: "days_to_16_mib", Value: int64(o.full + 0.5), Limit: p.Limit("critical-days"), Unit: "days"})
	}
	return out
}
