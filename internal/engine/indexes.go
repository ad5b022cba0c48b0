package engine

import (
	"slices"
	"strings"

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
	byNS map[string][]op.Index
	// complete are the collections of which a whole list was seen, and every change since.
	complete map[string]bool
	bytes    int
}

func newIndexTable() *indexTable {
	return &indexTable{byNS: map[string][]op.Index{}, complete: map[string]bool{}}
}

// of returns the indexes that were seen; known is false when none ever was.
func (t *indexTable) of(ns op.Namespace) (indexes []op.Index, known bool) {
	indexes, known = t.byNS[ns.String()]
	return indexes, known
}

func (t *indexTable) learn(o *op.Operation) {
	if o.Kind != op.KindDDL || o.Reply.Seen && !o.Reply.OK {
		return
	}
	switch o.Command {
	case "createIndexes":
		for _, d := range op.Docs(op.Get(o.Body, "indexes")) {
			t.add(o.NS, d)
		}
	case "listIndexes":
		for _, d := range o.Reply.Docs {
			t.add(o.NS, d)
		}
		if r, key := o.Reply, o.NS.String(); r.CursorID == 0 && len(r.Docs) > 0 && r.Returned == len(r.Docs) && len(t.byNS[key]) >= len(r.Docs) {
			t.complete[strings.Clone(key)] = true
		}
	case "dropIndexes":
		t.drop(o)
	case "drop":
		t.forget(o.NS.String())
	case "renameCollection":
		t.forget(o.NS.String())
		t.forget(op.ParseNamespace(op.Str(op.Get(o.Body, "to"))).String())
	case "dropDatabase":
		for key := range t.byNS {
			if strings.HasPrefix(key, o.NS.DB+".") {
				t.forget(key)
			}
		}
	}
}

// drop forgets the index of that name; by any other description, all that is
// known of the collection.
func (t *indexTable) drop(o *op.Operation) {
	key, name := o.NS.String(), op.Str(op.Get(o.Body, "index"))
	indexes := t.byNS[key]
	i := slices.IndexFunc(indexes, func(ix op.Index) bool { return ix.Name == name })
	if i < 0 {
		t.forget(key)
		return
	}
	t.bytes -= size(indexes[i])
	t.byNS[key] = slices.Delete(indexes, i, i+1)
}

func (t *indexTable) forget(key string) {
	for _, ix := range t.byNS[key] {
		t.bytes -= size(ix)
	}
	delete(t.byNS, key)
	delete(t.complete, key)
}

// maxIndexes is the server's own limit for one collection.
const maxIndexes = 64

// add takes an index in, in the place of one of the same name.
func (t *indexTable) add(ns op.Namespace, doc bsoncore.Document) {
	ix, ok := op.ParseIndex(doc)
	key := ns.String()
	indexes, known := t.byNS[key]
	if !ok || !known && len(t.byNS) >= maxIndexedCollections || t.bytes+size(ix) > maxIndexBytes {
		return
	}
	if i := slices.IndexFunc(indexes, func(x op.Index) bool { return x.Name == ix.Name }); i >= 0 {
		t.bytes += size(ix) - size(indexes[i])
		indexes[i] = ix
		return
	}
	if len(indexes) < maxIndexes {
		t.bytes += size(ix)
		t.byNS[strings.Clone(key)] = append(indexes, ix)
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
