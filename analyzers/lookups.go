package analyzers

import (
	"iter"
	"slices"
	"strings"

	"go.mongodb.org/mongo-driver/v2/x/bsonx/bsoncore"

	"mongoadvisor/internal/op"
)

// lookup is one $lookup stage.
type lookup struct {
	Statement int
	Stage     op.Stage
	Spec      bsoncore.Document
	From      op.Namespace
	Local     string // localField, "" for the let form
	Foreign   string
	As        string
	// Equality: the let form joins by {$eq: ["$foreign", "$$local"]}, which
	// localField and foreignField can say too.
	Equality bool
}

// lookups yields the $lookup stages of an operation at every depth.
func lookups(o *op.Operation) iter.Seq[lookup] {
	return func(yield func(lookup) bool) {
		statements := o.Statements()
		for i := range statements {
			if !mayJoin(statements[i].Pipeline) {
				continue
			}
			for st := range statements[i].Stages() {
				if st.Name != "$lookup" {
					continue
				}
				spec := op.Doc(st.Value)
				l := lookup{
					Statement: i, Stage: st, Spec: spec, From: op.LookupFrom(spec, st.NS),
					Local: op.Str(op.Get(spec, "localField")), Foreign: op.Str(op.Get(spec, "foreignField")),
					As: op.Str(op.Get(spec, "as")),
				}
				if l.From.Coll == "" {
					continue // $documents inside: no collection is joined
				}
				if l.Local == "" && l.Foreign == "" {
					l.Foreign, l.Local, l.Equality = letEquality(spec)
				}
				if !yield(l) {
					return
				}
			}
		}
	}
}

// mayJoin is the quick test before a walk through all depths: a stage that joins,
// or one that may hold one.
func mayJoin(pipeline []bsoncore.Document) bool {
	for _, d := range pipeline {
		switch op.FirstKey(d) {
		case "$lookup", "$graphLookup", "$facet", "$unionWith", "$rankFusion", "$scoreFusion":
			return true
		}
	}
	return false
}

// letEquality reads the join out of let and the first inner $match: the foreign
// field and the local one, when it is an equality of the two.
func letEquality(spec bsoncore.Document) (foreignJoin, local string, ok bool) {
	vars := op.Doc(op.Get(spec, "let"))
	pipelineText := op.Docs(op.Get(spec, "pipeline"))
	if vars == nil || len(pipelineText) == 0 {
		return "", "", false
	}
	return matchEquality(op.Doc(op.Get(pipelineText[0], "$match")), vars)
}

// matchEquality looks for the $expr of a $match, also under its $and.
func matchEquality(match, vars bsoncore.Document) (foreignJoin, local string, ok bool) {
	if foreignJoin, local, ok = equality(op.Get(match, "$expr"), vars); ok {
		return foreignJoin, local, true
	}
	for _, d := range op.Docs(op.Get(match, "$and")) {
		if foreignJoin, local, ok = matchEquality(d, vars); ok {
			return foreignJoin, local, true
		}
	}
	return "", "", false
}

// equality looks for {$eq: ["$foreign", "$$local"]}, alone or under $and.
func equality(expr bsoncore.Value, vars bsoncore.Document) (foreignJoin, local string, ok bool) {
	for name, operand := range op.Fields(op.Doc(expr)) {
		arr := op.Arr(operand)
		if arr == nil {
			continue
		}
		switch name {
		case "$and":
			for item := range op.Items(arr) {
				if foreignJoin, local, ok = equality(item, vars); ok {
					return foreignJoin, local, true
				}
			}
		case "$eq":
			var sides []string
			for item := range op.Items(arr) {
				sides = append(sides, op.Str(item))
			}
			if len(sides) != 2 {
				continue
			}
			for i, side := range sides {
				name, isVar := strings.CutPrefix(side, "$$")
				field, isField := strings.CutPrefix(sides[1-i], "$")
				source := op.Str(op.Get(vars, name))
				if isVar && isField && !strings.HasPrefix(field, "$") && strings.HasPrefix(source, "$") && !strings.HasPrefix(source, "$$") {
					return field, source[1:], true
				}
			}
		}
	}
	return "", "", false
}

