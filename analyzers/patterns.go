package analyzers

import (
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
	Command   string
	Filter    op.Filter
	Pred      op.Predicate
	Path      string // cleaned
	Class     regex.Class
	// Bounded: an equality or range on the same field stands beside it, which
	// gives the index its bounds; the expression only filters what is left.
	Bounded bool
	// Narrowed: an equality on a field that has an index (or on _id), or a text
	// search, leaves few documents to look at.
	Narrowed bool
	// Beside is the field of an equality whose index is not known.
	Beside string
}

// patterns collects the regular expressions of an operation that an index
// could serve if they were written differently. Negated ones never can
// (catalogue Q05), and what the server rejects does not count.
func patterns(p *analysis.Pass) []pattern {
	var out []pattern
	statements := p.Op.Statements()
	for i := range statements {
		s := &statements[i]
		for f := range s.Filters() {
			for pred := range f.Predicates() {
				if pred.Op != "$regex" || pred.Negated || pred.Path == "" {
					continue
				}
				class := regex.Classify(pred.Pattern, pred.Options)
				if class.Reason == regex.Invalid {
					continue
				}
				found := pattern{Statement: i, Command: s.Command, Filter: f, Pred: pred, Path: op.Path(pred.Path), Class: class}
				neighbours(p, &found)
				out = append(out, found)
			}
		}
	}
	return out
}

// neighbours looks at the other conditions of the filter. Only those that hold
// for every result count: none under $or or a negation.
func neighbours(p *analysis.Pass, found *pattern) {
	for other := range found.Filter.Predicates() {
		if other.Negated || other.Or {
			continue
		}
		switch {
		case other.Op == "$text", other.Op == "$geoNear", other.Op == "$near", other.Op == "$nearSphere":
			found.Narrowed = true
		case other.Path == "" || other.Via != "":
		case other.Path == found.Pred.Path:
			switch other.Op {
			case "$eq", "$gt", "$gte", "$lt", "$lte", "$in":
				found.Bounded = found.Bounded || other.Op != "$in" || !hasRegex(other)
			}
		case other.Op == "$eq" || other.Op == "$in" && !hasRegex(other):
			if other.Path == "_id" || indexLeads(p, found.Filter.NS, other.Path) {
				found.Narrowed = true
			} else if found.Beside == "" {
				found.Beside = op.Path(other.Path)
			}
		}
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
		if !ix.Hidden && !ix.Partial && !ix.Sparse && ix.Leads(path) {
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
				if !contains(g.fields, f.Path) {
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

func contains(list []string, s string) bool {
	for _, x := range list {
		if x == s {
			return true
		}
	}
	return false
}

// place words where the pattern stands when that is not the command's filter.
func (f *pattern) place() string {
	if strings.HasPrefix(f.Filter.Place, "pipeline") && !f.Filter.Stored {
		return " (in " + f.Filter.Place + ", after stages that compute documents: no index helps there)"
	}
	return ""
}

// computedFix is the fix where no index can help, whatever the expression.
func (f *pattern) computedFix() (analysis.Fix, bool) {
	return analysis.Fix{
		Text: "The documents at this stage are computed, so no index can serve the condition: put a $match on stored fields at the start of the pipeline, and keep this one for what is left.",
	}, !f.Filter.Stored
}

// softened lowers a severity by one step when an equality stands beside whose
// index was not seen: it may well leave few documents.
func (f *pattern) softened(s analysis.Severity) (analysis.Severity, string) {
	if f.Beside == "" {
		return s, ""
	}
	return s.Lower(), "an index that starts with " + f.Beside + " would leave only its matches to look at; none was seen being made through this connection"
}
