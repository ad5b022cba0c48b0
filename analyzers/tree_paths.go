package analyzers

import (
	"strings"

	"go.mongodb.org/mongo-driver/v2/x/bsonx/bsoncore"

	"mongoadvisor/internal/analysis"
	"mongoadvisor/internal/op"
	"mongoadvisor/internal/regex"
)

// reportPathRegex speaks of regular expressions on materialized paths, for which
// Q01 and Q02 leave the word to this rule.
func reportPathRegex(p *analysis.Pass) {
	if len(p.Op.Reply.Docs) == 0 {
		return
	}
	reason := func(*pattern) string { return "path-regex" }
	grouped(patterns(p), "S07", reason, func(f *pattern, _ string, fields []string) {
		severity, caveat := f.softened(analysis.Medium)
		if caveat == "" {
			caveat = "a tree that is and stays small"
		}
		what := "does not start at the root"
		if f.Class.Reason == regex.CaseInsensitive {
			what = "ignores case"
		}
		finding := analysis.Finding{
			Reason: "path-regex", Statement: f.Statement, NS: f.Filter.NS, Fields: fields, Severity: severity, Override: true, Caveat: caveat, Confidence: analysis.Observed,
			Message: "a path of the tree is searched in " + named(fields) + " by a regular expression that " + what + ": an index can only be read from end to end" + f.place(),
			Advice:  "Paths are sorted from the root down: an expression that names the way from the root gets an index range, and any other examines every path.",
			Fix:     analysis.Fix{Text: "Begin the expression at the root, with the separator: /^,root,/. The program that writes paths decides their case, so it can ask in the same. To find a branch without knowing the way to it, store an array of ancestors and ask by equality."},
		}
		if path := indexable(f.Path); path != "" {
			sep := string(f.Tree)
			if f.Tree == '/' {
				sep = `\/`
			}
			c := coll(f.Filter.NS)
			finding.Fix.Mongosh = c + ".createIndex({ " + field(path) + ": 1 })\n" + query(f.Call, f.Filter.NS, "{ "+field(path)+": /^"+sep+"<root>"+sep+"/ }", "")
		}
		p.Report(finding)
	})
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
