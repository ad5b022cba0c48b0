package analyzers

import (
	"strings"

	"go.mongodb.org/mongo-driver/v2/x/bsonx/bsoncore"

	"mongoadvisor/internal/op"
)

// value is one value of a reply; only its hash is kept.
type value struct {
	hash uint64
	read uint32
	path uint16
	at   uint16 // how many different ones were at the path before it
	prev int32  // the one before with the same hash, -1 for none
}

// keep remembers one value of a reply if a later query could ask for it.
func (t *trail) keep(r *read, w *op.Walker, v bsoncore.Value) {
	if _, ok := reference(v); !ok {
		return
	}
	use := t.use(r, w)
	if use == nil {
		return
	}
	use.rows++
	h := op.Hash(v)
	for i, n := t.first(h), 0; i >= 0 && n < maxSame; i, n = t.values[i].prev, n+1 {
		if k := &t.values[i]; k.hash == h && k.read == r.serial && k.path == use.path {
			return
		}
	}
	if use.distinct >= maxPathValues {
		return
	}
	t.put(value{hash: h, read: r.serial, path: use.path, at: use.distinct})
	use.distinct++
}

// use finds or makes what a reply has at the path of a walk.
func (t *trail) use(r *read, w *op.Walker) *pathUse {
	id, ok := t.pathOf(w, len(r.paths) < maxPathsRead)
	if !ok {
		return nil
	}
	for i := range r.paths {
		if r.paths[i].path == id {
			return &r.paths[i]
		}
	}
	if len(r.paths) >= maxPathsRead {
		return nil
	}
	r.paths = append(r.paths, pathUse{path: id, array: inArray(w.Keys())})
	return &r.paths[len(r.paths)-1]
}

// pathOf is the number of the path of a walk, a new one only when the reply has
// room for it. Keys that look like data are not told apart: there is no end of them.
func (t *trail) pathOf(w *op.Walker, room bool) (uint16, bool) {
	h := w.PathHash()
	id, ok := t.byHash[h]
	if ok {
		return id, true
	}
	path := w.Path()
	if clean := op.Path(path); clean != path {
		path, h = clean, op.HashString(clean)
		if id, ok = t.byHash[h]; ok {
			return id, true
		}
	}
	if !room || len(t.paths) >= maxPaths {
		return 0, false
	}
	return t.addPath(h, path), true
}

func (t *trail) addPath(h uint64, path string) uint16 {
	t.paths = append(t.paths, path)
	t.byHash[h] = uint16(len(t.paths) - 1)
	return t.byHash[h]
}

// intern is a path that aliases no message.
func (t *trail) intern(h uint64, path string) string {
	if id, ok := t.byHash[h]; ok {
		return t.paths[id]
	}
	path = strings.Clone(path)
	if len(t.paths) < maxPaths {
		t.addPath(h, path)
	}
	return path
}

func inArray(keys []string) bool {
	for _, k := range keys[1:] {
		if k != "" && k[0] >= '0' && k[0] <= '9' {
			return true
		}
	}
	return false
}

func (t *trail) put(v value) {
	at := len(t.values)
	if at < maxTracedValues {
		t.values = append(t.values, value{})
	} else {
		at = t.oldest
		t.oldest = (t.oldest + 1) % maxTracedValues
		if gone := t.values[at].hash; t.newest[gone] == int32(at) {
			delete(t.newest, gone)
		}
	}
	v.prev = t.first(v.hash)
	t.values[at] = v
	t.newest[v.hash] = int32(at)
}

// first is the place of the newest value with a hash, -1 for none.
func (t *trail) first(h uint64) int32 {
	if i, ok := t.newest[h]; ok {
		return i
	}
	return -1
}
