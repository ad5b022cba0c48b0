package sink

import (
	"cmp"
	"slices"
	"strings"

	"mongoadvisor/internal/analysis"
	"mongoadvisor/internal/store"
)

// group are the findings of one rule on one namespace: mostly they have one cause, and
// one person who mends it.
type group struct {
	Namespace    string            `json:"namespace"`
	Rule         string            `json:"rule"`
	Name         string            `json:"name"`
	Severity     analysis.Severity `json:"severity"` // of the worst that needs attention, or of the worst of all
	Count        int               `json:"count"`    // findings
	Fingerprints []string          `json:"fingerprints"`

	findings []store.Entry
}

// grouped puts findings together by namespace and rule, the worst group first, and in it
// the worst finding. Of one that comes several times only the latest is taken: a
// receiver that keeps the last it is told of each would else depend on their order.
func grouped(entries []store.Entry) []group {
	type key struct{ namespace, rule string }
	at := map[key]int{}
	var out []group
	for _, e := range latest(entries) {
		k := key{e.Namespace, e.Rule}
		i, known := at[k]
		if !known {
			i = len(out)
			at[k] = i
			out = append(out, group{Namespace: e.Namespace, Rule: e.Rule, Name: e.Name, Severity: e.Severity})
		}
		g := &out[i]
		g.Count++
		g.Fingerprints = append(g.Fingerprints, e.Fingerprint)
		g.findings = append(g.findings, e)
	}
	slices.SortStableFunc(out, func(a, b group) int {
		return cmp.Or(worseFirst(a.findings[0], b.findings[0]), -cmp.Compare(a.Count, b.Count), strings.Compare(a.Namespace, b.Namespace), strings.Compare(a.Rule, b.Rule))
	})
	return out
}

// latest are the findings, the worst first, each as it was told of last.
func latest(entries []store.Entry) []store.Entry {
	at := map[string]int{}
	var out []store.Entry
	for _, e := range entries {
		if i, known := at[e.Fingerprint]; known {
			out[i] = e
			continue
		}
		at[e.Fingerprint] = len(out)
		out = append(out, e)
	}
	slices.SortFunc(out, func(a, b store.Entry) int {
		return cmp.Or(worseFirst(a, b), -cmp.Compare(a.Count, b.Count), strings.Compare(a.Fingerprint, b.Fingerprint))
	})
	return out
}

// worseFirst puts what needs attention before what does not, then the more severe.
func worseFirst(a, b store.Entry) int {
	rank := func(e store.Entry) int {
		if open(e) {
			return 0
		}
		return 1
	}
	return cmp.Or(cmp.Compare(rank(a), rank(b)), -cmp.Compare(a.Severity, b.Severity))
}

// all are the findings of groups, in their order.
func all(groups []group) []store.Entry {
	out := []store.Entry{}
	for _, g := range groups {
		out = append(out, g.findings...)
	}
	return out
}

// said is what a finding is announced with: its message alone would read as if a fixed
// one were still there.
func said(e store.Entry) string {
	switch e.Status {
	case store.Fixed:
		return "no longer seen: " + e.Message
	case store.Regressed:
		return "was fixed, and is seen again: " + e.Message
	}
	return e.Message
}
