package engine

import (
	"strings"

	"mongoadvisor/internal/op"
)

// maxIndexedCollections bounds what is learnt of indexes.
const maxIndexedCollections = 10_000

// indexTable is the index catalogue that traffic gives for free: createIndexes,
// dropIndexes and the replies to listIndexes.
type indexTable struct {
	byNS map[string]*collectionIndexes
}

type collectionIndexes struct {
	indexes []op.Index
	full    bool // listIndexes was seen: there are no others
}

func newIndexTable() *indexTable { return &indexTable{byNS: map[string]*collectionIndexes{}} }

// of returns what is known; the index on _id always exists.
func (t *indexTable) of(ns op.Namespace) ([]op.Index, bool) {
	c, ok := t.byNS[ns.String()]
	if !ok {
		return nil, false
	}
	return c.indexes, true
}

func (t *indexTable) learn(o *op.Operation) {
	if o.Kind != op.KindDDL || o.Reply.Seen && !o.Reply.OK {
		return
	}
	switch o.Command {
	case "createIndexes":
		if c := t.collection(o.NS); c != nil {
			for _, d := range op.Docs(op.Get(o.Body, "indexes")) {
				c.add(op.ParseIndex(d))
			}
		}
	case "listIndexes":
		if c := t.collection(o.NS); c != nil && o.Reply.Seen {
			for _, d := range o.Reply.Docs {
				c.add(op.ParseIndex(d))
			}
			c.full = c.full || o.Reply.CursorID == 0 && o.Reply.Returned >= 0
		}
	case "dropIndexes":
		t.drop(o)
	case "drop":
		delete(t.byNS, o.NS.String())
	case "renameCollection":
		delete(t.byNS, o.NS.String())
		delete(t.byNS, op.Str(op.Get(o.Body, "to")))
	case "dropDatabase":
		for key := range t.byNS {
			if strings.HasPrefix(key, o.NS.DB+".") {
				delete(t.byNS, key)
			}
		}
	}
}

// drop forgets the index of that name; by any other description, all that is
// known of the collection.
func (t *indexTable) drop(o *op.Operation) {
	c := t.byNS[o.NS.String()]
	if c == nil {
		return
	}
	name := op.Str(op.Get(o.Body, "index"))
	for i, ix := range c.indexes {
		if ix.Name == name {
			c.indexes = append(c.indexes[:i:i], c.indexes[i+1:]...)
			return
		}
	}
	delete(t.byNS, o.NS.String())
}

func (t *indexTable) collection(ns op.Namespace) *collectionIndexes {
	key := ns.String()
	c := t.byNS[key]
	if c == nil && len(t.byNS) < maxIndexedCollections {
		c = &collectionIndexes{}
		t.byNS[strings.Clone(key)] = c
	}
	return c
}

// maxIndexes is the server's own limit for one collection.
const maxIndexes = 64

func (c *collectionIndexes) add(ix op.Index, ok bool) {
	if !ok {
		return
	}
	for i := range c.indexes {
		if c.indexes[i].Name == ix.Name {
			c.indexes[i] = ix
			return
		}
	}
	if len(c.indexes) < maxIndexes {
		c.indexes = append(c.indexes, ix)
	}
}
