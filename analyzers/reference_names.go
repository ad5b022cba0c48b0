package analyzers

import (
	"strings"

	"mongoadvisor/internal/op"
)

// relation is a path of one collection and a field of another.
type relation struct {
	from, child *space
	path        uint16
	field       uint64
	sure        bool
}

// maxScores bounds what is remembered of relations.
const maxScores = 1024

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

// akin reports whether a field is named for a collection: "user" and "billingUser"
// are for users and for shop_users.
func akin(name, coll string) bool {
	const least = 4
	return name == coll || len(coll) >= least && strings.HasSuffix(name, coll) || len(name) >= least && strings.HasSuffix(coll, name)
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
