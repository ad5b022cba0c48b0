package engine

import (
	"slices"

	"go.mongodb.org/mongo-driver/v2/x/bsonx/bsoncore"

	"mongoadvisor/internal/op"
)

// maxIndexedCollections bounds what is learnt of indexes.
const maxIndexedCollections = 10_000

// maxIndexBytes bounds their names and keys in all: a server takes index names
// of any length.
const maxIndexBytes = 16 << 20

// indexTable is the index catalogue that traffic gives for free: createIndexes,
// dropIndexes and the replies to listIndexes.
type indexTable struct {
	byNS map[op.Namespace][]op.Index
	// complete are the collections of which a whole list was seen, and every change since.
	complete map[op.Namespace]bool
	bytes    int
}

func newIndexTable() *indexTable {
	return &indexTable{byNS: map[op.Namespace][]op.Index{}, complete: map[op.Namespace]bool{}}
}

// of returns the indexes that were seen; known is false when none ever was.
func (t *indexTable) of(ns op.Namespace) (indexes []op.Index, known bool) {
	indexes, known = t.byNS[ns.Cut()]
	return indexes, known
}

func (t *indexTable) learn(o *op.Operation) {
	if o.Kind != op.KindDDL || o.Reply.Seen && !o.Reply.OK {
		return
	}
	switch o.Command {
	case "createIndexes":
		for _, d := range op.Docs(op.Get(o.Body, "indexes")) {
			t.add(o.NS, d, false)
		}
		if key := o.NS.Cut(); o.Reply.Indexes > 0 && t.count(key) == o.Reply.Indexes {
			t.complete[key.Clone()] = true
		}
	case "listIndexes":
		for _, d := range o.Reply.Docs {
			t.add(o.NS, d, true)
		}
		if r, key := o.Reply, o.NS.Cut(); r.CursorID == 0 && len(r.Docs) > 0 && r.Returned == len(r.Docs) && len(t.byNS[key]) >= len(r.Docs) {
			t.complete[key.Clone()] = true
		}
	case "dropIndexes":
		t.drop(o)
	case "drop":
		t.forget(o.NS.Cut())
	case "renameCollection":
		t.forget(o.NS.Cut())
		t.forget(op.ParseNamespace(op.Str(op.Get(o.Body, "to"))).Cut())
	case "dropDatabase":
		for key := range t.byNS {
			if key.DB == o.NS.DB {
				t.forget(key)
			}
		}
	}
}

// count is how many indexes are known, the one on _id included, which nobody has
// to make.
func (t *indexTable) count(key op.Namespace) int {
	indexes := t.byNS[key]
	if slices.ContainsFunc(indexes, func(ix op.Index) bool { return ix.Name == "_id_" }) {
		return len(indexes)
	}
	return len(indexes) + 1
}

// drop forgets the index of that name; by any other description, all that is
// known of the collection.
func (t *indexTable) drop(o *op.Operation) {
	key, name := o.NS.Cut(), op.Str(op.Get(o.Body, "index"))
	indexes := t.byNS[key]
	i := slices.IndexFunc(indexes, func(ix op.Index) bool { return ix.Name == name })
	if i < 0 {
		t.forget(key)
		return
	}
	t.bytes -= size(indexes[i])
	t.byNS[key] = slices.Delete(indexes, i, i+1)
}

func (t *indexTable) forget(key op.Namespace) {
	for _, ix := range t.byNS[key] {
		t.bytes -= size(ix)
	}
	delete(t.byNS, key)
	delete(t.complete, key)
}

// maxIndexes is the server's own limit for one collection.
const maxIndexes = 64

// add takes an index in, in the place of one of the same name.
func (t *indexTable) add(ns op.Namespace, doc bsoncore.Document, listed bool) {
	ix, ok := op.ParseIndex(doc)
	ix.Listed = listed
	key := ns.Cut()
	indexes, known := t.byNS[key]
	if !ok || !known && len(t.byNS) >= maxIndexedCollections || t.bytes+size(ix) > maxIndexBytes {
		return
	}
	if i := slices.IndexFunc(indexes, func(x op.Index) bool { return x.Name == ix.Name }); i >= 0 {
		if indexes[i].Listed && !listed {
			return // made again, which changes nothing; the list said more
		}
		t.bytes += size(ix) - size(indexes[i])
		indexes[i] = ix
		return
	}
	if len(indexes) < maxIndexes {
		t.bytes += size(ix)
		t.byNS[key.Clone()] = append(indexes, ix)
	}
}

// size is what an index holds in memory, about.
func size(ix op.Index) int {
	n := 100 + len(ix.Name) + len(ix.Collation)
	for _, k := range ix.Keys {
		n += 32 + len(k.Path) + len(k.Kind)
	}
	return n
}
