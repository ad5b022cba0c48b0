package op

import (
	"encoding/binary"
	"encoding/hex"

	"go.mongodb.org/mongo-driver/v2/x/bsonx/bsoncore"
)

// Shape is a statement without its literals: what is equal for all calls of one
// place in a program. ID is equal for equal shapes on every machine; Text is
// for people and shows the lengths of regular expression literals as first
// seen, which ID leaves out.
type Shape struct {
	ID   uint64
	Text string
}

// maxShapeText bounds a shape's text in bytes; ID covers all of it.
const maxShapeText = 600

// IsZero reports whether there is no shape.
func (s Shape) IsZero() bool { return s.ID == 0 }

// String gives ID in hexadecimal.
func (s Shape) String() string {
	return hex.EncodeToString(binary.BigEndian.AppendUint64(nil, s.ID))
}

// Shape is computed at first use.
func (s *Statement) Shape() Shape {
	if s.shape.IsZero() {
		w := newShapeWriter()
		w.statement(s)
		s.shape = w.shape()
	}
	return s.shape
}

// ShapeID is the ID of the shape, without the text: what a rule keeps things by.
func (s *Statement) ShapeID() uint64 {
	if s.shape.IsZero() && s.shapeID == 0 {
		w := shapeWriter{hash: fnvOffset, mute: true}
		w.statement(s)
		s.shapeID = w.hash
	}
	return max(s.shape.ID, s.shapeID)
}

// ShapeOf renders a part of a command, such as one $lookup stage, as a shape
// of its own, so that a rule can key its findings by that part.
func ShapeOf(name string, v bsoncore.Value) Shape {
	w := newShapeWriter()
	w.text("{" + name + ": ")
	w.stage(name, v)
	w.text("}")
	return w.shape()
}

// TextShape is a shape that a rule words itself from names that are clean.
func TextShape(text string) Shape {
	w := newShapeWriter()
	w.text(text)
	return w.shape()
}

// statement writes the parts in a fixed order, whatever order they came in.
func (w *shapeWriter) statement(s *Statement) {
	w.text("{")
	w.first = true
	switch s.Command {
	case "insert":
		w.part("insert")
		w.text("<document>")
	case "aggregate":
		w.part("pipeline")
		w.pipeline(s.Pipeline)
	default:
		if s.View != "" {
			w.part("view")
			w.pipeline(s.Pipeline)
		}
		w.part("filter")
		w.filter(s.Filter)
	}
	if !s.Update.IsZero() {
		w.part("update")
		w.update(s.Update)
	}
	if s.Multi && s.Command == "update" {
		w.part("multi")
		w.text("true")
	}
	if s.Upsert {
		w.part("upsert")
		w.text("true")
	}
	if len(s.ArrayFilters) > 0 {
		w.part("arrayFilters")
		w.text("[")
		for i, d := range s.ArrayFilters {
			w.comma(i)
			w.filter(d)
		}
		w.text("]")
	}
	if s.Key != "" {
		w.part("key")
		w.text(Path(s.Key))
	}
	if s.Sort != nil {
		w.part("sort")
		w.fields(s.Sort)
	}
	if s.Projection != nil {
		w.part("projection")
		w.fields(s.Projection)
	}
	if s.Skip > 0 {
		w.part("skip")
		w.text("<n>")
	}
	if s.Limit != 0 {
		w.part("limit")
		if s.Limit == 1 || s.Limit == -1 {
			w.text("1")
		} else {
			w.text("<n>")
		}
	}
	if c := CollationText(s.Collation); c != "" {
		w.part("collation")
		w.text("{" + c + "}")
	}
	w.text("}")
}

func (w *shapeWriter) part(name string) {
	if !w.first {
		w.text(", ")
	}
	w.first = false
	w.text(name + ": ")
}

// update writes the three forms of an update; the order of operators and of
// their fields means nothing.
func (w *shapeWriter) update(u Update) {
	switch {
	case u.Pipeline != nil:
		w.pipeline(u.Pipeline)
	case u.Replacement != nil:
		w.text("<document>")
	default:
		w.text("{")
		var operators, paths [12]named
		for i, f := range sorted(u.Operators, operators[:0]) {
			w.comma(i)
			w.name(f.clean)
			w.text("{")
			for j, p := range sorted(Doc(f.value), paths[:0]) {
				w.comma(j)
				w.name(p.clean)
				w.operand(p.value)
			}
			w.text("}")
		}
		w.text("}")
	}
}

// operand writes what an update operator is given: modifiers by name, any
// other value by its type.
func (w *shapeWriter) operand(v bsoncore.Value) {
	d := Doc(v)
	if d == nil || !IsOperators(d) {
		if d != nil && Get(d, "$slice").Type != 0 {
			// $slice without $each is stored as data; keep the sight of it
			w.text("{<document>, $slice: <number>}")
			return
		}
		w.literal(v)
		return
	}
	w.text("{")
	i := 0
	for name, m := range Fields(d) {
		w.comma(i)
		i++
		w.key(name)
		switch name {
		case "$slice", "$position":
			w.sign(m)
		case "$sort":
			w.fields(Doc(m))
		default:
			w.literal(m)
		}
	}
	w.text("}")
}

// fields writes a sort or projection: field names with their direction or flag.
func (w *shapeWriter) fields(doc bsoncore.Document) {
	w.text("{")
	i := 0
	for path, v := range Fields(doc) {
		w.comma(i)
		i++
		w.key(path)
		switch n, ok := v.AsInt64OK(); {
		case ok && (n == 0 || n == 1):
			w.text(string(rune('0' + n)))
		case ok && n == -1:
			w.text("-1")
		case v.Type == bsoncore.TypeBoolean:
			w.text(map[bool]string{true: "1", false: "0"}[v.Boolean()])
		default:
			w.expression(v)
		}
	}
	w.text("}")
}
