package analyzers

import (
	"slices"
	"strings"
	"time"

	"mongoadvisor/internal/op"
	"mongoadvisor/internal/sketch"
)

// fanout is an update of copies beside an embedded reference.
type fanout struct {
	ID     string   // path of the id: "product._id", "items.id"
	Fields []string // what is set beside it, positions left out, cleaned and sorted
	Array  bool     // the reference is in an array
	value  uint64   // which original, by hash
}

// maxCopied bounds how many fields of one update are named.
const maxCopied = 8

// fanoutOf reads the reference out of the filter and the fields beside it out
// of the update. ok is false when there is no such pair.
func fanoutOf(s *op.Statement) (r fanout, ok bool) {
	for pred := range (op.Filter{Doc: s.Filter}).Predicates() {
		reference, isID := referenceOf(pred.Path)
		if !isID || pred.Negated || pred.Or || pred.Op != "$eq" && pred.Op != "$in" {
			continue
		}
		r = fanout{ID: op.Path(pred.Path), value: op.Hash(pred.Value)}
		for c := range changes(s.Update) {
			if c.Operator == "$set" || c.Operator == "$inc" {
				r.take(c, reference)
			}
		}
		if len(r.Fields) > 0 {
			slices.Sort(r.Fields)
			return r, true
		}
	}
	return fanout{}, false
}

// referenceOf is what stands before the id: "product" of "product._id".
func referenceOf(path string) (reference string, ok bool) {
	i := strings.LastIndexByte(path, '.')
	if i <= 0 {
		return "", false
	}
	name := path[i+1:]
	return path[:i], name == "_id" || name == "id"
}

// take adds a change when it is beside the id of the reference, or the fields of
// a reference that is set as a whole.
func (r *fanout) take(c change, reference string) {
	path, doc := op.Path(c.Path), op.Doc(c.Value)
	if doc != nil && op.IsOperators(doc) && op.FirstKey(doc) != "$literal" {
		return // computed from the document itself, as in a pipeline
	}
	plain := path
	if strings.Contains(path, "$") {
		plain = indexable(path)
	}
	r.Array = r.Array || path != plain
	if plain == op.Path(reference) {
		for name := range op.Fields(doc) {
			r.field(plain, op.Name(name))
		}
		return
	}
	if rest, beside := strings.CutPrefix(plain, op.Path(reference)+"."); beside {
		r.field(op.Path(reference), rest)
	}
}

func (r *fanout) field(reference, name string) {
	path := reference + "." + name
	if name != "_id" && name != "id" && len(r.Fields) < maxCopied && !slices.Contains(r.Fields, path) {
		r.Fields = append(r.Fields, path)
	}
}

// inEach is a copied field's path with the position an update needs in an array.
func (r *fanout) inEach(path string) string {
	reference, _ := referenceOf(r.ID)
	if !r.Array {
		return path
	}
	return reference + ".$[]" + strings.TrimPrefix(path, reference)
}

// copies is what is known of the copied fields of one collection.
type copies struct {
	byFields map[uint64]*copied
}

// maxCopies and maxOriginals bound one collection's state: some 80 KB.
const (
	maxCopies    = 8
	maxOriginals = 256
)

// copied is one set of copied fields.
type copied struct {
	originals *sketch.Set  // whose copies were updated
	documents *sketch.Rate // written in a minute
	again     int64        // calls for an original that had one before
	minute    int64
	inRow     int64 // minutes in a row with such a call
	reason    string
}

func newCopies() *copies { return &copies{byFields: map[uint64]*copied{}} }

// add counts a call that wrote n documents. It returns nil for the first call
// for an original, and where there is no room.
func (k *copies) add(ns op.Namespace, r fanout, at time.Time, n int64) *copied {
	key := op.HashString(ns.Coll)*31 + op.HashString(r.ID)
	for _, f := range r.Fields {
		key = key*31 + op.HashString(f)
	}
	c := k.byFields[key]
	if c == nil {
		if len(k.byFields) >= maxCopies {
			return nil
		}
		c = &copied{originals: sketch.NewSet(maxOriginals), documents: sketch.NewRate(time.Minute)}
		k.byFields[key] = c
	}
	if !c.originals.Has(r.value) {
		c.originals.Add(r.value)
		return nil
	}
	c.again++
	c.documents.Add(at, n)
	if minute := at.Unix() / 60; minute > c.minute {
		if minute > c.minute+1 {
			c.inRow = 0
		}
		c.minute = minute
		c.inRow++
	}
	return c
}
