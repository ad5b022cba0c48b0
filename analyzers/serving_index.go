package analyzers

import (
	"slices"
	"strings"

	"mongoadvisor/internal/op"
)

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
