package engine

import (
	"slices"
	"strings"

	"go.mongodb.org/mongo-driver/v2/x/bsonx/bsoncore"

	"mongoadvisor/internal/op"
)

// maxViews and maxViewBytes bound what is learnt of views; the server allows a
// view to stand on at most 20 others.
const (
	maxViews     = 1000
	maxViewBytes = 4 << 20
	maxViewDepth = 20
)

// viewTable is what the traffic told of views: create, collMod and the replies
// to listCollections.
type viewTable struct {
	byNS  map[string]view
	bytes int
}

// view is a definition with what it holds in memory.
type view struct {
	op.View
	bytes int
}

func newViewTable() *viewTable { return &viewTable{byNS: map[string]view{}} }

func (t *viewTable) learn(o *op.Operation) {
	if o.Kind != op.KindDDL || o.Reply.Seen && !o.Reply.OK {
		return
	}
	switch o.Command {
	case "create", "collMod":
		t.add(o.NS, o.Body)
	case "listCollections":
		for _, d := range o.Reply.Docs {
			t.add(op.Namespace{DB: o.NS.DB, Coll: op.Str(op.Get(d, "name"))}, op.Doc(op.Get(d, "options")))
		}
	case "drop":
		t.forget(o.NS.String())
	case "dropDatabase":
		for key := range t.byNS {
			if strings.HasPrefix(key, o.NS.DB+".") {
				t.forget(key)
			}
		}
	}
}

// add takes a definition in; it keeps nothing of doc.
func (t *viewTable) add(ns op.Namespace, doc bsoncore.Document) {
	on, pipeline := op.Str(op.Get(doc, "viewOn")), op.Get(doc, "pipeline")
	if on == "" || pipeline.Type != bsoncore.TypeArray {
		return
	}
	key := ns.String()
	t.forget(key)
	if len(t.byNS) >= maxViews || t.bytes+len(pipeline.Data) > maxViewBytes {
		return
	}
	copied := bsoncore.Value{Type: bsoncore.TypeArray, Data: slices.Clone(pipeline.Data)}
	t.bytes += len(copied.Data)
	t.byNS[strings.Clone(key)] = view{op.View{Name: strings.Clone(ns.Coll), On: strings.Clone(on), Pipeline: op.Docs(copied)}, len(copied.Data)}
}

func (t *viewTable) forget(key string) {
	t.bytes -= t.byNS[key].bytes
	delete(t.byNS, key)
}

// resolve makes a read of a view one of the collection it stands on.
func (t *viewTable) resolve(o *op.Operation) {
	if o.View != nil && o.Kind == op.KindRead {
		o.Through(*o.View)
		return
	}
	if len(t.byNS) == 0 || o.Kind != op.KindRead {
		return
	}
	ns := o.NS
	for range maxViewDepth {
		v, ok := t.byNS[ns.String()]
		if !ok {
			return
		}
		o.Through(v.View)
		ns.Coll = v.On
	}
}
