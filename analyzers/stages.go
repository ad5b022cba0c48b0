package analyzers

import (
	"strings"

	"go.mongodb.org/mongo-driver/v2/x/bsonx/bsoncore"

	"mongoadvisor/internal/op"
)

// maxStages bounds the stages that a fix writes out.
const maxStages = 12

// pipelineText writes a pipeline as mongosh takes it, with placeholders for values.
func pipelineText(pipeline []bsoncore.Document) string {
	var out []string
	for _, d := range pipeline[:min(len(pipeline), maxStages)] {
		out = append(out, stageText(d))
	}
	if len(pipeline) > maxStages {
		out = append(out, "<the other stages>")
	}
	return "[" + strings.Join(out, ", ") + "]"
}

// stageText writes one stage. Those that hold expressions are named only.
func stageText(d bsoncore.Document) string {
	for name, v := range op.Fields(d) {
		return "{ " + op.Name(name) + ": " + operand(name, v) + " }"
	}
	return "{}"
}

func operand(name string, v bsoncore.Value) string {
	switch name {
	case "$match":
		if text := matchText(op.Doc(v)); text != "" {
			return text
		}
	case "$sort":
		if text := sortText(op.Doc(v)); text != "" {
			return text
		}
	case "$limit", "$skip":
		return "<" + name[1:] + ">"
	case "$unwind":
		if path := unwindPath(v); indexable(op.Path(path)) != "" {
			if op.True(op.Get(op.Doc(v), "preserveNullAndEmptyArrays")) {
				return "{ path: " + quote("$"+op.Path(path)) + ", preserveNullAndEmptyArrays: true }"
			}
			return quote("$" + op.Path(path))
		}
	case "$lookup":
		spec := op.Doc(v)
		if op.Get(spec, "pipeline").Type == 0 && op.Str(op.Get(spec, "from")) != "" {
			part := func(key string) string { return key + ": " + quote(op.Path(op.Str(op.Get(spec, key)))) }
			return "{ from: " + quote(op.Str(op.Get(spec, "from"))) + ", " + part("localField") + ", " + part("foreignField") + ", " + part("as") + " }"
		}
	}
	return "<" + strings.TrimPrefix(op.Name(name), "$") + " as before>"
}

// matchText writes the conditions of a $match on fields, "" when it has others.
func matchText(doc bsoncore.Document) string {
	var out []string
	for path, v := range op.Fields(doc) {
		path = indexable(op.Path(path))
		if strings.HasPrefix(path, "$") || path == "" {
			return ""
		}
		value := "<" + path + ">"
		if d := op.Doc(v); op.IsOperators(d) {
			var parts []string
			for operator := range op.Fields(d) {
				parts = append(parts, op.Name(operator)+": <"+path+">")
			}
			value = "{ " + strings.Join(parts, ", ") + " }"
		}
		out = append(out, field(path)+": "+value)
	}
	return "{ " + strings.Join(out, ", ") + " }"
}

// sortText writes an order by fields, "" for any other.
func sortText(doc bsoncore.Document) string {
	var out []string
	for path, v := range op.Fields(doc) {
		n, ok := op.Int(v)
		path = indexable(op.Path(path))
		if !ok || path == "" {
			return ""
		}
		direction := "1"
		if n < 0 {
			direction = "-1"
		}
		out = append(out, field(path)+": "+direction)
	}
	return "{ " + strings.Join(out, ", ") + " }"
}

// unwindPath is the field a $unwind takes apart.
func unwindPath(v bsoncore.Value) string {
	if d := op.Doc(v); d != nil {
		v = op.Get(d, "path")
	}
	return strings.TrimPrefix(op.Str(v), "$")
}
