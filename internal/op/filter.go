package op

import (
	"iter"
	"strconv"
	"strings"

	"go.mongodb.org/mongo-driver/v2/x/bsonx/bsoncore"
)

// Filter is one predicate document with the place it stands in.
type Filter struct {
	NS    Namespace
	Doc   bsoncore.Document
	Place string // "filter", "q", "query", "pipeline[0].$match", …
	// Stored reports whether it is applied to stored documents: a $match after
	// $group or $lookup sees computed ones, and no index helps there.
	Stored    bool
	Collation bsoncore.Document
	// Joined is the foreignField of the $lookup whose result it filters.
	Joined string

	stage Stage // of a $match
}

// Around yields the stages of its pipeline that narrow a $match with it: all
// before it, and the $match stages right after it, which the server joins with it.
func (f Filter) Around() iter.Seq[bsoncore.Document] {
	return func(yield func(bsoncore.Document) bool) {
		for i, d := range f.stage.Pipeline {
			if i > f.stage.Index && FirstKey(d) != "$match" {
				return
			}
			if i != f.stage.Index && !yield(d) {
				return
			}
		}
	}
}

// Filters yields every filter of the statement: its own and those of the
// stages of its aggregation at every depth.
func (s *Statement) Filters() iter.Seq[Filter] {
	return func(yield func(Filter) bool) {
		if s.Filter != nil {
			if !yield(Filter{NS: s.NS, Doc: s.Filter, Place: filterPlace(s), Stored: true, Collation: s.Collation}) {
				return
			}
		}
		for st := range s.Stages() {
			var doc bsoncore.Document
			switch st.Name {
			case "$match":
				doc = Doc(st.Value)
			case "$geoNear":
				doc = Doc(Get(Doc(st.Value), "query"))
			case "$graphLookup":
				doc = Doc(Get(Doc(st.Value), "restrictSearchWithMatch"))
			}
			if doc == nil {
				continue
			}
			f := Filter{NS: st.NS, Doc: doc, Place: st.Path + "." + st.Name, Stored: st.First(), Collation: s.Collation, Joined: st.Joined}
			if st.Name == "$match" {
				f.stage = st
			}
			if st.Name == "$graphLookup" {
				f.NS = LookupFrom(Doc(st.Value), st.NS)
				f.Stored = true
			}
			if !yield(f) {
				return
			}
		}
	}
}

func filterPlace(s *Statement) string {
	switch s.Command {
	case "find":
		return "filter"
	case "update":
		return "updates[" + strconv.Itoa(s.Index) + "].q"
	case "delete":
		return "deletes[" + strconv.Itoa(s.Index) + "].q"
	}
	return "query"
}

// Predicate is one condition of a filter.
type Predicate struct {
	Path string // field path; empty for $text, $where, $expr, $jsonSchema
	Op   string // "$eq", "$in", "$regex", "$gt", …; "$eq" for {field: value}
	// Value is the operand. Of "$regex" it is the operand as sent; Pattern and
	// Options hold the regular expression with $options applied.
	Value            bsoncore.Value
	Pattern, Options string
	Via              string // "$in", "$nin" or "$all" when a regex is an element of such a list
	Negated          bool   // under $not, $nor or $nin
	Or               bool   // under $or with more than one branch
}

// Predicates yields the filter's conditions, logical operators resolved.
func (f Filter) Predicates() iter.Seq[Predicate] {
	return func(yield func(Predicate) bool) {
		walkFilter(f.Doc, "", false, false, yield)
	}
}

func walkFilter(doc bsoncore.Document, prefix string, negated, or bool, yield func(Predicate) bool) bool {
	for key, v := range Fields(doc) {
		if !strings.HasPrefix(key, "$") {
			if !walkField(prefix+key, v, negated, or, yield) {
				return false
			}
			continue
		}
		switch key {
		case "$and", "$or", "$nor":
			branches := Docs(v)
			for _, d := range branches {
				if !walkFilter(d, prefix, negated || key == "$nor", or || key == "$or" && len(branches) > 1, yield) {
					return false
				}
			}
		default:
			if !yield(Predicate{Op: key, Value: v, Negated: negated, Or: or}) {
				return false
			}
		}
	}
	return true
}

// walkField reads the condition on one field.
func walkField(path string, v bsoncore.Value, negated, or bool, yield func(Predicate) bool) bool {
	if pattern, options, ok := v.RegexOK(); ok {
		return yield(Predicate{Path: path, Op: "$regex", Value: v, Pattern: pattern, Options: options, Negated: negated, Or: or})
	}
	if d := Doc(v); d != nil && IsOperators(d) {
		return walkOperators(path, d, negated, or, yield)
	}
	return yield(Predicate{Path: path, Op: "$eq", Value: v, Negated: negated, Or: or})
}

// walkOperators reads {$gt: …, $regex: …, $options: …} on one field.
func walkOperators(path string, doc bsoncore.Document, negated, or bool, yield func(Predicate) bool) bool {
	for name, v := range Fields(doc) {
		p := Predicate{Path: path, Op: name, Value: v, Negated: negated, Or: or}
		switch name {
		case "$options":
			continue
		case "$regex":
			if p.Pattern, p.Options = regexOperand(v, doc); !yield(p) {
				return false
			}
			continue
		case "$not":
			if !walkField(path, v, true, or, yield) {
				return false
			}
			continue
		case "$elemMatch":
			if !walkElemMatch(path, Doc(v), negated, or, yield) {
				return false
			}
			continue
		case "$in", "$nin", "$all":
			if !walkList(p, yield) {
				return false
			}
		}
		if !yield(p) {
			return false
		}
	}
	return true
}

// regexOperand reads $regex with its $options, which win over the options of a
// regex object (measured on 6.0.5), in either order.
func regexOperand(v bsoncore.Value, doc bsoncore.Document) (pattern, options string) {
	if p, o, ok := v.RegexOK(); ok {
		pattern, options = p, o
	} else {
		pattern = Str(v)
	}
	if o := Get(doc, "$options"); o.Type == bsoncore.TypeString {
		options = Str(o)
	}
	return pattern, options
}

// walkElemMatch resolves the two forms: {$elemMatch: {$gt: 1}} judges the
// array's own path, {$elemMatch: {x: 1}} the path below it.
func walkElemMatch(path string, doc bsoncore.Document, negated, or bool, yield func(Predicate) bool) bool {
	if first := FirstKey(doc); strings.HasPrefix(first, "$") && first != "$and" && first != "$or" && first != "$nor" {
		return walkOperators(path, doc, negated, or, yield)
	}
	return walkFilter(doc, path+".", negated, or, yield)
}

// walkList yields the regexes and $elemMatch documents inside a list operator.
func walkList(list Predicate, yield func(Predicate) bool) bool {
	arr := Arr(list.Value)
	if arr == nil {
		return true
	}
	for item := range Items(arr) {
		if pattern, options, ok := item.RegexOK(); ok {
			p := list
			p.Op, p.Via, p.Value, p.Pattern, p.Options = "$regex", list.Op, item, pattern, options
			p.Negated = list.Negated || list.Op == "$nin"
			if !yield(p) {
				return false
			}
		}
		if d := Doc(item); list.Op == "$all" && FirstKey(d) == "$elemMatch" {
			if !walkElemMatch(list.Path, Doc(Get(d, "$elemMatch")), list.Negated, list.Or, yield) {
				return false
			}
		}
	}
	return true
}