// key words the join without its literals: what makes two lookups the same.
func (l *lookup) key() string {
	var b strings.Builder
	b.WriteString("{$lookup: {from: " + op.Path(l.From.Coll))
	if l.Local != "" {
		b.WriteString(", localField: " + op.Path(l.Local) + ", foreignField: " + op.Path(l.Foreign))
	}
	if l.Equality {
		b.WriteString(", by: $expr")
	}
	b.WriteString("}}")
	return b.String()
}

// oneToOne reports whether the stages after the lookup take one match out of its
// result: the author expects no more.
func (l *lookup) oneToOne() bool {
	for i, d := range l.Stage.Pipeline[l.Stage.Index+1:] {
		for name, v := range op.Fields(d) {
			switch {
			case name == "$unwind" && i == 0 && l.unwound(v):
				return true
			case name == "$set", name == "$addFields", name == "$project", name == "$replaceRoot", name == "$replaceWith":
				if takesFirst(v, l.As) {
					return true
				}
			}
		}
	}
	return false
}

// unwound reports whether a $unwind takes the result apart and drops documents
// without a match.
func (l *lookup) unwound(v bsoncore.Value) bool {
	path, d := op.Str(v), op.Doc(v)
	if d != nil {
		path = op.Str(op.Get(d, "path"))
		if op.True(op.Get(d, "preserveNullAndEmptyArrays")) {
			return false
		}
	}
	return path == "$"+l.As
}

// takesFirst reports whether {$first: "$as"} or {$arrayElemAt: ["$as", 0]} stands
// in an expression, of the array or of a field of its documents.
func takesFirst(v bsoncore.Value, as string) bool {
	if v.Type != bsoncore.TypeEmbeddedDocument && v.Type != bsoncore.TypeArray {
		return false
	}
	of := func(operand bsoncore.Value) bool {
		path := fieldPath(operand)
		return path == as || strings.HasPrefix(path, as+".")
	}
	for name, operand := range op.Fields(bsoncore.Document(v.Data)) {
		switch name {
		case "$literal":
			continue
		case "$first":
			if of(unwrap(operand)) {
				return true
			}
		case "$arrayElemAt":
			sides := slices.Collect(op.Items(op.Arr(operand)))
			if len(sides) == 2 && of(sides[0]) {
				if at, ok := op.Int(sides[1]); ok && at == 0 {
					return true
				}
			}
		}
		if takesFirst(operand, as) {
			return true
		}
	}
	return false
}

// maxUsed bounds how many fields of a joined document are named.
const maxUsed = 8

// used lists the fields of the joined documents that later stages read: what an
// extended reference would have to copy.
func (l *lookup) used() []string {
	var out []string
	for _, d := range l.Stage.Pipeline[l.Stage.Index+1:] {
		collectPaths(bsoncore.Value{Type: bsoncore.TypeEmbeddedDocument, Data: d}, "", l.As+".", &out)
	}
	return out
}

// collectPaths gathers what follows prefix in field paths, both as values
// ("$as.name") and as keys ({"as.name": 1}).
func collectPaths(v bsoncore.Value, key, prefix string, out *[]string) {
	add := func(path string) {
		rest, ok := strings.CutPrefix(path, prefix)
		if rest = op.Path(rest); ok && rest != "" && len(*out) < maxUsed && !slices.Contains(*out, rest) {
			*out = append(*out, rest)
		}
	}
	add(key)
	switch v.Type {
	case bsoncore.TypeString:
		if s := op.Str(v); strings.HasPrefix(s, "$") {
			add(strings.TrimLeft(s, "$"))
		}
	case bsoncore.TypeEmbeddedDocument, bsoncore.TypeArray:
		for k, item := range op.Fields(bsoncore.Document(v.Data)) {
			collectPaths(item, k, prefix, out)
		}
	}
}
