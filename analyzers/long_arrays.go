package analyzers

import (
	"math/bits"

	"go.mongodb.org/mongo-driver/v2/x/bsonx/bsoncore"

	"mongoadvisor/internal/op"
)

// longArray is one long array of a shown document.
type longArray struct {
	shown
	Array  *array
	Length int64         // or at least so long, when the document was not kept whole
	Of     bsoncore.Type // of its elements
	Quiet  bool          // not long for what its elements are: I04's alone
}

// What counts as long: from this many elements on, and so many bytes they take
// at least, with their types, names and the smallest strings or documents.
const (
	longElements = 250
	longBytes    = longElements * 8
)

// measure finds the long arrays of a document.
func (a *arrays) measure(d shown) {
	a.walker.Walk(d.Doc, func(w *op.Walker, v bsoncore.Value) {
		if len(v.Data) < longBytes {
			w.Skip()
			return
		}
		if v.Type != bsoncore.TypeArray {
			return
		}
		n, of, ok := longLength(op.Arr(v))
		if n < longElements {
			return
		}
		a.lengthen(d, w.Path(), n, of, ok)
		if int64(len(v.Data)) < n*longBytes {
			w.Skip() // its elements are too small to hold such an array
		}
	})
}

// lengthen takes in one long array, the type of its elements, and whether it is
// long for that.
func (a *arrays) lengthen(d shown, path string, n int64, of bsoncore.Type, ok bool) {
	x := a.of(d.NS).array(path)
	a.long = append(a.long, longArray{shown: d, Array: x, Length: n, Of: of, Quiet: !ok})
	if !ok {
		return
	}
	x.longest = max(x.longest, n)
	x.above++
	x.lengths[min(bits.Len64(uint64(n)), len(x.lengths)-1)]++
}

// Vectors and coordinates are read as a whole and seldom grow: numbers count as
// long from maxVector elements on, what is neither number nor text, id or
// document from longOther on.
const (
	maxVector = 16_384
	longOther = 1000
)

// longLength is the number of elements of an array with the type of the first, and
// whether that is many for what they are.
func longLength(arr bsoncore.Array) (n int64, of bsoncore.Type, ok bool) {
	texts, numbers := false, true
	for v := range op.Items(arr) {
		if n++; n == 1 {
			of = v.Type
		}
		inner := op.Arr(v)
		texts = texts || isText(v.Type)
		numbers = numbers && (isNumber(v) || inner != nil && (n > 8 || isVector(inner)))
	}
	switch {
	case texts:
		return n, of, n >= longElements
	case numbers:
		return n, of, n >= maxVector
	}
	return n, of, n >= longOther
}

// isText reports whether an element is what lists of things are made of.
func isText(t bsoncore.Type) bool {
	return t == bsoncore.TypeString || t == bsoncore.TypeObjectID || t == bsoncore.TypeEmbeddedDocument
}

// isVector reports whether an array holds numbers, or arrays of them.
func isVector(arr bsoncore.Array) bool {
	for v := range op.Items(arr) {
		if inner := op.Arr(v); inner != nil {
			return isVector(inner)
		}
		return isNumber(v)
	}
	return true
}

func isNumber(v bsoncore.Value) bool {
	switch v.Type {
	case bsoncore.TypeInt32, bsoncore.TypeInt64, bsoncore.TypeDouble, bsoncore.TypeDecimal128, bsoncore.TypeNull:
		return true
	}
	return false
}
