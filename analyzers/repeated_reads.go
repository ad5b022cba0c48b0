package analyzers

import (
	"strings"
	"time"

	"mongoadvisor/internal/analysis"
	"mongoadvisor/internal/op"
)

func fanOut(p *analysis.Pass, b *burst, by string) analysis.Finding {
	s, field := &p.Op.Statements()[0], op.Path(by)
	f := analysis.Finding{
		Reason: "fan-out", Shape: appShape(p.Op), Fields: []string{field},
		Message: op.Path(s.NS.Coll) + " is read one document at a time, by " + field + b.source(),
		Advice:  "Each of these queries is a round trip of its own, and one query could ask for all of them.",
		Caveat:  "the queries may belong to different users who look at the same list",
		Fix:     togetherFix(p, b, field),
		Evidence: []analysis.Evidence{
			{Name: "queries", Value: int64(b.reads), Limit: p.Limit("burst"), Unit: "queries"},
			{Name: "added_latency", Value: int64(b.latency / time.Microsecond), Unit: "microseconds"},
		},
	}
	if field != "_id" { // its answer may be a list
		f.Message = op.Path(s.NS.Coll) + " is asked once for each " + field + b.source()
	}
	if b.from == nil {
		f.Caveat = "several parts of a program may ask for one document each"
	} else {
		f.Evidence = append(f.Evidence, analysis.Evidence{Name: "values_asked_for", Value: b.share(), Limit: p.Limit("matched"), Unit: "%"})
	}
	return f
}

func duplicates(p *analysis.Pass, b *burst, by string) analysis.Finding {
	s, field := &p.Op.Statements()[0], op.Path(by)
	return analysis.Finding{
		Reason: "duplicate", Shape: appShape(p.Op), Fields: []string{field}, Severity: analysis.Info, Override: true,
		Message: op.Path(s.NS.Coll) + " is asked for the same documents again and again, by " + field + b.source(),
		Advice:  "The answer was there already: each of these queries is a round trip for what the client knows.",
		Caveat:  "the document may have to be fresh at each look",
		Fix: analysis.Fix{
			Text:    "Ask once for the different values, and keep what was read for as long as the page or request takes. A document that all requests read belongs in a cache of the application.",
			Mongosh: oneQuery(s, field, "<the different values>"),
		},
		Evidence: []analysis.Evidence{
			{Name: "queries", Value: int64(b.reads), Unit: "queries"},
			{Name: "different_values", Value: int64(b.distinct), Unit: "values"},
			{Name: "added_latency", Value: int64(b.latency / time.Microsecond), Unit: "microseconds"},
		},
	}
}

// source words where the values come from.
func (b *burst) source() string {
	if b.from == nil {
		return ""
	}
	return " taken from " + op.Path(b.from.ns.Coll+"."+b.path)
}

// togetherFix asks for all values at once.
func togetherFix(p *analysis.Pass, b *burst, by string) analysis.Fix {
	s := &p.Op.Statements()[0]
	values := "all values of " + by
	if b.from != nil && indexable(op.Path(b.path)) != "" {
		values = "all " + indexable(op.Path(b.path)) + " of " + op.Path(b.from.ns.Coll)
	}
	fix := analysis.Fix{
		Text:    "Collect the values and ask once with $in, keeping the other conditions; in the program, put the answers beside their rows by that field. Or join once with $lookup. When only a few fields that seldom change are needed, copy them beside the reference (extended reference).",
		Mongosh: oneQuery(s, by, "<"+values+">"),
	}
	if p.Op.Conn != nil && strings.Contains(p.Op.Conn.Driver, "Mongoose") {
		fix.Text += " With Mongoose, call populate on the whole list and not in a loop: it sends one $in."
	}
	return fix
}

func oneQuery(s *op.Statement, by, values string) string {
	path := indexable(by)
	if path == "" {
		return ""
	}
	filter := "{ " + field(path) + ": { $in: [" + values + "] } }"
	if s.Command == "aggregate" {
		return coll(s.NS) + ".aggregate([{ $match: " + filter + " }, <the other stages, grouped by " + path + ">])"
	}
	return query("find", s.NS, filter, "")
}

// appShape keys a finding by the query and the application: those of two are
// never added up.
func appShape(o *op.Operation) op.Shape {
	text := o.Shape().Text
	if o.Conn != nil && o.Conn.App != "" {
		text += " by " + appName(o.Conn.App)
	}
	return op.TextShape(text)
}

// appName cleans an application's name: what parts its words is a hyphen.
func appName(app string) string {
	return op.Name(strings.Map(func(c rune) rune {
		if c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' {
			return c
		}
		return '-'
	}, app))
}
