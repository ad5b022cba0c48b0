package analyzers

import (
	"strings"

	"go.mongodb.org/mongo-driver/v2/x/bsonx/bsoncore"

	"mongoadvisor/internal/analysis"
	"mongoadvisor/internal/op"
)

// judgeIndexCollations looks for strings that are compared in another way than
// every index on their field was made for. All indexes must be known.
func judgeIndexCollations(p *analysis.Pass) {
	if !p.Env.IndexesComplete(p.Op.Stored()) {
		return
	}
	statements := p.Op.Statements()
	for i := range statements {
		s := &statements[i]
		indexes, _ := p.Env.Indexes(s.NS)
		for f := range s.Filters() {
			if f.Stored && f.NS == s.NS && s.Hint.Type == 0 {
				judgeFilterCollation(p, i, f, indexes)
			}
		}
	}
}

func judgeFilterCollation(p *analysis.Pass, statement int, f op.Filter, indexes []op.Index) {
	collated, ok := collationOf(f, indexes)
	if !ok {
		return
	}
	missed, other := "", ""
	for pred := range f.Predicates() {
		if pred.Or || pred.Negated || pred.Path == "" {
			continue
		}
		kind := comparedType(pred)
		if kind == 0 {
			continue
		}
		served, with := servedBy(indexes, pred.Path, collated, kind == bsoncore.TypeString)
		if served {
			return // one condition finds the documents: the others only filter
		}
		if with != "" && missed == "" {
			missed, other = pred.Path, with
		}
	}
	if missed != "" {
		reportIndexCollation(p, statement, f, op.Path(missed), collated, other)
	}
}

// simple stands for the comparison of bytes, where a text must not be empty.
const simple = "simple"

// collationOf is the collation in force: the statement's, or the collection's,
// which its index on _id has. ok is false when that was not seen.
func collationOf(f op.Filter, indexes []op.Index) (text string, ok bool) {
	if f.Collation != nil {
		return op.CollationText(f.Collation), true
	}
	for _, ix := range indexes {
		if ix.Name == "_id_" && ix.Listed {
			return ix.Collation, true
		}
	}
	return "", false
}

// comparedType is the type of a value that an index gives bounds for, 0 for a
// condition that has none. A list counts as strings if one of them is.
func comparedType(pred op.Predicate) bsoncore.Type {
	switch pred.Op {
	case "$eq", "$gt", "$gte", "$lt", "$lte":
		return pred.Value.Type
	case "$in":
		kind := bsoncore.Type(0)
		for v := range op.Items(op.Arr(pred.Value)) {
			if kind = v.Type; kind == bsoncore.TypeString {
				break
			}
		}
		return kind
	}
	return 0
}

// servedBy reports whether an index begins with a path and compares as the query
// does; if none does, with is the collation of one that compares in another way.
func servedBy(indexes []op.Index, path, collated string, text bool) (served bool, with string) {
	for _, ix := range indexes {
		if !ix.Leads(path) || ix.Hidden {
			continue
		}
		if !text || sameCollation(ix.Collation, collated) || ix.Collation == "" && !ix.Listed {
			return true, ""
		}
		if with = ix.Collation; with == "" {
			with = simple
		}
	}
	return false, with
}

func reportIndexCollation(p *analysis.Pass, statement int, f op.Filter, path, collated, other string) {
	s := &p.Op.Statements()[statement]
	finding := analysis.Finding{
		Reason: "index-collation", Statement: statement, NS: f.NS, Fields: []string{path}, Confidence: analysis.Observed,
		Message: path + " is compared with a string under a collation that no index on it has",
		Advice:  "An index serves strings only under the collation it was made with: the collection is scanned.",
		Caveat:  "the collection is and stays small",
		Fix:     analysis.Fix{Text: "State the index's collation in the query, if that comparison is meant; or make an index with the query's whole collation."},
	}
	key := indexable(path)
	switch {
	case key == "":
	case collated != "" && f.Collation != nil:
		same := collationLiteral(f.Collation)
		finding.Fix.Mongosh = coll(f.NS) + ".createIndex({ " + field(key) + ": 1 }, { collation: " + same + ", name: " + quote(key+"_collated") + " })\n" +
			query(call(s), f.NS, "{ "+field(key)+": \"<value>\" }", same)
	case other == simple:
		finding.Fix.Mongosh = query(call(s), f.NS, "{ "+field(key)+": \"<value>\" }", `{ locale: "simple" }`)
	default:
		finding.Fix.Mongosh = query(call(s), f.NS, "{ "+field(key)+": \"<value>\" }", textLiteral(other))
	}
	p.Report(finding)
}

// textLiteral writes a collation that is known by its text.
func textLiteral(text string) string {
	var parts []string
	for _, part := range strings.Split(text, ",") {
		name, value, _ := strings.Cut(part, "=")
		if value != "true" && value != "false" && len(value) != 1 {
			value = quote(value)
		}
		parts = append(parts, name+": "+value)
	}
	return "{ " + strings.Join(parts, ", ") + " }"
}
