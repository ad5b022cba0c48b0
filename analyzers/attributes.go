package analyzers

import (
	"strings"

	"go.mongodb.org/mongo-driver/v2/x/bsonx/bsoncore"

	"mongoadvisor/internal/op"
)

// attributes are the fields of each collection that queries ask for alone.
type attributes struct {
	collections *generations[attributeGroups]
	stretch     stretch
}

func newAttributes() *attributes {
	return &attributes{collections: newGenerations[attributeGroups](maxAttributeCollections)}
}

// The bounds of the state and of the work on one operation.
const (
	maxAttributeCollections = 256 // twice that are kept
	maxAttributeGroups      = 4   // of one collection
	maxAttributeFields      = 64  // of one group
	maxAttributeStatements  = 16
	maxAttributeDocs        = 4 // documents that are looked at for what they lack
)

// attributeGroups is one collection.
type attributeGroups struct {
	groups   []*attributeGroup
	searched bool // by $search
}

// attributeGroup are fields beside each other.
type attributeGroup struct {
	prefix   string // "" at the top
	asked    int64
	fields   []attributeField
	searched bool
}

type attributeField struct {
	name    string
	asked   int64
	lacking int64 // documents seen without it
}

func (g *attributeGroup) path(name string) string {
	if g.prefix == "" {
		return name
	}
	return op.Path(g.prefix) + "." + name
}

func (g *attributeGroup) label() string { return g.path("*") }

func (g *attributeGroup) find(name string) *attributeField {
	for i := range g.fields {
		if g.fields[i].name == name {
			return &g.fields[i]
		}
	}
	return nil
}

// alone is the field of a filter with one condition, an equality.
func alone(s *op.Statement) (path string, ok bool) {
	filter := s.Filter
	if s.Command == "aggregate" && len(s.Pipeline) > 0 {
		filter = op.Doc(op.Get(s.Pipeline[0], "$match"))
	}
	for pred := range (op.Filter{Doc: filter}).Predicates() {
		if path != "" || pred.Negated || pred.Or || pred.Path == "_id" || pred.Op != "$eq" && pred.Op != "$in" {
			return "", false
		}
		path = pred.Path
	}
	prefix, name := parted(path)
	ok = name != "" && !strings.Contains(prefix, ".") && !op.LooksLikeData(name) && !op.LooksLikeData(prefix)
	return path, ok
}

// parted cuts a path before its last name.
func parted(path string) (prefix, name string) {
	i := strings.LastIndexByte(path, '.')
	if i < 0 {
		return "", path
	}
	return path[:i], path[i+1:]
}

// ask counts a query for one field alone.
func (a *attributes) ask(ns op.Namespace, path string) (*attributeGroup, *attributeField) {
	c := a.collections.at(ns)
	prefix, name := parted(path)
	var g *attributeGroup
	for _, known := range c.groups {
		if known.prefix == prefix {
			g = known
		}
	}
	if g == nil {
		if len(c.groups) >= maxAttributeGroups {
			return nil, nil
		}
		g = &attributeGroup{prefix: strings.Clone(prefix)}
		c.groups = append(c.groups, g)
	}
	g.searched = c.searched
	f := g.find(name)
	if f == nil {
		if len(g.fields) >= maxAttributeFields {
			return nil, nil
		}
		g.fields = append(g.fields, attributeField{name: strings.Clone(name)})
		f = &g.fields[len(g.fields)-1]
	}
	g.asked++
	f.asked++
	return g, f
}

// learn notes $search, and the fields that documents lack.
func (a *attributes) learn(o *op.Operation, s *op.Statement) {
	c := a.collections.known(s.NS)
	if c == nil {
		if !searches(s) {
			return
		}
		c = a.collections.at(s.NS)
	}
	c.searched = c.searched || searches(s)
	if s.Document != nil && s.Index < maxAttributeDocs && o.Reply.Errors == 0 {
		c.lacks(s.Document)
	}
	if s.Projection == nil && returnsStored(s) {
		for _, doc := range o.Reply.Docs[:min(len(o.Reply.Docs), maxAttributeDocs)] {
			c.lacks(doc)
		}
	}
}

func searches(s *op.Statement) bool {
	if len(s.Pipeline) == 0 {
		return false
	}
	name := op.FirstKey(s.Pipeline[0])
	return name == "$search" || name == "$searchMeta"
}

// fewFields is how many fields must be known before documents are looked at: up
// to then there is nothing to say, whatever they lack.
const fewFields = 8

// lacks notes the fields that a document is without.
func (c *attributeGroups) lacks(doc bsoncore.Document) {
	for _, g := range c.groups {
		if len(g.fields) < fewFields {
			continue
		}
		in := doc
		if g.prefix != "" {
			if in = op.Doc(op.Get(doc, g.prefix)); in == nil {
				continue // an array, or a document of another shape
			}
		}
		for i := range g.fields {
			g.fields[i].lacking++
		}
		for k := range op.Fields(in) {
			if f := g.find(k); f != nil {
				f.lacking--
			}
		}
	}
}

// lastOf is the name that a sparse or partial index on one field of a group has
// there, "" for any other index.
func lastOf(g *attributeGroup, ix op.Index) string {
	if len(ix.Keys) != 1 || !ix.Sparse && !ix.Partial || ix.Hidden {
		return ""
	}
	if prefix, name := parted(ix.Keys[0].Path); prefix == g.prefix {
		return name
	}
	return ""
}

func wildcard(ix op.Index) bool {
	return strings.HasSuffix(ix.Keys[0].Path, "$**")
}
