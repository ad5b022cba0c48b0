package analyzers

import (
	lru "container/list"
	"strings"

	"mongoadvisor/internal/analysis"
	"mongoadvisor/internal/op"
	"mongoadvisor/internal/sketch"
)

// arrays is what W01, S01 to S03 and I04 know of arrays and documents: one state
// for all of them, because a bulkWrite and a $merge are about collections other
// than their own. Whichever rule runs first takes an operation in.
type arrays struct {
	last  *op.Operation
	grown []grown     // what the last operation adds to arrays
	shown []shown     // the documents that it wrote or that its reply holds
	long  []longArray // the long arrays in them

	byNS  map[op.Namespace]*lru.Element // of *collectionArrays
	order *lru.List                     // the least recently used last
	// counts are the documents shown of every collection, known or not: a long
	// array is an outlier only among many.
	counts  map[op.Namespace]*int64
	walker  op.Walker
	stretch stretch
}

// What is kept, at most: some 45 MB when every bound is reached.
const (
	maxCollections = 128 // the least recently used go first
	maxArrays      = 64  // per collection; what comes beyond shares one
	maxDocuments   = 256 // per collection, of arrays that grow and of large documents each
	maxCounts      = 4096
)

func arrayState() *analysis.StateSpec {
	return &analysis.StateSpec{Scope: analysis.ScopeGlobal, Shared: "arrays", New: func() any {
		return &arrays{byNS: map[op.Namespace]*lru.Element{}, order: lru.New(), counts: map[op.Namespace]*int64{}}
	}}
}

// interrupt forgets what was counted: arrays may have been shortened, and documents
// made smaller, while nobody looked. That something shortens an array stays known.
func (a *arrays) interrupt() {
	for e := a.order.Front(); e != nil; e = e.Next() {
		c := e.Value.(*collectionArrays)
		for _, x := range c.arrays {
			x.worst = nil
		}
		c.tracks.Items(func(it *sketch.Item[*track]) { it.Value.interrupt() })
		c.sizes.Items(func(it *sketch.Item[*docSizes]) { it.Value.interrupt() })
	}
}

// collectionArrays is what is known of one collection. Collections without arrays that
// grow, long arrays and large documents have none.
type collectionArrays struct {
	ns     op.Namespace
	byPath map[string]*array
	arrays []*array // in the order in which they were seen
	// tracks follow single arrays of single documents, by hash of path and _id.
	tracks *sketch.Top[*track]
	// waiting counts what is added to others when there is no room: the one that
	// grows faster than what is followed takes its place. Documents that all grow
	// alike must not push each other out, or none would be seen growing.
	waiting *sketch.Top[struct{}]
	// sizes follow large documents, by hash of _id.
	sizes *sketch.Top[*docSizes]
	// partial reads leave out fields, whole ones do not.
	whole, partial int64
	largest        int64 // bytes of the largest document
}

// array is one array of all documents of a collection.
type array struct {
	path    string // as an index names it, clean
	hash    uint64
	trimmed bool   // something shortens it
	written bool   // something adds to it, or sets it as a whole
	epoch   int64  // counts what shortened it in documents that are not known
	grows   bool   // W01 reported it
	large   string // the reason S01 reported it for
	tracked int64  // documents whose array was seen growing
	worst   *track // the one that grew most

	longest int64
	above   int64     // documents in which it is long
	lengths [32]int64 // of them, by power of two
	values  *sketch.Set
	added   int64 // values of $addToSet
}

// maxValues bounds the different values of a set that are told apart.
const maxValues = 64

// of is what is known of a collection, made when it is new.
func (a *arrays) of(ns op.Namespace) *collectionArrays {
	if c := a.known(ns); c != nil {
		return c
	}
	if a.order.Len() >= maxCollections {
		last := a.order.Back()
		delete(a.byNS, last.Value.(*collectionArrays).ns)
		a.order.Remove(last)
	}
	ns = op.Namespace{DB: strings.Clone(ns.DB), Coll: strings.Clone(ns.Coll)}
	c := &collectionArrays{
		ns: ns, byPath: map[string]*array{},
		tracks: sketch.NewTop[*track](maxDocuments), waiting: sketch.NewTop[struct{}](maxDocuments), sizes: sketch.NewTop[*docSizes](maxDocuments),
	}
	a.byNS[ns] = a.order.PushFront(c)
	return c
}

