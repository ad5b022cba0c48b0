package analyzers

import (
	"strings"

	"mongoadvisor/internal/analysis"
	"mongoadvisor/internal/op"
)

// examinedMessages say what was measured, where unindexedMessages suspect.
var examinedMessages = map[string]string{
	"collscan":       "reads the whole collection for few documents: no index serves its conditions",
	"sort-in-memory": "reads many documents and sorts them in memory for few: no index gives its order",
	"poor-targeting": "examines many times more documents than it returns",
}

// judgeExamined judges a call whose source says what was examined.
func judgeExamined(p *analysis.Pass, c *pace, s *op.Statement) {
	o := p.Op
	returned, examined := broughtBack(o), o.Exec.DocsExamined
	if returned < 0 {
		return // a log does not say what a count found
	}
	ratio := examined / max(returned, 1)
	severity, limit, poor := step(p, ratio-1, rung{"low-ratio", analysis.Low}, rung{"medium-ratio", analysis.Medium}, rung{"high-ratio", analysis.High})
	poor = poor && examined-returned > p.Limit("examined") && !sumsUp(s)
	n, known := c.wasteful.add(s, poor)
	if !poor || !known || n.slow < p.Limit("repeats") || explained(p, s) {
		return
	}
	w, ok := wantedIndex(s)
	if !ok || w.empty() && len(w.Sort) == 0 {
		return
	}
	reason := "poor-targeting"
	switch {
	case o.Exec.SortInMemory && w.empty():
		reason = "sort-in-memory"
	case strings.Contains(o.Exec.Plan, "COLLSCAN"):
		reason = "collscan"
	}
	f := unindexedFinding(p, s, &w, reason, nil)
	f.Message = s.Command + " " + examinedMessages[reason]
	if len(f.Fields) > 0 {
		f.Message += ", on " + strings.Join(f.Fields, ", ")
	}
	f.Severity, f.Override, f.Confidence = severity, true, analysis.Observed
	indexes, _ := p.Env.Indexes(s.NS)
	if ix, ok := w.led(indexes); ok && reason == "poor-targeting" {
		f.Message += "; an index on " + indexFields(ix) + " is there, and it is not enough"
	}
	f.Caveat = "documents may be large or few enough that it does not matter"
	f.Evidence = append([]analysis.Evidence{
		{Name: "examined", Value: examined, Limit: p.Limit("examined"), Unit: "documents"},
		{Name: "returned", Value: returned, Unit: "documents"},
		{Name: "examined_for_one", Value: ratio, Limit: limit, Unit: "documents"},
		{Name: "calls", Value: n.slow, Limit: p.Limit("repeats"), Unit: "calls"},
	}, f.Evidence...)
	p.Report(f)
}

// indexFields names the fields of an index.
func indexFields(ix op.Index) string {
	names := make([]string, 0, len(ix.Keys))
	for _, k := range ix.Keys {
		names = append(names, op.Path(k.Path))
	}
	return named(names)
}
