package op

import (
	"strings"

	"go.mongodb.org/mongo-driver/v2/x/bsonx/bsoncore"
)

// pipeline writes an aggregation stage by stage.
func (w *shapeWriter) pipeline(stages []bsoncore.Document) {
	w.text("[")
	for i, d := range stages {
		w.comma(i)
		w.text("{")
		for name, v := range Fields(d) {
			w.key(name)
			w.stage(name, v)
			break
		}
		w.text("}")
	}
	w.text("]")
}

// stage writes the operand of one stage.
func (w *shapeWriter) stage(name string, v bsoncore.Value) {
	switch name {
	case "$match":
		w.filter(Doc(v))
	case "$sort":
		w.fields(Doc(v))
	case "$limit", "$skip":
		w.text("<n>")
	case "$count", "$unset", "$sortByCount":
		w.names(v)
	case "$facet":
		w.text("{")
		i := 0
		for facet, p := range Fields(Doc(v)) {
			w.comma(i)
			i++
			w.key(facet)
			w.pipeline(Docs(p))
		}
		w.text("}")
	case "$lookup", "$graphLookup", "$unionWith", "$merge", "$out", "$geoNear":
		w.join(v)
	case "$documents", "$search", "$searchMeta", "$vectorSearch":
		w.text("<" + name[1:] + ">")
	default:
		w.expression(v)
	}
}

// joinNames are the fields of joining stages whose strings are names.
var joinNames = map[string]bool{
	"from": true, "localField": true, "foreignField": true, "as": true, "coll": true, "db": true, "into": true,
	"on": true, "connectFromField": true, "connectToField": true, "depthField": true, "whenMatched": true,
	"whenNotMatched": true, "distanceField": true, "key": true,
}

// join writes a stage that names other collections and fields.
func (w *shapeWriter) join(v bsoncore.Value) {
	d := Doc(v)
	if d == nil {
		w.names(v)
		return
	}
	w.text("{")
	i := 0
	for name, f := range Fields(d) {
		w.comma(i)
		i++
		w.key(name)
		switch {
		case name == "pipeline", name == "whenMatched" && f.Type == bsoncore.TypeArray:
			w.pipeline(Docs(f))
		case joinNames[name] && f.Type == bsoncore.TypeEmbeddedDocument:
			w.join(f)
		case joinNames[name]:
			w.names(f)
		case name == "restrictSearchWithMatch" || name == "query":
			w.filter(Doc(f))
		default:
			w.expression(f)
		}
	}
	w.text("}")
}

// names writes a name, or a list of them.
func (w *shapeWriter) names(v bsoncore.Value) {
	if s := Str(v); s != "" {
		w.text(Path(s))
		return
	}
	if arr := Arr(v); arr != nil {
		w.text("[")
		i := 0
		for item := range Items(arr) {
			w.comma(i)
			i++
			w.names(item)
		}
		w.text("]")
		return
	}
	w.expression(v)
}

// expression writes an aggregation expression: operators, field paths and
// variables stay, literals become their type.
func (w *shapeWriter) expression(v bsoncore.Value) {
	switch v.Type {
	case bsoncore.TypeString:
		if s := Str(v); strings.HasPrefix(s, "$") && len(s) > 1 {
			w.fieldPath(s)
			return
		}
		w.literal(v)
	case bsoncore.TypeEmbeddedDocument:
		d := Doc(v)
		w.text("{")
		i := 0
		for name, f := range Fields(d) {
			w.comma(i)
			i++
			w.key(name)
			if name == "$literal" {
				w.literal(f)
			} else {
				w.expression(f)
			}
		}
		w.text("}")
	case bsoncore.TypeArray:
		w.array(Arr(v))
	default:
		w.literal(v)
	}
}

// array writes an array of expressions; one of literals only is written as a list.
func (w *shapeWriter) array(arr bsoncore.Array) {
	plain := true
	for item := range Items(arr) {
		if item.Type == bsoncore.TypeEmbeddedDocument || item.Type == bsoncore.TypeArray || strings.HasPrefix(Str(item), "$") {
			plain = false
			break
		}
	}
	if plain {
		w.list(arr)
		return
	}
	w.text("[")
	i := 0
	for item := range Items(arr) {
		w.comma(i)
		i++
		w.expression(item)
	}
	w.text("]")
}

// fieldPath writes "$a.b" or "$$var.c".
func (w *shapeWriter) fieldPath(s string) {
	bare := strings.TrimLeft(s, "$")
	w.text(s[:len(s)-len(bare)])
	w.text(Path(bare))
}
