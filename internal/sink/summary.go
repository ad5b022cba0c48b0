package sink

import (
	"fmt"
	"strings"

	"mongoadvisor/internal/analysis"
	"mongoadvisor/internal/store"
)

// counts are findings by what is to be done about them.
type counts struct {
	open         [analysis.Critical + 1]int // by severity; regressed ones too
	muted, fixed int
}

func count(findings []store.Entry) counts {
	var c counts
	for _, e := range findings {
		switch e.Status {
		case store.Muted:
			c.muted++
		case store.Fixed:
			c.fixed++
		default:
			c.open[min(e.Severity, analysis.Critical)]++
		}
	}
	return c
}

// total is how many are open.
func (c counts) total() int {
	n := 0
	for _, x := range c.open {
		n += x
	}
	return n
}

// rest words what is not open.
func (c counts) rest(t store.Totals) []string {
	var parts []string
	if c.total() == 0 {
		parts = append(parts, "none open")
	}
	if c.muted > 0 {
		parts = append(parts, fmt.Sprintf("%d muted", c.muted))
	}
	if c.fixed > 0 {
		parts = append(parts, fmt.Sprintf("%d fixed", c.fixed))
	}
	if t.Suppressed > 0 {
		parts = append(parts, fmt.Sprintf("%d more below their floor", t.Suppressed))
	}
	return parts
}

// words is all of it in one line: "2 critical, 1 low, 3 muted".
func (c counts) words(t store.Totals) string {
	var parts []string
	for s := len(c.open) - 1; s >= 0; s-- {
		if c.open[s] > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", c.open[s], analysis.Severity(s)))
		}
	}
	return strings.Join(append(parts, c.rest(t)...), ", ")
}

// open reports whether a finding asks for somebody's attention.
func open(e store.Entry) bool { return e.Status != store.Muted && e.Status != store.Fixed }

// place is where a finding is.
func place(e store.Entry) string {
	if e.Namespace == "" {
		return "(connection)"
	}
	return e.Namespace
}

// unjudged are rules that could not speak for one reason.
type unjudged struct {
	Rules []string
	Why   string
}

// byCause puts together the rules of each cause, in the order of the causes.
func byCause(list []NotJudged) []unjudged {
	var out []unjudged
	at := map[string]int{}
	for _, n := range list {
		i, known := at[n.Why]
		if !known {
			i = len(out)
			at[n.Why] = i
			out = append(out, unjudged{Why: n.Why})
		}
		out[i].Rules = append(out[i].Rules, n.Rule)
	}
	return out
}

// notJudged words one line for each cause: "I01, I02 not judged: …".
func notJudged(list []NotJudged) []string {
	var out []string
	for _, u := range byCause(list) {
		out = append(out, strings.Join(u.Rules, ", ")+" not judged: "+u.Why)
	}
	return out
}
