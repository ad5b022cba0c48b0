package analyzers

import (
	"slices"
	"strings"

	"go.mongodb.org/mongo-driver/v2/x/bsonx/bsoncore"

	"mongoadvisor/internal/op"
)

// lateSort: a few documents are sorted out by stored fields after all of them
// were joined or computed.
func lateSort(pipeline []bsoncore.Document, lead int) (m misplaced, ok bool) {
	var (
		changed []string // fields that are not as they are stored
		joins   bool
		blocks  bool // the server does not move the $sort past one of the stages
		single  bool // the last join finds at most one match
		unwinds bool // there may be more documents or fewer behind a $unwind
		after   string
	)
	if !hasStage(pipeline, "$sort") || !hasStage(pipeline, "$limit") {
		return m, false
	}
	for i := lead; i < len(pipeline)-1; i++ {
		name := op.FirstKey(pipeline[i])
		v := op.Get(pipeline[i], name)
		switch name {
		case "$lookup", "$graphLookup":
			as := op.Str(op.Get(op.Doc(v), "as"))
			changed, joins, after = append(changed, as), true, name
			unwound := unwindPath(op.Get(pipeline[i+1], "$unwind")) == as
			blocks = blocks || name == "$graphLookup" || unwound
			single = op.Str(op.Get(op.Doc(v), "foreignField")) == "_id"
		case "$unwind":
			changed = append(changed, unwindPath(v))
			if position := op.Str(op.Get(op.Doc(v), "includeArrayIndex")); position != "" {
				changed = append(changed, position)
			}
			all := op.True(op.Get(op.Doc(v), "preserveNullAndEmptyArrays"))
			unwinds = unwinds || !single || !all || op.FirstKey(pipeline[i-1]) != "$lookup"
		case "$set", "$addFields", "$project", "$unset":
			paths, plain := changedFields(name, v)
			if !plain {
				return m, false
			}
			changed, blocks = append(changed, paths...), true
			if !joins {
				after = name
			}
		case "$sort":
			if i == lead || !blocks || !limitFollows(pipeline[i+1:]) || !sortable(op.Doc(v), changed, pipeline[lead:i]) || fewSorted(pipeline[:lead], joins) {
				return m, false
			}
			end := i + 1
			if !unwinds { // as many as before: the limit goes with it
				for op.FirstKey(pipeline[end]) == "$skip" {
					end++
				}
				end++
			}
			reason := "project-first"
			if joins {
				reason = "limit-after-lookup"
			}
			m = misplaced{
				Reason: reason, Late: "$sort", After: after, Order: op.Doc(v),
				Limited: !unwinds,
				Better:  pipelineText(slices.Concat(pipeline[:lead], pipeline[i:end], pipeline[lead:i], pipeline[end:])),
			}
			for path := range op.Fields(m.Order) {
				m.Fields = append(m.Fields, op.Path(path))
			}
			return m, true
		default:
			return m, false
		}
	}
	return m, false
}

// limitFollows reports whether $limit comes first, or after $skip.
func limitFollows(rest []bsoncore.Document) bool {
	for _, d := range rest {
		switch op.FirstKey(d) {
		case "$skip":
		case "$limit":
			return true
		default:
			return false
		}
	}
	return false
}

// fewSorted reports whether a $match at the front leaves so few documents that their
// order costs nothing: any selective one when nothing is joined, else an _id.
func fewSorted(lead []bsoncore.Document, joins bool) bool {
	if !joins {
		return narrowedBy(lead)
	}
	for _, d := range lead {
		for pred := range (op.Filter{Doc: op.Doc(op.Get(d, "$match"))}).Predicates() {
			if pred.Path == "_id" && (pred.Op == "$eq" || pred.Op == "$in") && !pred.Or && !pred.Negated {
				return true
			}
		}
	}
	return false
}

