package analyzers

import (
	"strings"

	"go.mongodb.org/mongo-driver/v2/x/bsonx/bsoncore"

	"mongoadvisor/internal/op"
)

// gather is an accumulator that keeps one element for each document of a group.
type gather struct {
	Name     string            // the field it fills
	Operator string            // "$push" or "$addToSet"
	Operand  bsoncore.Value    // what is kept of each document
	Key      bsoncore.Value    // _id of $group, groupBy of $bucket
	Order    bsoncore.Document // of the last $sort before it
	Before   []bsoncore.Document
	Cut      string // what later takes a part of it: "$slice", "$first", …
}

// root reports whether it keeps whole documents.
func (g *gather) root() bool {
	s := op.Str(g.Operand)
	return s == "$$ROOT" || s == "$$CURRENT"
}

// maxGathered bounds the accumulators of a pipeline that are looked at: for each,
// the stages behind it are.
const maxGathered = 64

// gathers lists the accumulators of a pipeline that keep all. Those that group by
// _id are left out: they put together again what one document held.
func gathers(pipeline []bsoncore.Document) (out []gather) {
	var order bsoncore.Document
	for i, d := range pipeline {
		name := op.FirstKey(d)
		spec := op.Doc(op.Get(d, name))
		g := gather{Order: order, Before: pipeline[:i]}
		switch name {
		case "$sort":
			order = spec
			continue
		case "$group":
			g.Key = op.Get(spec, "_id")
		case "$bucket", "$bucketAuto":
			g.Key = op.Get(spec, "groupBy")
			spec = op.Doc(op.Get(spec, "output"))
		default:
			continue
		}
		if op.Str(g.Key) == "$_id" {
			continue
		}
		for field, acc := range op.Fields(spec) {
			operator, operand := operator(acc)
			if operator != "$push" && operator != "$addToSet" || field == "_id" {
				continue
			}
			if len(out) == maxGathered {
				return out
			}
			g.Name, g.Operator, g.Operand, g.Cut = field, operator, operand, ""
			for _, later := range pipeline[i+1:] {
				if g.Cut = cutOf(op.Get(later, op.FirstKey(later)), field); g.Cut != "" {
					break
				}
			}
			out = append(out, g)
		}
	}
	return out
}

// cutOf finds the operator in a stage that takes a part of an array.
func cutOf(v bsoncore.Value, name string) string {
	if v.Type != bsoncore.TypeEmbeddedDocument && v.Type != bsoncore.TypeArray {
		return ""
	}
	for key, operand := range op.Fields(bsoncore.Document(v.Data)) {
		of := operand
		switch key {
		case "$literal":
			continue
		case "$firstN", "$lastN":
			of = op.Get(op.Doc(operand), "input")
		case "$slice", "$arrayElemAt", "$first", "$last":
			if arr := op.Arr(operand); arr != nil {
				for of = range op.Items(arr) {
					break
				}
			}
		default:
			if cut := cutOf(operand, name); cut != "" {
				return cut
			}
			continue
		}
		if path := fieldPath(of); path == name || strings.HasPrefix(path, name+".") {
			return key
		}
	}
	return ""
}

// bounded writes the accumulator that keeps only so many: by the order before the
// group, if there is one.
func (g *gather) bounded() string {
	output, n := outputText(g.Operand), "n: <n>, "
	one := g.Cut == "$first" || g.Cut == "$last" || g.Cut == "$arrayElemAt"
	if one {
		n = ""
	}
	order := sortText(g.Order)
	switch {
	case g.Order != nil && order != "" && one:
		return "{ $top: { sortBy: " + order + ", output: " + output + " } }"
	case g.Order != nil && order != "":
		return "{ $topN: { " + n + "sortBy: " + order + ", output: " + output + " } }"
	case one:
		return "{ $first: " + output + " }"
	}
	return "{ $firstN: { " + n + "input: " + output + " } }"
}

// outputText writes what is kept of each document: a path, the document, or one
// made of paths.
func outputText(v bsoncore.Value) string {
	if s := op.Str(v); s == "$$ROOT" || s == "$$CURRENT" {
		return quote(s)
	}
	if path := op.Path(fieldPath(v)); indexable(path) == path && path != "" {
		return quote("$" + path)
	}
	var parts []string
	for name, part := range op.Fields(op.Doc(v)) {
		path := op.Path(fieldPath(part))
		if name = op.Name(name); path == "" || indexable(path) != path || strings.HasPrefix(name, "$") || strings.HasPrefix(name, "<") || len(parts) == maxUsed {
			return "<output>"
		}
		parts = append(parts, field(name)+": "+quote("$"+path))
	}
	if len(parts) == 0 {
		return "<output>"
	}
	return "{ " + strings.Join(parts, ", ") + " }"
}
