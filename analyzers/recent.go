package analyzers

// recent keeps a V for each of the keys used last. When the younger half is full
// the older one is forgotten: at most max are kept, and those used last are among
// them. A map that is only capped is blind to all that is new, for ever, once it
// is full of what nobody uses any more.
type recent[K comparable, V any] struct {
	max        int
	young, old map[K]V
	clone      func(K) K // of a key that may alias a message
	fresh      func() V
}

func newRecent[K comparable, V any](limit int, clone func(K) K, fresh func() V) *recent[K, V] {
	return &recent[K, V]{max: limit, young: map[K]V{}, clone: clone, fresh: fresh}
}

// at is what is kept under a key, made when it is new. It counts as a use.
func (r *recent[K, V]) at(key K) V {
	v, ok := r.young[key]
	if ok {
		return v
	}
	if v, ok = r.old[key]; !ok {
		v = r.fresh()
	}
	if len(r.young) >= r.max/2 {
		r.old, r.young = r.young, map[K]V{}
	}
	r.young[r.clone(key)] = v
	return v
}

// known is what is kept under a key, or a zero V.
func (r *recent[K, V]) known(key K) V {
	if v, ok := r.young[key]; ok {
		return v
	}
	return r.old[key]
}

// empty reports whether nothing is kept.
func (r *recent[K, V]) empty() bool { return len(r.young) == 0 }

func cloneLargeKey(k largeKey) largeKey { return largeKey{cloneNS(k.ns), k.shape} }

// ownedKey is the clone of a key that aliases nothing: itself.
func ownedKey[K any](k K) K { return k }
