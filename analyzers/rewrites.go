package analyzers

import (
	"hash/maphash"

	"go.mongodb.org/mongo-driver/v2/x/bsonx/bsoncore"

	"mongoadvisor/internal/analysis"
	"mongoadvisor/internal/op"
	"mongoadvisor/internal/sketch"
)

// rewrite is an update that writes a document as a whole, or nearly.
type rewrite struct {
	id            uint64            // hash of the _id, and of the collection
	body          bsoncore.Document // what is written; aliases the message
	bytes, fields int64
	replaces      bool // a replacement, no $set
	large         bool // in bytes or in fields
	versioned     bool // the filter has more than the _id
}

// rewriteOf reads a replacement, or a $set of much, of one document.
func rewriteOf(p *analysis.Pass, s *op.Statement) (w rewrite, ok bool) {
	body := s.Update.Replacement
	if w.replaces = body != nil; !w.replaces {
		body = op.Doc(op.Get(s.Update.Operators, "$set"))
	}
	if body == nil || s.Multi {
		return w, false
	}
	w.bytes, w.fields = int64(len(body)), int64(op.Len(bsoncore.Value{Type: bsoncore.TypeEmbeddedDocument, Data: body}))
	w.large = w.bytes >= p.Limit("bytes") || !w.replaces && w.fields >= p.Limit("fields")
	if !w.replaces && !w.large {
		return w, false
	}
	id, ok := target(s)
	w.id = id ^ op.HashString(s.NS.Coll)
	w.versioned = op.Len(bsoncore.Value{Type: bsoncore.TypeEmbeddedDocument, Data: s.Filter}) > 1
	w.body = body
	return w, ok
}

// rewrites is what is known of the whole writes of one collection.
type rewrites struct {
	seed      maphash.Seed // contents are only ever compared with each other
	documents *sketch.Top[rewritten]
	reads     [maxReads]reading // ring of the last finds by _id
	next      int
	compared  int64 // writes of documents that had been written before
	noops     int64
	saved     *sketch.Set // documents that were read, then replaced
	stretch   stretch
}

// rewritten is one document.
type rewritten struct {
	content uint64 // of the write before; 0 before the first
	stretch uint64 // of the traffic, of that write
	large   int64
}

// reading is a find by _id on one connection.
type reading struct{ conn, id uint64 }

// The bounds of one collection's state: some 60 KB.
const (
	maxRewritten = 512
	maxReads     = 64
	maxSaved     = 256
)

func newRewrites() *rewrites {
	return &rewrites{seed: maphash.MakeSeed(), documents: sketch.NewTop[rewritten](maxRewritten), saved: sketch.NewSet(maxSaved)}
}

// at is what is known of the document, and the hash of what is written now.
func (k *rewrites) at(w rewrite) (d *rewritten, content uint64) {
	return &k.documents.Add(w.id, 1).Value, maphash.Bytes(k.seed, w.body)
}

// same reports whether a write changes nothing. Of a replacement the reply does
// not tell (nModified is 1), of a $set it does.
func (k *rewrites) same(o *op.Operation, w rewrite, before, content uint64) bool {
	if before == 0 {
		return false
	}
	k.compared++
	r := o.Reply
	unchanged := !w.replaces && o.Command == "update" && r.Seen && r.OK && r.Errors == 0 && r.N > 0 && r.Modified == 0
	if before != content && !unchanged {
		return false
	}
	k.noops++
	return true
}

// interrupt forgets what was read: what was found then may have been written since.
func (k *rewrites) interrupt() { k.reads = [maxReads]reading{} }

// lost reports whether the write before this one may have been left out: then
// nobody knows whether this one changes something.
func (d *rewritten) lost(o *op.Operation) bool {
	return d.content != 0 && d.stretch != o.Sample.Stretch
}

func (k *rewrites) read(o *op.Operation, id uint64) {
	if o.Conn == nil {
		return
	}
	k.reads[k.next] = reading{o.Conn.ID, id ^ op.HashString(o.NS.Coll)}
	k.next = (k.next + 1) % maxReads
}

// wasRead reports whether a document was read on the connection shortly before.
// One reading is good for one write.
func (k *rewrites) wasRead(o *op.Operation, id uint64) bool {
	if o.Conn == nil {
		return false
	}
	for i := range k.reads {
		if k.reads[i] == (reading{o.Conn.ID, id}) {
			k.reads[i] = reading{}
			return true
		}
	}
	return false
}
