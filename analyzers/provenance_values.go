package analyzers

import (
	"encoding/hex"
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
	prev int32  // the one before in the same bucket, -1 for none
}

// values are the newest values of all replies: a ring, and a hash table of chains
// through it, newest first. What is overwritten is not taken out of its chain: a
// step to something that is not older ends it.
type values struct {
	ring    []value
	oldest  int
	buckets []int32 // place in ring of the newest, plus one
}

// maxChain bounds the steps to the next value with a hash.
const maxChain = 64

func (x *values) put(v value) {
	if x.buckets == nil {
		x.buckets = make([]int32, 2*maxTracedValues)
	}
	at := len(x.ring)
	if at < maxTracedValues {
		x.ring = append(x.ring, value{})
	} else {
		at = x.oldest
		x.oldest = (x.oldest + 1) % maxTracedValues
	}
	bucket := &x.buckets[v.hash%uint64(len(x.buckets))]
	v.prev = *bucket - 1
	x.ring[at] = v
	*bucket = int32(at) + 1
}

// first is the newest value with a hash, -1 for none.
func (x *values) first(h uint64) int32 {
	if x.buckets == nil {
		return -1
	}
	i := x.buckets[h%uint64(len(x.buckets))] - 1
	if i >= 0 && x.ring[i].hash != h {
		i = x.next(h, i)
	}
	return i
}

// next is the one before i with the same hash, -1 for none.
func (x *values) next(h uint64, i int32) int32 {
	for range maxChain {
		prev := x.ring[i].prev
		if prev < 0 || x.age(prev) >= x.age(i) {
			return -1
		}
		if i = prev; x.ring[i].hash == h {
			return i
		}
	}
	return -1
}

// age orders places of the ring: the newest has the highest.
func (x *values) age(i int32) int {
	if n := int(i) - x.oldest; n >= 0 {
		return n
	}
	return int(i) - x.oldest + len(x.ring)
}

// keep remembers one value of a reply if a later query could ask for it.
func (t *trail) keep(r *read, w *op.Walker, v bsoncore.Value) {
	if _, ok := reference(v); !ok {
		return
	}
	use := t.use(r, w)
	if use == nil || use.skip {
		return
	}
	use.rows++
	h := idHash(v)
	for i, n := t.values.first(h), 0; i >= 0 && n < maxSame; i, n = t.values.next(h, i), n+1 {
		k := &t.values.ring[i]
		if k.read == r.serial && k.path == use.path {
			return
		}
		if k.read < r.serial {
			break // of an earlier reply, as all before it
		}
	}
	if use.distinct >= maxPathValues {
		return
	}
	t.values.put(value{hash: h, read: r.serial, path: use.path, at: use.distinct})
	use.distinct++
}

// idHash is the hash of a value; an ObjectId and the string that a program made
// of it have the same.
func idHash(v bsoncore.Value) uint64 {
	var id [12]byte
	if s := op.Str(v); hexID(s) {
		if _, err := hex.Decode(id[:], []byte(s)); err == nil {
			return op.Hash(bsoncore.Value{Type: bsoncore.TypeObjectID, Data: id[:]})
		}
	}
	return op.Hash(v)
}

// use finds or makes what a reply has at the path of a walk. Documents of one
// reply are mostly alike: the path that came next in the last one is tried first.
func (t *trail) use(r *read, w *op.Walker) *pathUse {
	keys := w.Keys()
	if r.expected < len(r.paths) && len(keys) == 1 && t.paths[r.paths[r.expected].path] == keys[0] {
		r.expected++
		return &r.paths[r.expected-1]
	}
	h := w.PathHash()
	for n := range r.paths {
		i := (r.expected + n) % len(r.paths)
		if r.paths[i].hash == h {
			r.expected = i + 1
			return &r.paths[i]
		}
	}
	id, ok := t.pathOf(h, w, len(r.paths) < maxPathsRead)
	if !ok {
		return nil
	}
	for i := range r.paths {
		if r.paths[i].path == id {
			return &r.paths[i] // keys that look like data
		}
	}
	if len(r.paths) >= maxPathsRead {
		return nil
	}
	r.paths = append(r.paths, pathUse{hash: h, path: id, array: inArray(w.Keys()), skip: !r.space.trace(id)})
	r.expected = len(r.paths)
	return &r.paths[len(r.paths)-1]
}

// pathOf is the number of the path of a walk, a new one only when the reply has
// room for it. Keys that look like data are not told apart: there is no end of them.
func (t *trail) pathOf(h uint64, w *op.Walker, room bool) (uint16, bool) {
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
