package op

import (
	"strings"

	"go.mongodb.org/mongo-driver/v2/x/bsonx/bsoncore"
)

// Walker walks the fields of documents at every depth. The zero value is ready;
// it may be used again and again, by one goroutine.
type Walker struct {
	// MaxDepth is how deep it goes, 8 when 0; MaxFields how many fields of one
	// document it visits, 4,096 when 0. What lies beyond is not visited.
	MaxDepth, MaxFields int

	keys []string
	left int
	skip bool
}

// Walk calls visit for every field and every element of an array, a container
// before what it holds. Keys alias the document.
func (w *Walker) Walk(doc bsoncore.Document, visit func(w *Walker, v bsoncore.Value)) {
	w.keys, w.left = w.keys[:0], w.MaxFields
	if w.left == 0 {
		w.left = 4096
	}
	w.walk(doc, visit)
}

// WalkField calls visit for a value as if it stood under key in a document that is
// walked, and for what it holds.
func (w *Walker) WalkField(key string, v bsoncore.Value, visit func(w *Walker, v bsoncore.Value)) {
	w.keys, w.left = w.keys[:0], w.MaxFields
	if w.left == 0 {
		w.left = 4096
	}
	w.field(key, v, visit)
}

func (w *Walker) walk(doc bsoncore.Document, visit func(w *Walker, v bsoncore.Value)) {
	for key, v := range Fields(doc) {
		if w.left <= 0 {
			return
		}
		w.field(key, v, visit)
	}
}

func (w *Walker) field(key string, v bsoncore.Value, visit func(w *Walker, v bsoncore.Value)) {
	depth := w.MaxDepth
	if depth == 0 {
		depth = 8
	}
	w.left--
	w.keys = append(w.keys, key)
	w.skip = false
	visit(w, v)
	if (v.Type == bsoncore.TypeEmbeddedDocument || v.Type == bsoncore.TypeArray) && !w.skip && len(w.keys) < depth {
		w.walk(bsoncore.Document(v.Data), visit)
	}
	w.keys = w.keys[:len(w.keys)-1]
}

// Skip leaves out what the value just visited holds.
func (w *Walker) Skip() { w.skip = true }

// Keys are the names from the top to the value just visited; positions in arrays
// are among them. Valid until visit returns.
func (w *Walker) Keys() []string { return w.keys }

// Path is the dotted path of the value just visited, positions in arrays left
// out, as an index names it: "items.sku". It is not cleaned; see [Path].
func (w *Walker) Path() string {
	if len(w.keys) == 1 {
		return strings.Clone(w.keys[0])
	}
	var b strings.Builder
	for _, k := range w.keys {
		if isPosition(k) {
			continue
		}
		if b.Len() > 0 {
			b.WriteByte('.')
		}
		b.WriteString(k)
	}
	return b.String()
}

// PathHash is a hash of what [Walker.Path] gives, without making it.
func (w *Walker) PathHash() uint64 {
	h := uint64(fnvOffset)
	first := true
	for _, k := range w.keys {
		if isPosition(k) && len(w.keys) > 1 {
			continue
		}
		if !first {
			h = hashByte(h, '.')
		}
		first = false
		for i := range len(k) {
			h = hashByte(h, k[i])
		}
	}
	return h
}

// isPosition reports whether a key is a position in an array: digits alone. A
// document's own key of digits is taken for one, too; it is data in any case.
func isPosition(k string) bool {
	for i := range len(k) {
		if !isDigit(k[i]) {
			return false
		}
	}
	return k != ""
}
