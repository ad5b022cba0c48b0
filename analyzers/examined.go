package analyzers

import (
	"strings"

	"mongoadvisor/internal/analysis"
	"mongoadvisor/internal/op"
)

// judgeExamined judges a call whose source says what was examined.
func judgeExamined(p *analysis.Pass, c *pace, s *op.Statement) {
	o := p.Op
	returned, examined := max(broughtBack(o), 0), o.Exec.DocsExamined
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
