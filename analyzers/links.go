package analyzers

import (
	"strings"

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
	Field string // what the query compares; aliases its message
	Value uint64
	Sure  bool // hardly two things have such a value by chance
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

// asked is one equality of a query.
type asked struct {
	Field string
	Value bsoncore.Value
}

// comparisons are the conditions of a find, or of the first $match, that compare
// a field with one value that can be a reference. One that is alone in an $in is
// among them: Mongoose's populate sends that for one document.
func comparisons(o *op.Operation) (out [maxAsked]asked, n int) {
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
	conditions, n := comparisons(o)
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
	h := op.Hash(a.Value)
	sure, _ := reference(a.Value)
	var best value
	score := int8(0)
	for i, n := t.first(h), 0; i >= 0 && n < maxSame; i, n = t.values[i].prev, n+1 {
		v := t.values[i]
		if v.hash != h {
			break // others took its place
		}
		from := t.readOf(v.read)
		if from == nil || from.at.After(o.Time) || o.Time.Sub(from.last) > memory {
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
	l := &link{From: from, At: best.at, Path: t.paths[best.path], Child: child, Field: a.Field, Value: h, Sure: sure}
	for i := range from.paths {
		if from.paths[i].path == best.path {
			l.Use = &from.paths[i]
		}
	}
	return l, score
}

// redundant reports whether a query asks for documents that were just read: that
// is a second look, and not a reference that is followed. A list of nothing but
// the values is one.
func redundant(from *read, path string, child *space, field string) bool {
	return from.space == child && path == field && from.fields > 1
}

// relation is a path of one collection and a field of another.
type relation struct {
	from, child *space
	path        uint16
	field       uint64
	sure        bool
}

// maxScores bounds what is remembered of relations.
const maxScores = 4096

// relation says how well the names of a reference and of what it refers to fit;
// 0 for not at all.
func (t *trail) relation(k relation, field string) int8 {
	if s, ok := t.scores[k]; ok {
		return s
	}
	s := relate(k.from.base, t.paths[k.path], k.child.base, field)
	if s == 0 && k.sure {
		s = 1
	}
	if len(t.scores) < maxScores {
		t.scores[k] = s
	}
	return s
}

func relate(from, path, child, field string) int8 {
	name, pointed := pathStem(path)
	compared, points := pathStem(field)
	switch {
	case name != "" && akin(name, child):
		return 4 // orders.user, users
	case name == "" && compared != "" && akin(compared, from):
		return 4 // orders._id, items.orderId
	case name != "" && name == compared:
		return 3 // orders.sku, products.sku
	case from == child && name == "" && compared != "" && (points || treeWord(compared)):
		return 2 // categories._id, categories.parent
	case from == child && name != "" && compared == "" && (pointed || treeWord(name)):
		return 2 // employees.managerId, employees._id
	}
	return 0
}

// akin reports whether a field is named for a collection: "user", "billingUser"
// and "userAccount" are for users.
func akin(name, coll string) bool {
	if name == coll {
		return true
	}
	const least = 4
	return len(coll) >= least && (strings.HasSuffix(name, coll) || strings.HasPrefix(name, coll)) ||
		len(name) >= least && strings.HasSuffix(coll, name)
}

// treeWord reports whether a field is named for a place in a tree.
func treeWord(name string) bool {
	switch name {
	case "parent", "ancestor", "child", "manager", "boss", "supervisor", "root", "replyto", "reportsto", "inreplyto", "folder":
		return true
	}
	return strings.HasPrefix(name, "parent")
}

// pathStem is what a path is named for, "" for a bare _id: "user" of "userId",
// "user._id" and "users". points: it has the mark of a reference.
func pathStem(path string) (name string, points bool) {
	segment := lastSegment(path)
	switch segment {
	case "_id", "id", "$id", "ID", "Id", "uuid", "key":
		rest := strings.TrimSuffix(path, segment)
		if rest == "" {
			return "", true
		}
		return stem(lastSegment(strings.TrimSuffix(rest, "."))), true
	}
	for _, mark := range referenceMarks {
		if cut, ok := strings.CutSuffix(segment, mark); ok && cut != "" {
			return stem(cut), true
		}
	}
	return stem(segment), false
}

// referenceMarks end the names of references, the longer before the shorter.
var referenceMarks = []string{
	"_ids", "Ids", "IDs", "_id", "Id", "ID", "_refs", "Refs", "_ref", "Ref", "_key", "Key", "_code", "Code", "_uuid", "Uuid", "UUID", "_no", "No", "_slug", "Slug",
}

// stem is a name in lower case, one of them, without what parts its words.
func stem(name string) string {
	if len(name) > maxReference {
		name = name[:maxReference]
	}
	return singular(strings.ToLower(wordMarks.Replace(name)))
}

var wordMarks = strings.NewReplacer("_", "", "-", "", ".", "", "$", "")

func lastSegment(path string) string { return path[strings.LastIndexByte(path, '.')+1:] }

func cloneNS(ns op.Namespace) op.Namespace {
	return op.Namespace{DB: strings.Clone(ns.DB), Coll: strings.Clone(ns.Coll)}
}