// known is what is known of a collection, nil for nothing.
func (a *arrays) known(ns op.Namespace) *collectionArrays {
	if e := a.order.Front(); e != nil { // mostly the documents of one reply
		if c := e.Value.(*collectionArrays); c.ns == ns {
			return c
		}
	}
	e, ok := a.byNS[ns]
	if !ok {
		return nil
	}
	a.order.MoveToFront(e)
	return e.Value.(*collectionArrays)
}

// array is what is known of the array at a path as sent.
func (c *collectionArrays) array(path string) *array {
	key := arrayKey(path)
	if x, ok := c.byPath[key]; ok {
		return x
	}
	if len(c.byPath) >= maxArrays {
		key = ""
		if x, ok := c.byPath[key]; ok {
			return x
		}
	}
	key = strings.Clone(key)
	x := &array{path: key, hash: op.HashString(key), values: sketch.NewSet(maxValues)}
	c.byPath[key] = x
	c.arrays = append(c.arrays, x)
	return x
}

// arrayKey is the path as an index names it, or without names where it is data.
func arrayKey(path string) string {
	clean := op.Path(path)
	if key := indexable(clean); key != "" {
		return key
	}
	return anyPosition(clean)
}

// anyPosition makes "posts.$.x", "posts.$[].x" and "posts.$[p].x" one path.
func anyPosition(path string) string {
	if !strings.Contains(path, "$") {
		return path
	}
	segments := strings.Split(path, ".")
	for i, s := range segments {
		if strings.HasPrefix(s, "$") {
			segments[i] = "$"
		}
	}
	return strings.Join(segments, ".")
}

// track is the array x of the document with this hash of _id, followed from now
// on: nil when there is no room for it. n more elements count for what is kept.
func (c *collectionArrays) track(x *array, id uint64, n int64) *track {
	x.written = true
	key := x.key(id)
	if c.tracks.Get(key) == nil && c.tracks.Len() >= maxDocuments {
		if it := c.waiting.Add(key, n); it.Count-it.Over <= c.tracks.Least().Count {
			return nil
		}
	}
	it := c.tracks.Add(key, n)
	if it.Value == nil {
		it.Value = newTrack()
		it.Value.epoch = x.epoch
	}
	return x.current(it.Value)
}

// tracked is the same when it is followed already, else nil.
func (c *collectionArrays) tracked(x *array, id uint64) *track {
	if it := c.tracks.Get(x.key(id)); it != nil {
		return x.current(it.Value)
	}
	return nil
}

func (x *array) key(id uint64) uint64 { return id ^ x.hash*31 }

// current begins a track anew when something shortened the array in documents
// that are not known since.
func (x *array) current(t *track) *track {
	if t.epoch != x.epoch {
		t.restart(-1)
		t.epoch = x.epoch
	}
	return t
}

// worse keeps the document whose array grew most.
func (x *array) worse(t *track) {
	if x.worst == nil || t.grown > x.current(x.worst).grown {
		x.worst = t
	}
}

// taught says that W01 or S01 reported the array.
func (x *array) taught() bool { return x.grows || x.large != "" }

// count adds a shown document to those of its collection.
func (a *arrays) count(ns op.Namespace) {
	if n, ok := a.counts[ns]; ok {
		*n++
		return
	}
	if len(a.counts) < maxCounts {
		n := int64(1)
		a.counts[op.Namespace{DB: strings.Clone(ns.DB), Coll: strings.Clone(ns.Coll)}] = &n
	}
}

// seen is how many documents of a collection were shown.
func (a *arrays) seen(ns op.Namespace) int64 {
	if n, ok := a.counts[ns]; ok {
		return *n
	}
	return 0
}
