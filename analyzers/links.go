package analyzers

import (
	"slices"
	"strings"
	"time"

	"go.mongodb.org/mongo-driver/v2/x/bsonx/bsoncore"

	"mongoadvisor/internal/op"
)

// link says that the value a query asks for stood in an earlier reply to the
// same client.
type link struct {
	From  *read
	Use   *pathUse
	At    uint16 // which of the different values at the path
	Path  string // where in the reply, as sent
	Child *space
	Field string // what the query compares
	Value uint64
	Sure  bool          // hardly two things have such a value by chance
	Gap   time.Duration // between reply and query
}

// maxSame bounds how many places of one value are looked at, newest first;
// maxAsked how many conditions of a query.
const (
	maxSame  = 16
	maxAsked = 4
)

// self reports whether the query climbs or descends a tree: it asks a collection
// for what a document of the same one says in another field.
func (l *link) self() bool {
	return l.From.space == l.Child && lastSegment(l.Path) != lastSegment(l.Field)
}

// tree reports whether it does so node by node. An array of references to
// documents of the same kind ("related") is no tree unless it says so.
func (l *link) tree() bool {
	return l.self() && (!l.Use.array || childArray(l.Path))
}

// step reports whether it is one of a walk through a tree by a program: people who
// open one level after the other take longer.
func (l *link) step() bool { return l.tree() && l.Gap <= burstTime }

// asked is one equality of a query.
type asked struct {
	Field string
	Value bsoncore.Value
}

// comparisons are the conditions of a find, or of the first $match, that compare
// a field with one value that can be a reference. One that is alone in an $in is
// among them: Mongoose's populate sends that for one document.
func askedFor(o *op.Operation) (out [maxAsked]asked, n int) {
	for pred := range (op.Filter{Doc: firstFilter(o)}).Predicates() {
		if pred.Negated || pred.Or || n == maxAsked {
			continue
		}
		v := pred.Value
		if pred.Op == "$in" {
			v = only(v)
		} else if pred.Op != "$eq" {
			continue
		}
		if _, ok := reference(v); ok {
			out[n] = asked{pred.Path, v}
			n++
		}
	}
	return out, n
}

// firstFilter is what a read asks for: the filter, or the first $match.
func firstFilter(o *op.Operation) bsoncore.Document {
	s := &o.Statements()[0]
	if s.Filter == nil && len(s.Pipeline) > 0 {
		return op.Doc(op.Get(s.Pipeline[0], "$match"))
	}
	return s.Filter
}

// only is the value of an array of one.
func only(list bsoncore.Value) (v bsoncore.Value) {
	n := 0
	for item := range op.Items(op.Arr(list)) {
		if n++; n > 1 {
			return bsoncore.Value{}
		}
		v = item
	}
	return v
}

// reference reports whether a value can refer to a document. sure: hardly two
// things have it by chance; of the others the names must agree.
func reference(v bsoncore.Value) (sure, ok bool) {
	switch v.Type {
	case bsoncore.TypeObjectID:
		return true, true
	case bsoncore.TypeBinary:
		subtype, _, ok := v.BinaryOK()
		return true, ok && (subtype == 3 || subtype == 4)
	case bsoncore.TypeInt32:
		return false, true
	case bsoncore.TypeInt64:
		n, ok := v.Int64OK()
		return n > 1<<40 || n < -1<<40, ok
	case bsoncore.TypeString:
		n := len(op.Str(v))
		return n >= 16, n >= 3 && n <= maxReference
	}
	return false, false
}

// ask finds out where the value of a query comes from. It reports whether it asks
// for one at all.
func (t *trail) ask(o *op.Operation, child *space) bool {
	conditions, n := askedFor(o)
	best := int8(0)
	for _, a := range conditions[:n] {
		if l, score := t.find(o, child, a); score > best {
			t.link, best = l, score
		}
	}
	return n > 0
}

// find looks for the earlier reply that a value was taken from: the one whose
// names fit best, the newest of those.
func (t *trail) find(o *op.Operation, child *space, a asked) (*link, int8) {
	h := idHash(a.Value)
	sure, _ := reference(a.Value)
	var best value
	score := int8(0)
	for i, n := t.values.first(h), 0; i >= 0 && n < maxSame; i, n = t.values.next(h, i), n+1 {
		v := t.values.ring[i]
		from := t.readOf(v.read)
		if from == nil || o.Time.Sub(from.last) > memory {
			break // and those before it are older still
		}
		if from.at.After(o.Time) {
			continue
		}
		s := t.relation(relation{from.space, child, v.path, op.HashString(a.Field), sure}, a.Field)
		if s > 0 && redundant(from, t.paths[v.path], child, a.Field) {
			continue
		}
		if s > score || s == score && score > 0 && v.read == best.read { // of one reply, what stands first
			best, score = v, s
		}
	}
	if score == 0 {
		return nil, 0
	}
	from := t.readOf(best.read)
	l := &link{From: from, At: best.at, Path: t.paths[best.path], Child: child, Field: t.intern(op.HashString(a.Field), a.Field), Value: h, Sure: sure, Gap: o.Time.Sub(from.last)}
	if known := from.space.traced[best.path]; known != nil {
		known.linked = true
		from.space.linkedAt(t.paths[best.path])
	}
	for i := range from.paths {
		if from.paths[i].path == best.path {
			l.Use = &from.paths[i]
		}
	}
	return l, score
}

// linkedAt notes that a query took a value from a path.
func (s *space) linkedAt(path string) {
	field, _, _ := strings.Cut(path, ".")
	if !slices.Contains(s.links, field) {
		s.links = append(s.links, field) // as many as paths, at most
	}
}

// redundant reports whether a query asks for documents that were just read: that
// is a second look, and not a reference that is followed. A list of nothing but
// the values is one.
func redundant(from *read, path string, child *space, field string) bool {
	return from.space == child && path == field && from.fields > 1
}
