package op

import (
	"go.mongodb.org/mongo-driver/v2/x/bsonx/bsoncore"
)

// Statement is one unit of an operation: the find itself, one entry of an
// update, one op of a bulkWrite. It hides where each command keeps its filter,
// its update and its pipeline (catalogue 2.1).
type Statement struct {
	NS      Namespace
	Command string // "find", "aggregate", "count", "distinct", "insert", "update", "delete", "findAndModify"
	Index   int    // position in its command
	Filter  bsoncore.Document
	Update  Update
	// Pipeline is an aggregation; the pipeline of an update is in Update.
	Pipeline     []bsoncore.Document
	Document     bsoncore.Document // what an insert stores
	ArrayFilters []bsoncore.Document
	Collation    bsoncore.Document
	Sort         bsoncore.Document
	Projection   bsoncore.Document
	Hint         bsoncore.Value
	Key          string // of distinct
	Skip, Limit  int64
	Multi        bool
	Upsert       bool
	New          bool // findAndModify returns the document after the change
	// View is the name of the view that was read, "" for a collection: NS and
	// Pipeline are then those of what it stands on.
	View string

	shape   Shape
	shapeID uint64 // when only that was asked for
}

// Target hashes the _id of the one document a statement is for; ok is false when
// it is not for one, or not by its _id.
func (s *Statement) Target() (hash uint64, ok bool) {
	from := s.Filter
	if s.Document != nil {
		from = s.Document
	}
	id := Get(from, "_id")
	if d := Doc(id); d != nil && s.Document == nil && IsOperators(d) {
		id = Get(d, "$eq")
	}
	return Hash(id), id.Type != 0 && id.Type != bsoncore.TypeRegex
}

// Update is what an update does, in one of its three forms.
type Update struct {
	Operators   bsoncore.Document   // {$set: …}
	Replacement bsoncore.Document   // a whole document
	Pipeline    []bsoncore.Document // [{$set: …}]
}

// IsZero reports whether there is no update.
func (u Update) IsZero() bool {
	return u.Operators == nil && u.Replacement == nil && u.Pipeline == nil
}

func parseUpdate(v bsoncore.Value) Update {
	switch v.Type {
	case bsoncore.TypeArray:
		return Update{Pipeline: Docs(v)}
	case bsoncore.TypeEmbeddedDocument:
		if IsOperators(Doc(v)) {
			return Update{Operators: Doc(v)}
		}
		return Update{Replacement: Doc(v)}
	}
	return Update{}
}

func parseStatements(o *Operation) []Statement {
	switch o.Command {
	case "find":
		return append(o.space(1), parseFind(o))
	case "aggregate":
		return append(o.space(1), Statement{
			NS: o.NS, Command: "aggregate", Pipeline: Docs(Get(o.Body, "pipeline")),
			Collation: Doc(Get(o.Body, "collation")), Hint: Get(o.Body, "hint"),
		})
	case "count", "distinct":
		s := Statement{
			NS: o.NS, Command: o.Command, Filter: Doc(Get(o.Body, "query")),
			Collation: Doc(Get(o.Body, "collation")), Key: Str(Get(o.Body, "key")), Hint: Get(o.Body, "hint"),
		}
		s.Skip, _ = Int(Get(o.Body, "skip"))
		s.Limit, _ = Int(Get(o.Body, "limit"))
		return append(o.space(1), s)
	case "mapReduce":
		return append(o.space(1), Statement{NS: o.NS, Command: "mapReduce", Filter: Doc(Get(o.Body, "query"))})
	case "update":
		return parseUpdates(o)
	case "delete":
		return parseDeletes(o)
	case "insert":
		return parseInserts(o)
	case "findAndModify":
		return append(o.space(1), parseFindAndModify(o))
	case "bulkWrite":
		return parseBulkWrite(o)
	}
	return nil
}

// option reads what every command and every entry of one spells alike.
func (s *Statement) option(name string, v bsoncore.Value) {
	switch name {
	case "sort":
		s.Sort = Doc(v)
	case "collation":
		s.Collation = Doc(v)
	case "hint":
		s.Hint = v
	case "arrayFilters":
		s.ArrayFilters = Docs(v)
	case "multi":
		s.Multi = True(v)
	case "upsert":
		s.Upsert = True(v)
	}
}

func parseFind(o *Operation) Statement {
	s := Statement{NS: o.NS, Command: "find"}
	for k, v := range Fields(o.Body) {
		switch k {
		case "filter":
			s.Filter = Doc(v)
		case "projection":
			s.Projection = Doc(v)
		case "skip":
			s.Skip, _ = Int(v)
		case "limit":
			s.Limit, _ = Int(v)
		default:
			s.option(k, v)
		}
	}
	return s
}

func parseFindAndModify(o *Operation) Statement {
	s := Statement{NS: o.NS, Command: "findAndModify"}
	for k, v := range Fields(o.Body) {
		switch k {
		case "query":
			s.Filter = Doc(v)
		case "update":
			s.Update = parseUpdate(v)
		case "fields":
			s.Projection = Doc(v)
		case "new":
			s.New = True(v)
		default:
			s.option(k, v)
		}
	}
	return s
}

func parseUpdates(o *Operation) []Statement {
	docs := o.docs("updates")
	out := o.space(len(docs))
	for i, d := range docs {
		s := Statement{NS: o.NS, Command: "update", Index: i}
		for k, v := range Fields(d) {
			switch k {
			case "q":
				s.Filter = Doc(v)
			case "u":
				s.Update = parseUpdate(v)
			default:
				s.option(k, v)
			}
		}
		out = append(out, s)
	}
	return out
}

func parseDeletes(o *Operation) []Statement {
	docs := o.docs("deletes")
	out := o.space(len(docs))
	for i, d := range docs {
		s := Statement{NS: o.NS, Command: "delete", Index: i, Multi: true}
		for k, v := range Fields(d) {
			switch k {
			case "q":
				s.Filter = Doc(v)
			case "limit":
				n, _ := Int(v)
				s.Multi = n == 0
			default:
				s.option(k, v)
			}
		}
		out = append(out, s)
	}
	return out
}

func parseInserts(o *Operation) []Statement {
	docs := o.docs("documents")
	out := o.space(len(docs))
	for i, d := range docs {
		out = append(out, Statement{NS: o.NS, Command: "insert", Index: i, Document: d})
	}
	return out
}

// parseBulkWrite reads the cross-collection bulkWrite of 8.0: each op names its
// collection by its position in nsInfo.
func parseBulkWrite(o *Operation) []Statement {
	var spaces []Namespace
	for _, d := range o.docs("nsInfo") {
		spaces = append(spaces, ParseNamespace(Str(Get(d, "ns"))))
	}
	ops := o.docs("ops")
	out := o.space(len(ops))
	for i, d := range ops {
		s := Statement{Index: i}
		at := int64(-1)
		for k, v := range Fields(d) {
			switch k {
			case "insert", "update", "delete":
				s.Command = k
				at, _ = Int(v)
			case "filter":
				s.Filter = Doc(v)
			case "updateMods":
				s.Update = parseUpdate(v)
			case "document":
				s.Document = Doc(v)
			default:
				s.option(k, v)
			}
		}
		if at < 0 || at >= int64(len(spaces)) || s.Command == "" {
			continue
		}
		s.NS = spaces[at]
		out = append(out, s)
	}
	return out
}
