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
	maxEqualList   = 200 // values of a list that count as an equality; a longer one is a range
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
			if len(w.Branches) == maxEqualList {
				w.Other = true
				return
			}
			var branch wanted
			branch.conditions(d)
			w.Other = w.Other || branch.Other
			w.Branches = append(w.Branches, branch)
		}
	}
}

func (w *wanted) condition(pred op.Predicate) {
	switch pred.Op {
	case "$eq":
		addPath(&w.Equal, pred.Path)
	case "$in":
		switch n := op.Len(pred.Value); {
		case n > maxEqualList:
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

// has reports whether a field has a condition that holds for each result.
func (w *wanted) has(path string) bool {
	return slices.Contains(w.Equal, path) || slices.Contains(w.Ranges, path)
}

// below reports whether a field under a prefix has such a condition.
func (w *wanted) below(prefix string) bool {
	under := func(path string) bool { return strings.HasPrefix(path, prefix) }
	return slices.ContainsFunc(w.Equal, under) || slices.ContainsFunc(w.Ranges, under)
}

// led is an index whose first field has a condition, with its name as far as
// that is clean. A wildcard index and a partial one count: they may serve it.
func (w *wanted) led(indexes []op.Index) (ix op.Index, ok bool) {
	if w.has("_id") {
		return op.Index{Name: "_id_", Keys: []op.IndexKey{{Path: "_id", Kind: "1"}}}, true
	}
	for _, ix := range indexes {
		first := ix.Keys[0].Path
		below, wildcard := strings.CutSuffix(first, "$**")
		if !ix.Hidden && (w.has(first) || wildcard && w.below(below)) {
			return ix, true
		}
	}
	return op.Index{}, false
}

// unservedBranches are the branches of the $or that no index leads; one spoils
// all, for then the whole collection is read.
func (w *wanted) unservedBranches(indexes []op.Index) (out []wanted) {
	for _, b := range w.Branches {
		if _, ok := b.led(indexes); !ok && len(b.unservedBranches(indexes)) > 0 || !ok && len(b.Branches) == 0 {
			out = append(out, b)
		}
	}
	return out
}

// ordered reports whether an index gives the documents in the order asked for:
// behind fields that are compared by equality, its fields are those of the
// order, in the same or all in the opposite direction.
func (w *wanted) ordered(indexes []op.Index) bool {
	var keys []sortKey
	for _, k := range w.Sort {
		if !w.single(k.Path) {
			keys = append(keys, k)
		}
	}
	if len(keys) == 0 || keys[0].Path == "_id" {
		return true
	}
	return slices.ContainsFunc(indexes, func(ix op.Index) bool { return !ix.Hidden && w.inOrder(ix, keys) })
}

// single reports whether a field has one value in all results.
func (w *wanted) single(path string) bool {
	return slices.Contains(w.Equal, path) && !slices.Contains(w.Lists, path)
}

func (w *wanted) inOrder(ix op.Index, keys []sortKey) bool {
	at, opposite := 0, false
	for _, k := range ix.Keys {
		if k.Kind != "1" && k.Kind != "-1" {
			return false
		}
		if k.Path != keys[at].Path {
			if at == 0 && slices.Contains(w.Equal, k.Path) { // one of a list is merged in order
				continue
			}
			return false
		}
		turned := keys[at].Down != (k.Kind == "-1")
		if at > 0 && turned != opposite {
			return false
		}
		opposite = turned
		if at++; at == len(keys) {
			return true
		}
	}
	return false
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
