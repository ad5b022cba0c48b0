package analyzers

import (
	"bytes"
	"slices"
	"strings"

	"go.mongodb.org/mongo-driver/v2/x/bsonx/bsoncore"

	"mongoadvisor/internal/op"
)

// misplaced is a stage that could stand earlier in its pipeline, where the
// server does not move it by itself.
type misplaced struct {
	Reason  string
	Late    string // the stage that comes too late
	After   string // what it comes after
	Fields  []string
	Order   bsoncore.Document // of a $sort, for the index
	Limited bool              // its $limit goes with it
	Better  string            // the pipeline as it should be
}

// misplacements lists what is out of order in a pipeline over stored documents.
// What the server moves by itself is left out: TestServerOrder holds that list.
func misplacements(pipeline []bsoncore.Document) (out []misplaced) {
	if len(pipeline) < 2 && op.FirstKey(pipeline[0]) != "$facet" {
		return nil
	}
	lead := leadingMatches(pipeline)
	if lead == len(pipeline) {
		return nil
	}
	for _, look := range []func([]bsoncore.Document, int) (misplaced, bool){
		facetMatch, unwoundMatch, windowMatch, replacedMatch, lateSort, unwindGroup,
	} {
		if m, ok := look(pipeline, lead); ok {
			out = append(out, m)
		}
	}
	return out
}

// leadingMatches counts the $match stages a pipeline begins with.
func leadingMatches(pipeline []bsoncore.Document) int {
	for i, d := range pipeline {
		if op.FirstKey(d) != "$match" {
			return i
		}
	}
	return len(pipeline)
}

// narrowedBy reports whether a $match at the front leaves few documents already.
func narrowedBy(lead []bsoncore.Document) bool {
	for _, d := range lead {
		if selective(op.Doc(op.Get(d, "$match"))) {
			return true
		}
	}
	return false
}

// withStages is the pipeline with stages before the one at index to.
func withStages(pipeline []bsoncore.Document, to int, pipelineText ...bsoncore.Document) []bsoncore.Document {
	return slices.Concat(pipeline[:to], pipelineText, pipeline[to:])
}

// facetMatch: every branch of $facet begins with the same $match.
func facetMatch(pipeline []bsoncore.Document, lead int) (m misplaced, ok bool) {
	var first bsoncore.Document
	for _, branch := range op.Fields(op.Doc(op.Get(pipeline[lead], "$facet"))) {
		inner := op.Docs(branch)
		if len(inner) == 0 || op.FirstKey(inner[0]) != "$match" || first != nil && !bytes.Equal(first, inner[0]) {
			return m, false
		}
		first = inner[0]
	}
	match := op.Doc(op.Get(first, "$match"))
	if !selective(match) || narrowedBy(pipeline[:lead]) {
		return m, false
	}
	return misplaced{
		Reason: "match-after-facet", Late: "$match", After: "$facet", Fields: everyField(match),
		Better: pipelineText(withStages(pipeline, lead, first)),
	}, true
}

// unwoundMatch: $unwind and then a $match on the array's elements, which the
// array as a whole could be searched for first.
func unwoundMatch(pipeline []bsoncore.Document, lead int) (m misplaced, ok bool) {
	path := unwindPath(op.Get(pipeline[lead], "$unwind"))
	if path == "" || lead+1 == len(pipeline) || narrowedBy(pipeline[:lead]) {
		return m, false
	}
	under := func(p string) bool { return p == path || strings.HasPrefix(p, path+".") }
	match := op.Doc(op.Get(pipeline[lead+1], "$match"))
	fields, only := boundFields(match, under)
	if len(fields) == 0 || !only {
		return m, false // a selective condition on another field is moved by the server
	}
	kept := keepConditions(match, under)
	if op.FirstKey(kept) == "" {
		return m, false
	}
	early := bsoncore.BuildDocument(nil, bsoncore.AppendDocumentElement(nil, "$match", kept))
	return misplaced{
		Reason: "match-after-unwind", Late: "$match", After: "$unwind", Fields: fields,
		Better: pipelineText(withStages(pipeline, lead, early)),
	}, true
}

// windowMatch: $setWindowFields over all partitions, of which one is wanted.
func windowMatch(pipeline []bsoncore.Document, lead int) (m misplaced, ok bool) {
	by := fieldPath(op.Get(op.Doc(op.Get(pipeline[lead], "$setWindowFields")), "partitionBy"))
	if by == "" || lead+1 == len(pipeline) || narrowedBy(pipeline[:lead]) {
		return m, false
	}
	is := func(p string) bool { return p == by }
	match := op.Doc(op.Get(pipeline[lead+1], "$match"))
	fields, _ := boundFields(match, is)
	if len(fields) == 0 {
		return m, false
	}
	kept := keepConditions(match, is)
	if op.FirstKey(kept) == "" {
		return m, false
	}
	early := bsoncore.BuildDocument(nil, bsoncore.AppendDocumentElement(nil, "$match", kept))
	return misplaced{
		Reason: "match-after-window", Late: "$match", After: "$setWindowFields", Fields: fields,
		Better: pipelineText(withStages(pipeline, lead, early)),
	}, true
}

