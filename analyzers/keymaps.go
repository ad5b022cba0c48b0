package analyzers

import (
	"strings"

	"go.mongodb.org/mongo-driver/v2/x/bsonx/bsoncore"

	"mongoadvisor/internal/op"
	"mongoadvisor/internal/sketch"
)

// mapKey is a name below another one that an update or a stored document writes.
type mapKey struct {
	Prefix   string // the path above it, as sent
	Key      string
	Rest     string // what follows it
	Operator string // of the update; "" for a stored document
	Data     bool   // it looks like a value
}

// keysOf calls each for the names of a changed path, from the second on, until
// it returns false. Positions in arrays are no keys.
func keysOf(c change, each func(mapKey) bool) {
	if at := strings.IndexByte(c.Path, '@'); at >= 0 && strings.Contains(c.Path[at:], ".") {
		// the dots of a mail address part no names: none before it is known for one
		each(mapKey{Prefix: "<key>", Key: c.Path, Operator: c.Operator, Data: true})
		return
	}
	for end := strings.IndexByte(c.Path, '.'); end >= 0; {
		rest := c.Path[end+1:]
		key, after, more := strings.Cut(rest, ".")
		k := mapKey{Prefix: c.Path[:end], Key: key, Rest: after, Operator: c.Operator, Data: valueLike(key)}
		if !position(key) && !each(k) || !more {
			return
		}
		end += 1 + len(key)
	}
}

// storedKeys calls each for the keys that look like values, in the subdocuments
// of a document that is stored.
func storedKeys(doc bsoncore.Document, each func(mapKey)) {
	var w op.Walker
	w.MaxDepth, w.MaxFields = 4, 512
	w.Walk(doc, func(w *op.Walker, v bsoncore.Value) {
		keys := w.Keys()
		if v.Type == bsoncore.TypeArray {
			w.Skip()
			return
		}
		if key := keys[len(keys)-1]; len(keys) > 1 && valueLike(key) {
			each(mapKey{Prefix: strings.Join(keys[:len(keys)-1], "."), Key: key, Data: true})
			w.Skip()
		}
	})
}

// position reports whether a name is a position in an array: an operator for
// one, or a small number. A larger number is rather an id.
func position(key string) bool {
	if strings.HasPrefix(key, "$") {
		return true
	}
	return len(key) < 4 && digits(key)
}

func digits(s string) bool {
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return true
}

// valueLike reports whether a name is a value: what looks like data and has a
// digit or an @ in it. A title with blanks is a name, and so is a year.
func valueLike(key string) bool {
	if !strings.ContainsAny(key, "0123456789@") || !op.LooksLikeData(key) || position(key) {
		return false
	}
	return len(key) != 4 || !digits(key) || key < "1900" || key > "2099"
}

// keyMaps is what is known of the subdocuments of one collection.
type keyMaps struct {
	maps *sketch.Top[*keyMap] // by collection and path
	// Different keys per document: each of these is a path, a document and a key.
	triples   *sketch.Set
	documents *sketch.Top[struct{}] // by path and document
	stored    int64                 // documents seen that are stored
}

// keyMap is one subdocument, in all documents.
type keyMap struct {
	keys   *sketch.Set
	data   int64 // different keys that look like values
	most   int64 // different keys on one document
	reason string
}

// The bounds of one collection's state: some 200 KB when there are that many keys.
const (
	maxMaps    = 16
	maxMapKeys = 256
	maxTriples = 1024
	maxHolders = 128
)

// fewKeys is how many keys a subdocument must have shown, none of which looks
// like a value, before they are counted per document.
const fewKeys = 8

func newKeyMaps() *keyMaps {
	return &keyMaps{
		maps: sketch.NewTop[*keyMap](maxMaps), triples: sketch.NewSet(maxTriples), documents: sketch.NewTop[struct{}](maxHolders),
	}
}

// look reports whether to look into a stored document: the first ones, then one
// in sixteen.
func (k *keyMaps) look() bool {
	k.stored++
	return k.stored <= 64 || k.stored%16 == 0
}

// add takes a key in, written to a document that is known by its hash, or to
// one that is not when that is 0.
func (k *keyMaps) add(coll string, id uint64, key mapKey) *keyMap {
	path := op.HashString(coll)*31 + pathHash(key.Prefix)
	item := k.maps.Add(path, 1)
	if item.Value == nil {
		item.Value = &keyMap{keys: sketch.NewSet(maxMapKeys)}
	}
	m, h := item.Value, op.HashString(key.Key)
	if m.keys.Add(h) && key.Data {
		m.data++
	}
	if m.data == 0 && m.keys.Len() <= fewKeys {
		return m // names, as far as one knows: no room is spent on their documents
	}
	if holder := path*31 + id; id != 0 && k.triples.Add(holder*31+h) {
		item := k.documents.Add(holder, 1)
		m.most = max(m.most, item.Count-item.Over)
	}
	return m
}

// pathHash leaves positions out, and takes all keys that are values for one.
func pathHash(path string) uint64 {
	h := uint64(1)
	for name := range strings.SplitSeq(path, ".") {
		switch {
		case position(name):
		case valueLike(name):
			h *= 31
		default:
			h = h*31 + op.HashString(name)
		}
	}
	return h
}
