package analyzers

import (
	"slices"
	"strings"
	"time"

	"mongoadvisor/internal/analysis"
	"mongoadvisor/internal/op"
)

// take takes a call in: how often its statement was slow, and whether it is now.
// The fastest operation of the collection stands for the way to the server.
func (c *pace) take(p *analysis.Pass, s *op.Statement) (n slowCount, slow bool) {
	o := p.Op
	if c.fastest == 0 || o.Latency < c.fastest {
		c.fastest = o.Latency
	}
	slow = o.Latency-c.fastest >= time.Duration(p.Limit("slow-ms"))*time.Millisecond
	if id := op.Get(s.Filter, "_id"); id.Type != 0 {
		if !op.IsOperators(op.Doc(id)) { // one document, whose index is always there
			c.byID++
			if slow {
				c.byIDSlow++
			}
		}
		return n, false
	}
	n, _ = c.slow.add(s, slow)
	return n, slow
}

// broughtBack is how many documents a call returned, counted or wrote; -1 when
// that is not known.
func broughtBack(o *op.Operation) int64 {
	switch {
	case o.Command == "findAndModify":
		return int64(max(o.Reply.Returned, 0))
	case o.Kind == op.KindWrite || o.Command == "count":
		return o.Reply.N
	}
	return int64(o.Reply.Returned)
}

// littleBack reports whether a call brought little, and what it brought says how
// much it had to look at.
func littleBack(p *analysis.Pass, s *op.Statement) bool {
	n := broughtBack(p.Op)
	return n >= 0 && n <= p.Limit("few-documents") && p.Op.Reply.CursorID == 0 && !sumsUp(s)
}

// sumsUp reports whether a pipeline returns something else than the documents
// it reads: then few results say nothing.
func sumsUp(s *op.Statement) bool {
	for _, d := range s.Pipeline {
		switch op.FirstKey(d) {
		case "$match", "$sort", "$limit", "$skip", "$project", "$addFields", "$set", "$unset":
		default:
			return true
		}
	}
	return false
}

// explained reports whether something else says why a statement is slow: a rule
// of its own, or a hint.
func explained(p *analysis.Pass, s *op.Statement) bool {
	if s.Hint.Type != 0 || p.Op.Cut {
		return true
	}
	for k := range skips(p.Op) {
		if k.N >= 1000 { // Q08
			return true
		}
	}
	for f := range s.Filters() {
		if !everything(f.Doc) && !selective(f.Doc) {
			return true // Q01 to Q06, if an index could help at all
		}
	}
	for _, f := range patterns(p) {
		if f.owner() != "" {
			return true
		}
	}
	return false
}

// missingIndex gives the reason why a statement has to read much, "" when an index
// that was seen may serve it.
func missingIndex(w *wanted, indexes []op.Index) (reason string, branches []wanted) {
	_, led := w.led(indexes)
	if !led && len(w.Branches) > 0 {
		branches = w.unservedBranches(indexes)
		led = len(branches) == 0
	}
	switch {
	case len(branches) > 0 && len(w.Equal)+len(w.Ranges) == 0:
		return "or-branch", branches
	case !w.empty() && !led:
		return "collscan", nil
	case len(w.Sort) > 0 && !w.ordered(indexes):
		return "sort-in-memory", nil
	}
	return "", nil
}

var unindexedMessages = map[string]string{
	"collscan":       "takes long for a small result: no index that was seen starts with a field of its conditions",
	"sort-in-memory": "takes long for a small result: no index that was seen gives its order",
	"or-branch":      "takes long for a small result: a branch of its $or has no index that was seen, so that every document is read",
	"poor-targeting": "examines many times more documents than it returns",
}

func unindexedFinding(p *analysis.Pass, s *op.Statement, w *wanted, reason string, branches []wanted) analysis.Finding {
	indexes, known := p.Env.Indexes(s.NS)
	f := analysis.Finding{
		Reason: reason, NS: s.NS, Fields: w.paths(),
		Message: s.Command + " " + unindexedMessages[reason],
		Advice:  "What is not found by an index is looked for in every document, and that grows with the collection.",
		Caveat:  "an index may be there that was made before this proxy saw anything: getIndexes() tells, and explain() says what is used",
		Fix:     indexFix(s, w, branches),
		Evidence: []analysis.Evidence{
			{Name: "writes_of_the_collection", Value: p.Env.Traffic(s.NS).Writes, Unit: "operations"},
			{Name: "known_indexes", Value: int64(len(indexes)), Unit: "indexes"},
		},
	}
	if !known {
		f.Severity, f.Override = analysis.Medium, true
		f.Message = strings.Replace(f.Message, "no index that was seen", "perhaps no index", 1)
	}
	add := func(path string) {
		if len(f.Fields) < maxUsed && !slices.Contains(f.Fields, path) {
			f.Fields = append(f.Fields, path)
		}
	}
	if reason == "sort-in-memory" {
		for _, k := range w.Sort {
			add(k.Path)
		}
	}
	for i := range branches {
		for _, path := range branches[i].paths() {
			add(path)
		}
	}
	if len(f.Fields) > 0 {
		f.Message += ", on " + strings.Join(f.Fields, ", ")
	}
	return f
}

// indexFix writes the index that serves the statement, or one for each branch of
// its $or.
func indexFix(s *op.Statement, w *wanted, branches []wanted) analysis.Fix {
	fix := analysis.Fix{Text: "Make one index: fields compared by equality first, then those of the order, then ranges. Look at the indexes that are there before: one of them may only need another field behind."}
	if len(branches) == 0 {
		branches = []wanted{*w}
	} else {
		fix.Text = "Each branch of an $or needs an index of its own; with one for each, only their results are read."
	}
	var lines []string
	for i := range branches {
		line := coll(s.NS) + ".createIndex(" + branches[i].keys() + ")"
		if branches[i].keys() != "" && len(lines) < maxIndexFields && !slices.Contains(lines, line) {
			lines = append(lines, line)
		}
	}
	fix.Mongosh = strings.Join(lines, "\n")
	return fix
}