// changedFields lists the fields that a stage makes or takes away; plain is false
// when it cannot be told.
func changedFields(name string, v bsoncore.Value) (paths []string, plain bool) {
	switch d := op.Doc(v); {
	case name == "$unset":
		if s := op.Str(v); s != "" {
			return []string{s}, true
		}
		for item := range op.Items(op.Arr(v)) {
			paths = append(paths, op.Str(item))
		}
		return paths, true
	case d == nil:
		return nil, false
	default:
		for path, expr := range op.Fields(d) {
			if n, ok := expr.AsFloat64OK(); name == "$project" && (ok && n != 0 || expr.Type == bsoncore.TypeBoolean && expr.Boolean()) {
				continue // as it is
			}
			paths = append(paths, path)
		}
		return paths, true
	}
}

// sortable reports whether an order is by fields that are still as they are
// stored. A $project that names fields keeps no others.
func sortable(order bsoncore.Document, changed []string, before []bsoncore.Document) bool {
	for path, v := range op.Fields(order) {
		if _, ok := v.AsFloat64OK(); !ok || touchesAny(changed, path) || strings.HasPrefix(path, "$") {
			return false
		}
		for _, d := range before {
			if project := op.Doc(op.Get(d, "$project")); project != nil && path != "_id" && isInclusion(project) && op.Get(project, path).Type == 0 {
				return false
			}
		}
	}
	return true
}

// isInclusion reports whether a $project names what it keeps.
func isInclusion(project bsoncore.Document) bool {
	for path, v := range op.Fields(project) {
		n, ok := v.AsFloat64OK()
		if path != "_id" {
			return !(ok && n == 0 || v.Type == bsoncore.TypeBoolean && !v.Boolean())
		}
	}
	return true
}

// unwindGroup: an array is taken apart and its elements are grouped by the
// document they came from: an expression over the array does the same in place.
func unwindGroup(pipeline []bsoncore.Document, lead int) (m misplaced, ok bool) {
	unwind := op.Get(pipeline[lead], "$unwind")
	path := unwindPath(unwind)
	if path == "" || lead+1 == len(pipeline) || op.Get(op.Doc(unwind), "includeArrayIndex").Type != 0 {
		return m, false // an expression over the array does not know the position
	}
	group := op.Doc(op.Get(pipeline[lead+1], "$group"))
	if op.Str(op.Get(group, "_id")) != "$_id" {
		return m, false
	}
	var parts []string
	for name, acc := range op.Fields(group) {
		if name == "_id" {
			continue
		}
		text, ok := inPlace(acc, path)
		if name = op.Name(name); !ok || strings.HasPrefix(name, "<") {
			return m, false
		}
		parts = append(parts, field(name)+": "+text)
	}
	if len(parts) == 0 || len(parts) > maxUsed {
		return m, false
	}
	better := pipelineText(pipeline[:lead])
	better = strings.TrimSuffix(better, "]")
	if lead > 0 {
		better += ", "
	}
	better += "{ $project: { " + strings.Join(parts, ", ") + " } }"
	if rest := pipelineText(pipeline[lead+2:]); rest != "[]" {
		better += ", " + rest[1:]
	} else {
		better += "]"
	}
	return misplaced{Reason: "unwind-then-group", Late: "$group", After: "$unwind", Fields: []string{op.Path(path)}, Better: better}, true
}

// inPlace writes an accumulator over the elements of an array as an expression
// over the array.
func inPlace(acc bsoncore.Value, array string) (string, bool) {
	name, operand := operator(acc)
	path := fieldPath(operand)
	of := path == array || strings.HasPrefix(path, array+".")
	clean := quote("$" + op.Path(path))
	if indexable(op.Path(path)) != op.Path(path) || indexable(op.Path(array)) != op.Path(array) {
		return "", false
	}
	size := "{ $size: " + quote("$"+op.Path(array)) + " }"
	n, isNumber := op.Int(operand)
	switch {
	case name == "$count", name == "$sum" && isNumber && n == 1:
		return size, true
	case of && (name == "$sum" || name == "$avg" || name == "$min" || name == "$max" || name == "$first" || name == "$last"):
		return "{ " + name + ": " + clean + " }", true
	case of && name == "$push":
		return clean, true
	case of && name == "$addToSet":
		return "{ $setUnion: [" + clean + ", []] }", true
	case path != "" && !of && (name == "$first" || name == "$last" || name == "$min" || name == "$max"):
		return clean, true
	}
	return "", false
}
