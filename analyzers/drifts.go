package analyzers

import (
	"strings"

	"go.mongodb.org/mongo-driver/v2/x/bsonx/bsoncore"

	"mongoadvisor/internal/op"
)

// drifts remembers the types of the fields of each collection.
type drifts struct {
	collections *generations[collectionTypes]
	walker      op.Walker
	stretch     stretch
}

// The bounds of the state, some 100 bytes a path, and of the work on one
// operation.
const (
	maxTypedCollections = 256 // twice that are kept
	maxTypedPaths       = 128
	maxTypedDocs        = 8  // written documents of one operation that are looked at
	maxTypedReturned    = 2  // returned ones
	typedAtFirst        = 64 // replies of a collection that are all looked at
	typedLater          = 16 // and one in so many after that: what is stored seldom changes
	maxTypedFields      = 128
	maxTypedDepth       = 4
)

type collectionTypes struct {
	byPath  map[uint64]*pathTypes // by hash of the path without positions
	replies int64
}

// pathTypes is what was seen of one field.
type pathTypes struct {
	stored   [kinds]uint32
	empty    [kinds]uint32 // queries for this kind that found nothing
	versions [kinds]uint32 // sets of schema versions of the documents that hold the kind; see versionOf
	inArray  bool
}

func newDrifts() *drifts {
	return &drifts{
		collections: newGenerations[collectionTypes](maxTypedCollections),
		walker:      op.Walker{MaxDepth: maxTypedDepth, MaxFields: maxTypedFields},
	}
}

// at is what is known of a path; nil when there is no room for it.
func (c *collectionTypes) at(path uint64) *pathTypes {
	if t, ok := c.byPath[path]; ok || len(c.byPath) >= maxTypedPaths {
		return t
	}
	if c.byPath == nil {
		c.byPath = map[uint64]*pathTypes{}
	}
	t := &pathTypes{}
	c.byPath[path] = t
	return t
}

// never reports whether values of a kind cannot match what was seen: only the
// kind it is confused with is stored. Of a string, any stored string could match.
func (t *pathTypes) never(k typeKind) bool {
	if t.stored[k.other()] == 0 || t.stored[kindText] > 0 && k != kindID {
		return false
	}
	if k.text() {
		return t.stored[kindIDText]+t.stored[kindNumberText]+t.stored[kindDateText] == 0
	}
	return t.stored[k] == 0
}

// mixed is the confusion that the stored values show, each side often enough.
// Beside other strings, those that look like numbers and dates are strings, too.
func (t *pathTypes) mixed(often int64) (a, b typeKind, ok bool) {
	for _, pair := range kindPairs {
		a, b = pair[0], pair[1]
		if int64(min(t.stored[a], t.stored[b])) >= often && (a == kindID || t.stored[kindText] == 0) {
			return a, b, true
		}
	}
	return kindNone, kindNone, false
}

// versioned reports whether the two kinds come with different schema versions.
func (t *pathTypes) versioned(a, b typeKind) bool { return t.versions[a]&t.versions[b] == 0 }

// versionOf is the schema version of a document as one bit: the first for none,
// one of the others by its hash. "__v" of Mongoose counts changes and is none.
func versionOf(doc bsoncore.Document) uint32 {
	for k, v := range op.Fields(doc) {
		switch k {
		case "schemaVersion", "schema_version", "schemaversion", "_schemaVersion", "_schema_version", "docVersion", "modelVersion":
			return 2 << (op.Hash(v) % 31)
		}
	}
	return 1
}

