package analyzers

import (
	"strconv"
	"strings"

	"go.mongodb.org/mongo-driver/v2/x/bsonx/bsoncore"

	"mongoadvisor/internal/op"
	"mongoadvisor/internal/regex"
)

// narrowed reports whether few documents are left for a filter to look at: it
// has a selective condition of its own, or one stands beside it in its pipeline,
// or a join brings the documents in by a key. Whether an index serves that
// condition is not asked: a rule about what no index can serve must not speak
// where something else may well leave ten documents.
func narrowed(s *op.Statement, f op.Filter) bool {
	if selective(f.Doc) {
		return true
	}
	if !strings.HasPrefix(f.Place, "pipeline") {
		return false
	}
	for st := range s.Stages() {
		if narrows(st, f.Place) {
			return true
		}
	}
	return false
}

// narrows reports whether a stage leaves few documents for the filter at place.
func narrows(st op.Stage, place string) bool {
	switch st.Name {
	case "$lookup":
		return op.Get(op.Doc(st.Value), "localField").Type != 0 && strings.HasPrefix(place, st.Path+".$lookup.pipeline[")
	case "$facet": // after other stages its documents are computed
		return !st.First() && strings.HasPrefix(place, st.Path+".$facet.")
	}
	i := strings.LastIndexByte(st.Path, '[')
	rest, same := strings.CutPrefix(place, st.Path[:i+1])
	number, rest, _ := strings.Cut(rest, "]")
	at, err := strconv.Atoi(number)
	if !same || err != nil {
		return false
	}
	if below := strings.HasPrefix(rest, ".$facet."); !below && strings.Contains(rest, "[") {
		return false // in a pipeline over another collection
	}
	switch st.Name {
	case "$match": // one behind it is joined to it by the server, when only such stages are between
		return selective(op.Doc(st.Value)) && (st.Index < at || st.First())
	case "$geoNear", "$search", "$vectorSearch", "$limit", "$sample":
		return st.Index < at
	}
	return false
}

// selective reports whether a filter has a condition that holds for each of its
// results and for which an index has bounds: an equality, a list, a range, a
// bounded regular expression, a text or geo search.
func selective(doc bsoncore.Document) bool {
	for pred := range (op.Filter{Doc: doc}).Predicates() {
		if !pred.Negated && !pred.Or && bounds(pred) {
			return true
		}
	}
	return branches(doc)
}

// branches reports whether every branch of an $or is selective.
func branches(doc bsoncore.Document) bool {
	for key, v := range op.Fields(doc) {
		switch key {
		case "$and":
			for _, d := range op.Docs(v) {
				if branches(d) {
					return true
				}
			}
		case "$or":
			all := true
			for _, d := range op.Docs(v) {
				all = all && selective(d)
			}
			if all {
				return true
			}
		}
	}
	return false
}

// bounds reports whether one condition gives an index bounds. What is not known
// counts as if it did.
func bounds(pred op.Predicate) bool {
	switch pred.Op {
	case "$ne", "$nin", "$not", "$exists", "$size", "$mod", "$type", "$where", "$comment", "$sampleRate",
		"$bitsAllSet", "$bitsAllClear", "$bitsAnySet", "$bitsAnyClear", "$alwaysTrue":
		return false
	case "$eq":
		return !isNull(pred.Value)
	case "$in":
		return listBounds(pred.Value)
	case "$regex":
		return pred.Via != "$in" && boundedRegex(pred.Pattern, pred.Options)
	case "$expr":
		return judgeExpr(pred.Value).Indexable
	}
	return true
}

// listBounds judges the values of an $in: one regular expression without bounds
// spoils all, and null alone finds what is missing.
func listBounds(list bsoncore.Value) bool {
	some := false
	for item := range op.Items(op.Arr(list)) {
		if pattern, options, ok := item.RegexOK(); ok && !boundedRegex(pattern, options) {
			return false
		}
		some = some || !isNull(item)
	}
	return some
}

func boundedRegex(pattern, options string) bool {
	switch regex.Classify(pattern, options).Reason {
	case regex.OK, regex.ShortPrefix, regex.OptionalQuantifier:
		return true
	}
	return false
}

func isNull(v bsoncore.Value) bool {
	return v.Type == bsoncore.TypeNull || v.Type == bsoncore.TypeUndefined
}

// everything reports whether a filter is there and has no condition.
func everything(doc bsoncore.Document) bool {
	if doc == nil {
		return false
	}
	for key := range op.Fields(doc) {
		if key != "$comment" {
			return false
		}
	}
	return true
}

// hasPositiveRegex reports whether a filter looks for a regular expression: then
// Q01 to Q04 say what is wrong with it, if anything is.
func hasPositiveRegex(f op.Filter) bool {
	for pred := range f.Predicates() {
		if pred.Op == "$regex" && !pred.Negated {
			return true
		}
	}
	return false
}
