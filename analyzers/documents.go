package analyzers

import (
	"strings"
	"time"

	"go.mongodb.org/mongo-driver/v2/x/bsonx/bsoncore"

	"mongoadvisor/internal/op"
)

// shown is one stored document that an operation shows: it wrote it as a whole,
// or its reply holds it.
type shown struct {
	NS        op.Namespace
	Statement int
	Doc       bsoncore.Document // nil when it was not kept whole; aliases the message
	Torn      []op.TornField    // then the fields that are known of it
	ID        uint64            // hash of its _id
	HasID     bool
	Size      int64 // in bytes
	Written   bool  // by this operation
	Whole     bool  // no field was left out
}

// maxShown bounds the documents of one operation that are looked at.
const maxShown = 32

// shownDocuments yields the stored documents that an operation shows, the first
// maxShown of them. Results of an aggregation are not stored documents, nor is
// what a projection computes or cuts.
func shownDocuments(o *op.Operation, yield func(shown)) {
	left := maxShown
	statements := o.Statements()
	for i := range statements {
		s := &statements[i]
		doc := s.Document
		if doc == nil {
			doc = s.Update.Replacement
		}
		if doc == nil || gridfsChunks(s.NS) || writeFailed(o) {
			continue
		}
		if left--; left < 0 {
			return
		}
		d := shown{NS: s.NS, Statement: i, Doc: doc, Size: int64(len(doc)), Written: true, Whole: true}
		if d.ID, d.HasID = docIdentity(doc); !d.HasID {
			d.ID, d.HasID = target(s)
		}
		yield(d)
	}
	if ns, whole, ok := readsStored(o); ok {
		repliedDocuments(o, shown{NS: ns, Whole: whole}, left, yield)
	}
}

// repliedDocuments yields the documents of a reply, and the first one that was too large
// to be kept.
func repliedDocuments(o *op.Operation, d shown, left int, yield func(shown)) {
	for _, doc := range o.Reply.Docs {
		if left--; left < 0 {
			return
		}
		d.Doc, d.Size = doc, int64(len(doc))
		yield(d) // its _id is looked for when it matters
	}
	if torn := &o.Reply.Torn; torn.Size > 0 {
		d.Doc, d.Size, d.Torn = nil, int64(torn.Size), torn.Fields
		d.ID, d.HasID = op.Hash(torn.ID), torn.ID.Type != 0
		yield(d)
	}
}

// readsStored is the collection whose documents a reply holds as they are stored.
func readsStored(o *op.Operation) (ns op.Namespace, whole, ok bool) {
	if !o.Reply.Seen || !o.Reply.OK || o.Cut {
		return op.Namespace{}, false, false
	}
	switch o.Command {
	case "find", "aggregate", "findAndModify":
		if len(o.Statements()) != 1 {
			return op.Namespace{}, false, false
		}
		s := &o.Statements()[0]
		return s.NS, s.Projection == nil && s.View == "", s.NS.Coll != "" && !gridfsChunks(s.NS) && plainProjection(s.Projection) && onlySelects(s.Pipeline)
	case "getMore":
		// the shape of a find says whether it has a projection or is on a view
		if g := o.Origin; g != nil && g.Command == "find" && g.NS.Coll != "" && !gridfsChunks(g.NS) {
			return g.NS, true, !strings.Contains(g.Shape.Text, "projection: ") && !strings.Contains(g.Shape.Text, "view: ")
		}
	}
	return op.Namespace{}, false, false
}

// plainProjection reports whether a projection only takes or leaves out fields.
func plainProjection(projection bsoncore.Document) bool {
	for path, v := range op.Fields(projection) {
		switch v.Type {
		case bsoncore.TypeInt32, bsoncore.TypeInt64, bsoncore.TypeDouble, bsoncore.TypeBoolean:
		default:
			return false
		}
		if strings.Contains(path, "$") {
			return false
		}
	}
	return true
}

// onlySelects reports whether stages only filter and order stored documents.
func onlySelects(stages []bsoncore.Document) bool {
	for _, d := range stages {
		switch op.FirstKey(d) {
		case "$match", "$sort", "$limit", "$skip", "$sample":
		default:
			return false
		}
	}
	return true
}

// gridfsChunks reports whether a collection holds the pieces of GridFS files.
func gridfsChunks(ns op.Namespace) bool { return strings.HasSuffix(ns.Coll, ".chunks") }

// writeFailed reports whether a write may not have been done: all statements of a
// batch count as failed when one is.
func writeFailed(o *op.Operation) bool {
	return o.Reply.Seen && (!o.Reply.OK || o.Reply.Errors > 0)
}

// docIdentity hashes the _id of a document.
func docIdentity(doc bsoncore.Document) (uint64, bool) {
	v := op.Get(doc, "_id")
	if v.Type == 0 {
		return 0, false
	}
	return op.Hash(v), true
}

// target hashes the _id that a statement is for.
func target(s *op.Statement) (uint64, bool) {
	for pred := range (op.Filter{Doc: s.Filter}).Predicates() {
		if pred.Path == "_id" && pred.Op == "$eq" && !pred.Negated && !pred.Or {
			return op.Hash(pred.Value), true
		}
	}
	return 0, false
}

// valueAt finds a value by its path, through documents only. reached says that
// nothing else is in the way: the value is there, or known not to be.
func valueAt(doc bsoncore.Document, path string) (v bsoncore.Value, reached bool) {
	for doc != nil {
		name, rest, more := strings.Cut(path, ".")
		if v = op.Get(doc, name); !more || v.Type == 0 {
			return v, true
		}
		doc, path = op.Doc(v), rest
	}
	return bsoncore.Value{}, false
}

// docField is one top-level field of a document.
type docField struct {
	Name string
	Type bsoncore.Type
	Size int64
}

// fields yields the top-level fields of a document, as far as they are known.
func (d shown) fields(yield func(docField) bool) {
	for _, f := range d.Torn {
		if !yield(docField{f.Name, f.Type, int64(f.Size)}) {
			return
		}
	}
	for name, v := range op.Fields(d.Doc) {
		if !yield(docField{name, v.Type, int64(len(v.Data))}) {
			return
		}
	}
}

// docSizes follow the size of one document.
type docSizes struct {
	first, last         int64
	firstTime, lastTime time.Time
	rises               int64 // in a row
	reported            bool  // by S03
}

// watched is the size from which a document is followed, nearLimit that from
// which it is S03's to speak of it, in bytes.
const (
	watched   = 1 << 20
	nearLimit = 12 << 20
)

// see notes a size. A smaller one begins anew.
func (s *docSizes) see(at time.Time, size int64) {
	switch {
	case s.last == 0:
		s.first, s.firstTime = size, at
	case size < s.last:
		*s = docSizes{first: size, firstTime: at}
	case size > s.last:
		s.rises++
	}
	s.last = size
	if at.After(s.lastTime) {
		s.lastTime = at
	}
}

// interrupt begins anew: it may have been smaller in between.
func (s *docSizes) interrupt() { *s = docSizes{reported: s.reported} }

// full is when the document reaches the server's limit, in days, with its growth
// in bytes a day; negative when nothing can be said.
func (s *docSizes) full(span time.Duration, rises int64) (days, daily float64) {
	past := s.lastTime.Sub(s.firstTime)
	if past < span || past <= 0 || s.rises < rises {
		return -1, 0
	}
	daily = float64(s.last-s.first) / past.Hours() * 24
	return max(float64(maxDocumentSize-s.last), 0) / daily, daily
}
