package analyzers

import (
	"strings"

	"go.mongodb.org/mongo-driver/v2/x/bsonx/bsoncore"

	"mongoadvisor/internal/analysis"
	"mongoadvisor/internal/op"
)

func sliceMisuse() *analysis.Analyzer {
	return &analysis.Analyzer{
		ID: "W02", Name: "slice-misuse", Since: "0.1.0", Severity: analysis.High, Correctness: true,
		Title:    "$slice that does not keep what it seems to",
		Commands: updateCommands, Run: runSliceMisuse, Wants: op.TraitAppend,
		Reasons: []analysis.Reason{
			{Name: "slice-without-each", Doc: "$slice, $sort or $position without $each is stored as part of the element"},
			{Name: "drops-newest", Doc: "once the array is full, the new element is the one that is cut"},
			{Name: "slice-zero", Doc: "$slice: 0 empties the array at each push"},
			{Name: "slice-too-large", Doc: "a bound so far away that it bounds nothing"},
		},
		Limits: []analysis.Limit{
			{Name: "max-slice", Default: 10_000, Unit: "elements", Doc: "a $slice beyond it is no bound in practice"},
			{Name: "max-slice-bytes", Default: 2_000_000, Unit: "bytes", Doc: "$slice times the size of the pushed element beyond it is no bound in practice"},
		},
		Doc: analysis.Doc{
			What: "A `$push` whose modifiers do something else than bound the array to its newest elements.",
			Why: "Measured on MongoDB 6.0.5: `$push: {a: {x: 9, $slice: -3}}` without `$each` is stored as an element with a field called `$slice`, and the array goes on growing. " +
				"`$each` with `$slice: 3` and neither `$sort` nor `$position: 0` keeps the oldest 3: new elements vanish while the reply still says `nModified: 1`.",
			Fix:    "Newest last: `{$each: [x], $slice: -10}`. Newest first: `{$each: [x], $position: 0, $slice: 10}`. Sorted: `{$each: [x], $sort: {createdAt: -1}, $slice: 10}`.",
			Guards: "Silent for `$each: []` with `$slice`, which trims on purpose; for a sort that keeps the best (`$sort: {score: -1}, $slice: 10`); for a positive `$slice` with another `$position`. Wrong here when exactly the first elements are wanted: ignore it with a reason.",
			Lesson: "Schema anti-patterns and Patterns for read performance: `$push` with `$each`, `$sort` and `$slice`.",
		},
	}
}

func runSliceMisuse(p *analysis.Pass) {
	for g := range growths(p.Op) {
		if g.Kind != growPush || g.Pushed == nil {
			continue
		}
		if reason := judgeSlice(p, g); reason != "" {
			reportSlice(p, g, reason)
		}
	}
}

// judgeSlice names what is wrong with the modifiers of a $push, or "".
func judgeSlice(p *analysis.Pass, g growth) string {
	each, slice := op.Get(g.Pushed, "$each"), op.Get(g.Pushed, "$slice")
	if each.Type == 0 {
		return "slice-without-each"
	}
	n, ok := slice.AsInt64OK()
	if !ok || g.Elements == 0 {
		return ""
	}
	size := int64(len(each.Data) / g.Elements)
	switch bound := max(n, -n); {
	case n == 0:
		return "slice-zero"
	case cutsNewest(g.Pushed, n):
		return "drops-newest"
	case bound > p.Limit("max-slice") || bound*size > p.Limit("max-slice-bytes"):
		return "slice-too-large"
	}
	return ""
}

// cutsNewest reports whether a full array loses the element just pushed. The
// server inserts at $position, then sorts, then slices.
func cutsNewest(push bsoncore.Document, slice int64) bool {
	if by := op.Get(push, "$sort"); by.Type != 0 {
		direction := timeOrder(by)
		return direction != 0 && (direction > 0) == (slice > 0)
	}
	position, placed := op.Get(push, "$position").AsInt64OK()
	switch {
	case !placed:
		return slice > 0
	case position == 0:
		return slice < 0
	}
	return false
}

// timeOrder is the direction of a sort by a field that holds a time, 0 for any
// other sort: only then is it known which element is the newest.
func timeOrder(by bsoncore.Value) int {
	for path, v := range op.Fields(op.Doc(by)) {
		n, _ := v.AsInt64OK()
		if timeLike(path) {
			return int(n)
		}
		return 0 // a later key only breaks ties
	}
	return 0
}

// timeLike reports whether a field's name says that it holds a time.
func timeLike(path string) bool {
	name := path[strings.LastIndexByte(path, '.')+1:]
	switch lower := strings.ToLower(name); lower {
	case "at", "ts", "t", "date", "time", "timestamp", "when", "created", "updated", "posted":
		return true
	default:
		return strings.HasSuffix(name, "At") || strings.HasSuffix(lower, "_at") ||
			strings.HasSuffix(lower, "date") || strings.HasSuffix(lower, "time") || strings.HasSuffix(lower, "timestamp")
	}
}

var sliceWords = map[string]struct {
	severity analysis.Severity
	message  string
	advice   string
}{
	"slice-without-each": {
		analysis.Critical, "is pushed with modifiers but without $each: they are stored as part of the element, and the array grows without limit",
		"The server takes the document as the element to store; there is no error, and the code that wrote it believes that the array is bounded.",
	},
	"drops-newest": {
		analysis.High, "keeps its oldest elements: once it is full, what is pushed is cut at once",
		"The reply still reports a modified document, so the loss goes unnoticed.",
	},
	"slice-zero": {
		analysis.Medium, "is emptied at each push by $slice: 0",
		"What is pushed is thrown away with the rest.",
	},
	"slice-too-large": {
		analysis.Low, "has a $slice so large that it bounds nothing in practice",
		"Each change rewrites the whole array; long before this bound, updates are slow and the document is large.",
	},
}

func reportSlice(p *analysis.Pass, g growth, reason string) {
	path, words := op.Path(g.Path), sliceWords[reason]
	f := analysis.Finding{
		Reason: reason, Statement: g.Statement, NS: g.NS, Shape: g.shape(), Fields: []string{path},
		Severity: words.severity, Override: true,
		Message: "array " + path + " " + words.message, Advice: words.advice,
		Caveat: "an array that is meant to keep its first elements",
		Fix: analysis.Fix{
			Text: "Newest last: $each with a negative $slice. Newest first: $each with $position: 0 and a positive $slice. Sorted by time: $each, $sort descending, positive $slice.",
		},
	}
	if reason == "slice-without-each" {
		f.Caveat = "elements that are meant to hold a field of that name"
	}
	if n, _ := op.Get(g.Pushed, "$slice").AsInt64OK(); reason == "slice-too-large" {
		f.Evidence = []analysis.Evidence{{Name: "slice_at_least", Value: magnitude(max(n, -n)), Limit: p.Limit("max-slice"), Unit: "elements"}}
	}
	if !strings.Contains(path, "<") {
		f.Fix.Mongosh = coll(g.NS) + ".updateOne({ _id: <id> }, { $push: { " + field(path) + ": { $each: [<element>], $slice: -10 } } })"
	}
	p.Report(f)
}