// store notes the types of what a statement stores or returns. seen is told of
// each value that makes its path more mixed: of the kind that is rarer there.
func (d *drifts) store(o *op.Operation, s *op.Statement, often int64, seen func(path string, t *pathTypes)) {
	if o.Reply.Errors > 0 {
		return // which of the statements took effect is not known
	}
	docs := [4]bsoncore.Document{s.Document, s.Update.Replacement}
	if n, known := written(o, s); s.Command != "update" || !known || n > 0 {
		docs[2], docs[3] = op.Doc(op.Get(s.Update.Operators, "$set")), op.Doc(op.Get(s.Update.Operators, "$setOnInsert"))
	}
	for _, doc := range docs {
		if doc != nil && s.Index < maxTypedDocs {
			d.document(d.collections.at(s.NS), doc, often, seen)
		}
	}
	if o.Reply.Upserted > 0 && len(o.Statements()) == 1 {
		d.upserted(s, often, seen)
	}
	if len(o.Reply.Docs) == 0 || !returnsStored(s) {
		return
	}
	c := d.collections.at(s.NS)
	if c.replies++; c.replies > typedAtFirst && c.replies%typedLater != 0 {
		return
	}
	for _, doc := range o.Reply.Docs[:min(len(o.Reply.Docs), maxTypedReturned)] {
		d.document(c, doc, often, seen)
	}
}

// returnsStored reports whether the documents of a reply are as they are stored:
// no stage and no expression made them.
func returnsStored(s *op.Statement) bool {
	switch s.Command {
	case "find", "aggregate", "findAndModify":
	default:
		return false
	}
	for _, v := range op.Fields(s.Projection) {
		if v.Type == bsoncore.TypeEmbeddedDocument || v.Type == bsoncore.TypeString {
			return false
		}
	}
	for _, stage := range s.Pipeline {
		switch op.FirstKey(stage) {
		case "$match", "$sort", "$limit", "$skip", "$sample":
		default:
			return false
		}
	}
	return true
}

func (d *drifts) document(c *collectionTypes, doc bsoncore.Document, often int64, seen func(string, *pathTypes)) {
	version := uint32(0)
	d.walker.Walk(doc, func(w *op.Walker, v bsoncore.Value) {
		kind := kindOf(v)
		if kind == kindNone {
			return
		}
		key := w.Keys()[0]
		if len(w.Keys()) == 1 && !plainPath(key) {
			return // "items.0.price" of a $set
		}
		t := c.at(w.PathHash())
		if t == nil {
			return
		}
		if version == 0 {
			version = versionOf(doc)
		}
		if len(w.Keys()) > 1 && !t.inArray {
			t.inArray = positions(w.Keys())
		}
		if t.add(kind, version, often) {
			seen(w.Path(), t)
		}
	})
}

// add counts a value; it reports whether the path is mixed and this kind the
// rarer one.
func (t *pathTypes) add(k typeKind, version uint32, often int64) bool {
	t.stored[k]++
	t.versions[k] |= version
	if int64(t.stored[k.other()]) < often {
		return false
	}
	a, b, mixed := t.mixed(often)
	return mixed && (k == a || k == b) && t.stored[k] <= t.stored[k.other()]
}

// upserted notes the values that an upsert took over from its filter.
func (d *drifts) upserted(s *op.Statement, often int64, seen func(string, *pathTypes)) {
	c := d.collections.at(s.NS)
	for pred := range (op.Filter{Doc: s.Filter}).Predicates() {
		if pred.Op != "$eq" || pred.Negated || pred.Or || !plainPath(pred.Path) {
			continue
		}
		kind := kindOf(pred.Value)
		if t := c.at(op.HashString(pred.Path)); kind != kindNone && t != nil && t.add(kind, 1, often) {
			seen(pred.Path, t)
		}
	}
}

// plainPath reports whether a path names no position in an array.
func plainPath(path string) bool {
	if !strings.ContainsAny(path, ".$") {
		return path != ""
	}
	if path == "" || strings.ContainsRune(path, '$') {
		return false
	}
	for rest, more := path, true; more; {
		var segment string
		segment, rest, more = strings.Cut(rest, ".")
		if positions([]string{"", segment}) {
			return false
		}
	}
	return true
}

// positions reports whether one of the keys below the first is a position in an
// array.
func positions(keys []string) bool {
	for _, k := range keys[1:] {
		if k != "" && strings.Trim(k, "0123456789") == "" {
			return true
		}
	}
	return false
}
