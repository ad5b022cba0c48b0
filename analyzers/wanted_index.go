package analyzers

import (
	"slices"
	"strings"

	"go.mongodb.org/mongo-driver/v2/x/bsonx/bsoncore"

	"mongoadvisor/internal/op"
	"mongoadvisor/internal/regex"
)

// Bounds of an index that is proposed.
const (
	maxIndexFields = 4
	maxEqualList   = 200 // values of a list from which Q07 speaks of it; a shorter one counts as an equality
)

// wanted is what an index would have to serve for one statement: the conditions
// that hold for each of its results, and its order. Paths are as sent.
type wanted struct {
	Equal, Ranges []string
	Lists         []string // those of Equal that are a list
	Sort          []sortKey
	Branches      []wanted // of an $or
	// Other: it has a condition that is served by an index of another kind, or one
	// that Q07 speaks of.
	Other bool
}

// wantedIndex reads the conditions and the order of a statement on stored documents.
// ok is false when they are not all known.
func wantedIndex(s *op.Statement) (w wanted, ok bool) {
	sort := s.Sort
	w.conditions(s.Filter)
stages:
	for _, d := range s.Pipeline {
		switch name := op.FirstKey(d); name {
		case "$match":
			w.conditions(op.Doc(op.Get(d, name)))
		case "$sort":
			if sort == nil {
				sort = op.Doc(op.Get(d, name))
			}
			break stages
		case "$geoNear", "$search", "$vectorSearch", "$searchMeta", "$indexStats", "$collStats", "$documents", "$sample":
			return w, false
		default:
			break stages
		}
	}
	w.Sort, ok = (&skip{Sort: sort}).order()
	return w, ok && !w.Other
}

// conditions takes a filter in.
func (w *wanted) conditions(doc bsoncore.Document) {
	for pred := range (op.Filter{Doc: doc}).Predicates() {
		if !pred.Negated && !pred.Or {
			w.condition(pred)
		}
	}
	for key, v := range op.Fields(doc) {
		if key != "$or" || op.Len(v) < 2 {
			continue
		}
		for _, d := range op.Docs(v) {
			var branch wanted
			branch.conditions(d)
			w.Other = w.Other || branch.Other
			if w.Branches = append(w.Branches, branch); len(w.Branches) == maxEqualList {
				w.Other = true
				return
			}
		}
	}
}

func (w *wanted) condition(pred op.Predicate) {
	switch pred.Op {
	case "$eq":
		addPath(&w.Equal, pred.Path)
	case "$in":
		switch n := op.Len(pred.Value); {
		case n >= maxEqualList:
			w.Other = true
		case !hasRegex(pred):
			addPath(&w.Equal, pred.Path)
			addPath(&w.Lists, pred.Path)
		}
	case "$gt", "$gte", "$lt", "$lte":
		addPath(&w.Ranges, pred.Path)
	case "$regex":
		if pred.Via == "" && regex.Classify(pred.Pattern, pred.Options).Reason == regex.OK {
			addPath(&w.Ranges, pred.Path)
		}
	case "$all":
		w.Other = w.Other || op.Len(pred.Value) >= maxEqualList
		addPath(&w.Equal, pred.Path)
	case "$text", "$near", "$nearSphere", "$geoWithin", "$geoIntersects":
		w.Other = true
	}
}

func addPath(paths *[]string, path string) {
	if path != "" && !slices.Contains(*paths, path) {
		*paths = append(*paths, path)
	}
}

// empty reports whether no condition could lead an index.
func (w *wanted) empty() bool { return len(w.Equal) == 0 && len(w.Ranges) == 0 && len(w.Branches) == 0 }

// paths are the fields of the conditions, cleaned, equalities first.
func (w *wanted) paths() []string {
	out := []string{}
	for _, list := range [][]string{w.Equal, w.Ranges} {
		for _, path := range list {
			if path = op.Path(path); !slices.Contains(out, path) && len(out) < maxUsed {
				out = append(out, path)
			}
		}
	}
	return out
}

// keys writes the index that serves conditions and order: equalities, order,
// ranges. It is "" when none of the fields can be named.
func (w *wanted) keys() string {
	var out, taken []string
	take := func(path, direction string) {
		name := indexable(op.Path(path))
		if name == "" || len(out) == maxIndexFields || slices.Contains(taken, name) {
			return
		}
		taken = append(taken, name)
		out = append(out, field(name)+": "+direction)
	}
	for _, path := range w.Equal {
		take(path, "1")
	}
	for _, k := range w.Sort {
		direction := "1"
		if k.Down {
			direction = "-1"
		}
		take(k.Path, direction)
	}
	for _, path := range w.Ranges {
		take(path, "1")
	}
	if len(out) == 0 {
		return ""
	}
	return "{ " + strings.Join(out, ", ") + " }"
}
