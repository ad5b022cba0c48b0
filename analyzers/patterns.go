package analyzers

import (
	"slices"
	"strings"

	"mongoadvisor/internal/analysis"
	"mongoadvisor/internal/op"
	"mongoadvisor/internal/regex"
)

// pattern is one regular expression that a filter applies to a field, with what
// decides which rule may speak of it. One expression has one root cause, so at
// most one of Q01 to Q04 reports it.
type pattern struct {
	Statement int
	Call      method
	Filter    op.Filter
	Pred      op.Predicate
	Path      string // cleaned
	Class     regex.Class
	// Bounded: an equality or range on the same field stands beside it, which
	// gives the index its bounds; the expression only filters what is left.
	Bounded bool
	// Narrowed: an equality or range on a field that has an index (or on _id), a
	// text or geo search, or a $limit before it leaves few documents to look at.
	Narrowed bool
	// Beside is the field of an equality or range whose index is not known.
	Beside string
	// Tree is the separator of the paths of a tree that it searches, 0 for none.
	Tree byte
}

// patterns collects the regular expressions of an operation that an index
// could serve if they were written differently. Negated ones never can
// (catalogue Q05), and what the server rejects does not count.
//
// At most maxPatterns of a statement are judged: a list of thousands has one
// root cause, too.
func patterns(p *analysis.Pass) []pattern { return analysis.Once(p, patternsKey{}, findPatterns) }

type patternsKey struct{}

func findPatterns(p *analysis.Pass) []pattern {
	var out []pattern
	statements := p.Op.Statements()
	for i := range statements {
		s := &statements[i]
		limit := len(out) + maxPatterns
		for f := range s.Filters() {
			var near *surroundings // looked at when the first expression is met
			for pred := range f.Predicates() {
				if pred.Op != "$regex" || pred.Negated || pred.Path == "" || len(out) >= limit {
					continue
				}
				class := regex.Classify(pred.Pattern, pred.Options)
				if class.Reason == regex.Invalid {
					continue
				}
				if near == nil {
					near = surround(p, f)
				}
				found := pattern{Statement: i, Call: call(s), Filter: f, Pred: pred, Path: op.Path(pred.Path), Class: class}
				found.Bounded, found.Narrowed = near.bounded[pred.Path], near.narrowed
				found.Beside = op.Path(near.beside)
				if f.Stored {
					found.Tree = treePath(p.Op, pred.Path, pred.Pattern)
				}
				out = append(out, found)
			}
		}
	}
	return out
}

// maxPatterns bounds the expressions judged of one statement.
const maxPatterns = 64

// surroundings are the conditions that stand beside the expressions of a filter.
type surroundings struct {
	narrowed bool
	beside   string          // a field compared whose index is not known
	bounded  map[string]bool // fields with an equality or range
}

// surround looks at the conditions that hold for every result: none under $or
// or a negation, but those of other $match stages in the same pipeline, too.
func surround(p *analysis.Pass, f op.Filter) *surroundings {
	near := &surroundings{bounded: map[string]bool{}}
	if f.Joined != "" {
		near.compared(p, f.NS, f.Joined)
	}
	near.look(p, f)
	for d := range f.Around() {
		switch op.FirstKey(d) {
		case "$match":
			near.look(p, op.Filter{NS: f.NS, Doc: op.Doc(op.Get(d, "$match"))})
		case "$limit", "$search", "$vectorSearch", "$geoNear":
			near.narrowed = true
		}
	}
	return near
}

func (near *surroundings) look(p *analysis.Pass, f op.Filter) {
	for other := range f.Predicates() {
		if other.Negated || other.Or {
			continue
		}
		switch other.Op {
		case "$text", "$near", "$nearSphere", "$geoWithin", "$geoIntersects":
			near.narrowed = true
			continue
		case "$in":
			if hasRegex(other) {
				continue
			}
		case "$eq", "$gt", "$gte", "$lt", "$lte":
		default:
			continue
		}
		if other.Path == "" || other.Via != "" {
			continue
		}
		near.bounded[other.Path] = true
		near.compared(p, f.NS, other.Path)
	}
}

// compared notes an equality or range on a field.
func (near *surroundings) compared(p *analysis.Pass, ns op.Namespace, path string) {
	if path == "_id" || indexLeads(p, ns, path) {
		near.narrowed = true
	} else if near.beside == "" {
		near.beside = path
	}
}

func hasRegex(p op.Predicate) bool {
	if arr := op.Arr(p.Value); arr != nil {
		for item := range op.Items(arr) {
			if _, _, ok := item.RegexOK(); ok {
				return true
			}
		}
	}
	return false
}

// indexLeads reports whether an index that was seen starts with the field.
func indexLeads(p *analysis.Pass, ns op.Namespace, path string) bool {
	indexes, _ := p.Env.Indexes(ns)
	for _, ix := range indexes {
		if !ix.Hidden && !ix.Partial && ix.Leads(path) {
			return true
		}
	}
	return false
}

// owner names the rule that speaks of a pattern, "" for none.
func (f *pattern) owner() string {
	switch {
	case f.Class.Reason == regex.OptionalQuantifier:
		return "Q03" // wrong results, also beside other conditions
	case f.Bounded || f.Narrowed:
		return ""
	case op.CollationText(f.Filter.Collation) != "":
		return "Q04"
	case f.Tree != 0 && (f.Class.Reason == regex.CaseInsensitive || f.Class.Reason == regex.Unanchored):
		return "S07"
	case f.Class.Reason == regex.CaseInsensitive:
		return "Q02"
	case f.Class.Reason == regex.OK:
		return ""
	}
	return "Q01"
}

// grouped reports each (statement, reason) of a rule's patterns once, with all
// its fields: {a: /x/, b: /y/} is one finding about two fields.
func grouped(found []pattern, owner string, reason func(*pattern) string, report func(first *pattern, reason string, fields []string)) {
	type group struct {
		first  *pattern
		reason string
		fields []string
	}
	var groups []group
next:
	for i := range found {
		f := &found[i]
		if f.owner() != owner {
			continue
		}
		why := reason(f)
		if why == "" {
			continue
		}
		for j := range groups {
			g := &groups[j]
			if g.first.Statement == f.Statement && g.reason == why && g.first.Filter.NS == f.Filter.NS {
				if !slices.Contains(g.fields, f.Path) {
					g.fields = append(g.fields, f.Path)
				}
				continue next
			}
		}
		groups = append(groups, group{f, why, []string{f.Path}})
	}
	for _, g := range groups {
		report(g.first, g.reason, g.fields)
	}
}

// place words where the pattern stands when that is not the command's filter.
func (f *pattern) place() string {
	if strings.HasPrefix(f.Filter.Place, "pipeline") && !f.Filter.Stored {
		return " (in " + f.Filter.Place + ", on documents that earlier stages computed)"
	}
	return ""
}

// computedFix is the fix where no index can help, whatever the expression.
func (f *pattern) computedFix() (analysis.Fix, bool) {
	return analysis.Fix{
		Text: "The documents at this stage are computed, so no index can serve the condition: put a $match on stored fields at the start of the pipeline, and keep this one for what is left.",
	}, !f.Filter.Stored
}

// softened lowers a severity by one step when a condition stands beside whose
// index was not seen, or other stages come before: few documents may be left.
func (f *pattern) softened(s analysis.Severity) (analysis.Severity, string) {
	if !f.Filter.Stored {
		return s.Lower(), "the stages before it may leave few documents to test"
	}
	if f.Beside == "" {
		return s, ""
	}
	return s.Lower(), "an index that starts with " + f.Beside + " would leave only its matches to look at; none was seen being made through this connection"
}
