package analyzers

import (
	"strings"

	"mongoadvisor/internal/op"
)

// generations keeps one T per collection. A statement's collection need not be
// that of its operation (bulkWrite, views), so the engine's state per namespace
// would split what belongs together. When the younger half is full the older one
// is forgotten: at most twice max are kept, those used last among them.
type generations[T any] struct {
	max        int
	young, old map[op.Namespace]*T
}

func newGenerations[T any](limit int) *generations[T] {
	return &generations[T]{max: limit, young: map[op.Namespace]*T{}}
}

// at is what is kept of a collection; a zero T when it is new.
func (g *generations[T]) at(ns op.Namespace) *T {
	if x, ok := g.young[ns]; ok {
		return x
	}
	x, ok := g.old[ns]
	if !ok {
		x = new(T)
	}
	if len(g.young) >= g.max {
		g.old, g.young = g.young, map[op.Namespace]*T{}
	}
	// the names alias a message
	g.young[op.Namespace{DB: strings.Clone(ns.DB), Coll: strings.Clone(ns.Coll)}] = x
	return x
}

// known is what is kept of a collection, or nil.
func (g *generations[T]) known(ns op.Namespace) *T {
	if x, ok := g.young[ns]; ok {
		return x
	}
	return g.old[ns]
}

// forget drops a collection.
func (g *generations[T]) forget(ns op.Namespace) {
	delete(g.young, ns)
	delete(g.old, ns)
}

// dropped forgets what a drop or a dropDatabase takes away; of any other command
// nothing.
func (g *generations[T]) dropped(o *op.Operation) {
	switch o.Command {
	case "drop":
		g.forget(o.NS)
	case "dropDatabase":
		for _, half := range []map[op.Namespace]*T{g.young, g.old} {
			for ns := range half {
				if ns.DB == o.NS.DB {
					delete(half, ns)
				}
			}
		}
	}
}
