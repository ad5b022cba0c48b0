package main

import (
	"cmp"
	"slices"
	"strings"
	"sync"

	"mongoadvisor/internal/op"
)

// maxApplications is how many applications are counted apart; the others add up in one.
const maxApplications = 64

// otherApplications stands for them.
const otherApplications = "(others)"

// applications counts operations by the name their client gave. The zero value is
// ready to use.
type applications struct {
	mu     sync.Mutex
	counts map[string]int64
}

func (a *applications) count(o *op.Operation) {
	name := ""
	if o.Conn != nil {
		name = o.Conn.App
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if _, known := a.counts[name]; !known && len(a.counts) >= maxApplications {
		name = otherApplications
	}
	if a.counts == nil {
		a.counts = map[string]int64{}
	}
	a.counts[name] += o.Sample.Count()
}

// coverage lists them, the most operations first.
func (a *applications) coverage() []op.AppCoverage {
	a.mu.Lock()
	defer a.mu.Unlock()
	var out []op.AppCoverage
	for name, n := range a.counts {
		out = append(out, op.AppCoverage{App: name, Operations: n})
	}
	slices.SortFunc(out, func(a, b op.AppCoverage) int {
		return cmp.Or(cmp.Compare(b.Operations, a.Operations), strings.Compare(a.App, b.App))
	})
	return out
}
