package analyzers

import (
	"strings"
	"time"
	"unicode"

	"go.mongodb.org/mongo-driver/v2/x/bsonx/bsoncore"

	"mongoadvisor/internal/op"
	"mongoadvisor/internal/sketch"
)

// How many collections and arrays of one client are followed for trees, and the
// parents of one array.
const (
	maxTrees   = 64
	maxParents = 64
)

// walks are the walks through the tree of one collection, node by node.
type walks struct {
	recent *sketch.Rate // of the last minute
	depth  int          // of the deepest
}

// nested are the renumberings of the nested set in one collection. Both numbers
// of a node are moved; the one that was seen first stands for both.
type nested struct {
	field   string
	recent  *sketch.Rate // of the last nestedTime
	changed int64        // documents, by the largest
}

// nestedTime is how long renumberings are counted together.
const nestedTime = 3 * time.Minute

// arrayKey is an array of children.
type arrayKey struct {
	space *space
	path  string
}

// kids are the additions to one array of children.
type kids struct {
	pushes  int64
	parents *sketch.Top[struct{}] // additions, by hash of _id
	most    int64                 // to one parent
}

// entry finds or makes what is known under a key, nil when there are too many.
func entry[K comparable, V any](m map[K]*V, key K, fresh func() *V) *V {
	v, ok := m[key]
	if !ok && len(m) < maxTrees {
		v = fresh()
		m[key] = v
	}
	return v
}

// walk notes a query of a walk through a tree. It reports whether the walk is to
// be counted now: it got deep enough, or visited enough siblings one by one.
func (t *trail) walk(deep, wide int64) bool {
	l := t.link
	if l == nil || !l.tree() {
		return false
	}
	depth := l.From.depth + 1
	if int64(depth) < deep && t.burst.together() < wide {
		return false
	}
	top := t.readOf(l.From.top)
	if top == nil || top.walked {
		return false
	}
	top.walked = true
	return true
}

// renumbers reports whether a statement makes room in a nested set: it moves the
// numbers of all nodes to the right of one. field is the first it moves.
func renumbers(s *op.Statement) (path string) {
	if !s.Multi {
		return ""
	}
	for name, by := range op.Fields(op.Doc(op.Get(s.Update.Operators, "$inc"))) {
		if n, ok := op.Int(by); ok && n != 0 && n%2 == 0 && nestedNumber(name) {
			path = name
			break
		}
	}
	if path == "" {
		return ""
	}
	for pred := range (op.Filter{Doc: s.Filter}).Predicates() {
		if (pred.Op == "$gt" || pred.Op == "$gte") && !pred.Negated && nestedNumber(pred.Path) {
			return path
		}
	}
	return ""
}

// nestedNumber reports whether a field is named as one of the two numbers of a
// node in a nested set.
func nestedNumber(path string) bool {
	switch letters(lastSegment(path)) {
	case "lft", "rgt", "left", "right", "nsleft", "nsright", "treeleft", "treeright":
		return true
	}
	return false
}

// letters are the letters of a short name in lower case.
func letters(name string) string {
	if len(name) > maxReference {
		return ""
	}
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, name)
}

// childArray reports whether an array is named for the children of a tree's node.
func childArray(path string) bool {
	name := letters(last(op.Path(path)))
	for _, mark := range []string{"ids", "id", "refs", "ref"} {
		name = strings.TrimSuffix(name, mark)
	}
	switch name {
	case "children", "childs", "child", "childrens", "childnodes", "childnode", "descendants", "descendant",
		"subcategories", "subcategory", "subfolders", "subdirectories", "subpages", "subtasks", "subnodes", "subtrees", "subgroups", "subtopics", "subsections", "subdepartments", "subunits":
		return true
	}
	return false
}

// maxPathDocs is how many documents of a reply are looked at for paths.
const maxPathDocs = 20

// separators stand between the steps of a materialized path.
const separators = ",/"

// treePath is the separator of the paths that a field holds, as the reply to the
// query shows them (",books,novels,", "/books/novels"), when the expression looks
// for one; 0 when it shows something else, or nothing.
func treePath(o *op.Operation, path, pattern string) byte {
	if !o.Reply.OK || len(o.Reply.Docs) == 0 {
		return 0
	}
	sep, steps := byte(0), 0
	for _, d := range o.Reply.Docs[:min(len(o.Reply.Docs), maxPathDocs)] {
		v := at(d, path)
		if v.Type == 0 {
			continue
		}
		s := op.Str(v)
		if len(s) < 2 || strings.IndexByte(separators, s[0]) < 0 || sep != 0 && s[0] != sep {
			return 0
		}
		sep = s[0]
		for i := 1; i < len(s); i++ {
			if s[i] == sep && s[i-1] == sep {
				return 0 // "//host": an address
			}
		}
		steps = max(steps, strings.Count(strings.Trim(s, separators), string(sep))+1)
	}
	if sep == 0 || steps < 2 && !strings.HasPrefix(pattern, "^") || strings.IndexByte(pattern, sep) < 0 {
		return 0
	}
	return sep
}

// at is the value of a dotted path in a document; its Type is 0 for none, and
// behind an array.
func at(d bsoncore.Document, path string) bsoncore.Value {
	for {
		name, rest, more := strings.Cut(path, ".")
		v := op.Get(d, name)
		if !more {
			return v
		}
		if d = op.Doc(v); d == nil {
			return bsoncore.Value{}
		}
		path = rest
	}
}
