package op

import (
	"slices"
	"strings"

	"go.mongodb.org/mongo-driver/v2/x/bsonx/bsoncore"
)

// shapeWriter renders and hashes at once: the text is for people, the hash
// (64-bit FNV-1a) takes the same text but for the lengths inside regular
// expressions.
type shapeWriter struct {
	buf   []byte
	hash  uint64
	first bool
	mute  bool // only the hash is wanted
}

const (
	fnvOffset = 14695981039346656037
	fnvPrime  = 1099511628211
)

func newShapeWriter() *shapeWriter {
	return &shapeWriter{buf: make([]byte, 0, 128), hash: fnvOffset}
}

func (w *shapeWriter) shape() Shape {
	if len(w.buf) >= maxShapeText {
		w.buf = append(w.buf, "…"...)
	}
	return Shape{ID: w.hash, Text: string(w.buf)}
}

func (w *shapeWriter) text(s string) {
	w.sum(s)
	w.show(s)
}

func (w *shapeWriter) sum(s string) {
	h := w.hash
	for i := range len(s) {
		h = (h ^ uint64(s[i])) * fnvPrime
	}
	w.hash = h
}

func (w *shapeWriter) show(s string) {
	if w.mute {
		return
	}
	if room := maxShapeText - len(w.buf); room > 0 {
		w.buf = append(w.buf, s[:min(len(s), room)]...)
	}
}

func (w *shapeWriter) comma(i int) {
	if i > 0 {
		w.text(", ")
	}
}

func (w *shapeWriter) key(path string) { w.name(Path(path)) }

// name writes a key that is clean.
func (w *shapeWriter) name(clean string) {
	w.text(clean)
	w.text(": ")
}

// named is one field of a document whose order means nothing.
type named struct {
	key, clean string
	value      bsoncore.Value
}

// sorted appends the fields of doc to fields by their clean names: drivers send
// maps in random order, and a key that is data must not decide the order.
func sorted(doc bsoncore.Document, fields []named) []named {
	for k, v := range Fields(doc) {
		fields = append(fields, named{k, Path(k), v})
	}
	slices.SortStableFunc(fields, func(a, b named) int { return strings.Compare(a.clean, b.clean) })
	return fields
}

// filter writes a predicate document. Plain fields come in the order of their
// names, so that {a, b} and {b, a} are one shape; operators follow.
func (w *shapeWriter) filter(doc bsoncore.Document) {
	w.text("{")
	i := 0
	var room [12]named
	for _, f := range sorted(doc, room[:0]) {
		if f.key == "$comment" {
			continue
		}
		w.comma(i)
		i++
		w.name(f.clean)
		switch f.key {
		case "$and", "$or", "$nor":
			w.text("[")
			for j, d := range Docs(f.value) {
				w.comma(j)
				w.filter(d)
			}
			w.text("]")
		case "$expr":
			w.expression(f.value)
		case "$jsonSchema", "$text", "$where":
			w.text("<" + f.key[1:] + ">")
		default:
			w.condition(f.value)
		}
	}
	w.text("}")
}

// condition writes what stands beside a field name.
func (w *shapeWriter) condition(v bsoncore.Value) {
	d := Doc(v)
	if d == nil || !IsOperators(d) {
		w.literal(v)
		return
	}
	w.text("{")
	i := 0
	var room [6]named
	for _, f := range sorted(d, room[:0]) {
		operand := f.value
		if f.key == "$options" {
			continue // written with $regex
		}
		w.comma(i)
		i++
		w.name(f.clean)
		switch f.key {
		case "$not":
			w.condition(operand)
		case "$elemMatch":
			if first := FirstKey(Doc(operand)); strings.HasPrefix(first, "$") && first != "$or" && first != "$and" && first != "$nor" {
				w.condition(operand)
			} else {
				w.filter(Doc(operand))
			}
		case "$regex":
			pattern, options := regexOperand(operand, d)
			w.regex(pattern, options)
		default:
			w.literal(operand)
		}
	}
	w.text("}")
}

// literal writes a value by its type.
func (w *shapeWriter) literal(v bsoncore.Value) {
	switch v.Type {
	case bsoncore.TypeRegex:
		w.regex(v.Regex())
	case bsoncore.TypeArray:
		w.list(Arr(v))
	default:
		w.text(typeName(v.Type))
	}
}

// list writes an array of literals: regexes one by one, everything else as its
// type and a bucket of its length, so that an $in of 3 and of 7 are one shape.
func (w *shapeWriter) list(arr bsoncore.Array) {
	n, regexes := 0, 0
	kind := ""
	w.text("[")
	for v := range Items(arr) {
		n++
		if pattern, options, ok := v.RegexOK(); ok && regexes < 8 {
			w.comma(regexes)
			regexes++
			w.regex(pattern, options)
		} else if t := typeName(v.Type); kind == "" || kind == t {
			kind = t
		} else {
			kind = "<mixed>"
		}
	}
	if kind != "" {
		w.comma(regexes)
		w.text(kind + lengthBucket(n))
	}
	w.text("]")
}

// lengthBucket words a list's length by its order of magnitude.
func lengthBucket(n int) string {
	switch {
	case n <= 1:
		return ""
	case n <= 10:
		return " ×10"
	case n <= 100:
		return " ×100"
	case n <= 1000:
		return " ×1000"
	case n <= 10000:
		return " ×10000"
	}
	return " ×many"
}

// sign writes a number by what its sign means to $slice and $position.
func (w *shapeWriter) sign(v bsoncore.Value) {
	switch n, ok := v.AsInt64OK(); {
	case !ok:
		w.text("<number>")
	case n < 0:
		w.text("-n")
	case n == 0:
		w.text("0")
	default:
		w.text("n")
	}
}

func (w *shapeWriter) regex(pattern, options string) {
	options = cleanOptions(options)
	w.sum("/" + regexSkeleton(pattern, false) + "/" + options)
	w.show("/" + regexSkeleton(pattern, true) + "/" + options)
}

// cleanOptions keeps the options a regular expression can have.
func cleanOptions(s string) string {
	if len(s) > 6 || strings.Trim(s, "ilmsux") != "" {
		return "<options>"
	}
	return s
}

func typeName(t bsoncore.Type) string {
	switch t {
	case bsoncore.TypeDouble, bsoncore.TypeInt32, bsoncore.TypeInt64, bsoncore.TypeDecimal128:
		return "<number>"
	case bsoncore.TypeString, bsoncore.TypeSymbol:
		return "<string>"
	case bsoncore.TypeEmbeddedDocument:
		return "<document>"
	case bsoncore.TypeArray:
		return "<array>"
	case bsoncore.TypeObjectID:
		return "<objectId>"
	case bsoncore.TypeDateTime, bsoncore.TypeTimestamp:
		return "<date>"
	case bsoncore.TypeBoolean:
		return "<bool>"
	case bsoncore.TypeNull, bsoncore.TypeUndefined:
		return "null"
	case bsoncore.TypeRegex:
		return "<regex>"
	case bsoncore.TypeBinary:
		return "<binary>"
	}
	return "<value>"
}