// replacedMatch: the whole document is merged into a new one, and then its own
// fields are searched for.
func replacedMatch(pipeline []bsoncore.Document, lead int) (m misplaced, ok bool) {
	var others []string // fields that are not the document's own
	for i := lead; i < len(pipeline)-1; i++ {
		for name, v := range op.Fields(pipeline[i]) {
			switch name {
			case "$lookup":
				others = append(others, op.Str(op.Get(op.Doc(v), "as")))
				continue
			case "$replaceRoot", "$replaceWith":
				if name == "$replaceRoot" {
					v = op.Get(op.Doc(v), "newRoot")
				}
			default:
				return m, false
			}
			match := op.Doc(op.Get(pipeline[i+1], "$match"))
			others = append(others, mergedFields(v)...)
			own := func(p string) bool { return !touchesAny(others, p) }
			fields, only := boundFields(match, own)
			if !mergesLast(v) || !only || !allOwn(match, own) || len(fields) == 0 || narrowedBy(pipeline[:lead]) {
				return m, false
			}
			rest := slices.Concat(pipeline[lead:i+1], pipeline[i+2:])
			return misplaced{
				Reason: "match-after-replace", Late: "$match", After: name, Fields: fields,
				Better: pipelineText(slices.Concat(pipeline[:lead], pipeline[i+1:i+2], rest)),
			}, true
		}
	}
	return m, false
}

// mergesLast reports whether an expression is $mergeObjects with the document
// itself as the last, whose fields win.
func mergesLast(v bsoncore.Value) bool {
	name, operand := operator(v)
	last := ""
	for item := range op.Items(op.Arr(operand)) {
		last = op.Str(item)
	}
	return name == "$mergeObjects" && (last == "$$ROOT" || last == "$$CURRENT")
}

// mergedFields are the fields that a $mergeObjects names itself.
func mergedFields(v bsoncore.Value) (fields []string) {
	_, operand := operator(v)
	for item := range op.Items(op.Arr(operand)) {
		for name := range op.Fields(op.Doc(item)) {
			fields = append(fields, name)
		}
	}
	return fields
}

// allOwn reports whether every condition is on a field of the document's own.
func allOwn(match bsoncore.Document, own func(string) bool) bool {
	for pred := range (op.Filter{Doc: match}).Predicates() {
		if pred.Path == "" || !own(pred.Path) {
			return false
		}
	}
	return true
}

// touchesAny reports whether a path is one of the fields, or below or above one.
func touchesAny(fields []string, path string) bool {
	return slices.ContainsFunc(fields, func(f string) bool {
		return f == path || strings.HasPrefix(path, f+".") || strings.HasPrefix(f, path+".")
	})
}

// boundFields lists the fields under a path on which a $match has conditions that
// an index could serve; only is false when it has such conditions elsewhere.
func boundFields(match bsoncore.Document, under func(string) bool) (fields []string, only bool) {
	only = true
	for pred := range (op.Filter{Doc: match}).Predicates() {
		if pred.Negated || pred.Or || pred.Path == "" || !bounds(pred) {
			continue
		}
		if !under(pred.Path) {
			only = false
		} else if path := op.Path(pred.Path); !slices.Contains(fields, path) && len(fields) < maxUsed {
			fields = append(fields, path)
		}
	}
	return fields, only
}

func everyField(match bsoncore.Document) []string {
	fields, _ := boundFields(match, func(string) bool { return true })
	return fields
}

// keepConditions is the part of a $match with conditions on the fields under a path that
// can be asked of an array as of its elements. What holds for an element and not
// for the whole array, as $ne and $elemMatch, is left out.
func keepConditions(match bsoncore.Document, under func(string) bool) bsoncore.Document {
	var kept []byte
	for path, v := range op.Fields(match) {
		part := bsoncore.BuildDocument(nil, bsoncore.AppendValueElement(nil, path, v))
		whole := under(path) && op.Get(op.Doc(v), "$elemMatch").Type == 0
		for pred := range (op.Filter{Doc: part}).Predicates() {
			whole = whole && !pred.Negated && !pred.Or && bounds(pred)
		}
		if whole {
			kept = bsoncore.AppendValueElement(kept, path, v)
		}
	}
	return bsoncore.BuildDocument(nil, kept)
}
