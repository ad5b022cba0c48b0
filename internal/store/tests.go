package store

import (
	"cmp"
	"slices"
	"strings"

	"mongoadvisor/internal/analysis"
)

// Test is one test of a suite during which a finding occurred: others may have run
// beside it.
type Test struct {
	Name  string `json:"name"`
	Count int64  `json:"count"`
}

// maxTests bounds the tests kept per finding; the others add up in one.
const maxTests = 16

// otherTests stands for them.
const otherTests = "(others)"

// addTests counts an occurrence for the tests that were open.
func (e *entry) addTests(r *analysis.Report) {
	others := false // counts once, however many they are
	for _, name := range r.Tests {
		if _, known := e.tests[name]; !known && len(e.tests) >= maxTests {
			others = true
			continue
		}
		if e.tests == nil {
			e.tests = map[string]int64{}
		}
		e.tests[name] += r.Count
	}
	if others {
		e.tests[otherTests] += r.Count
	}
}

// mergeTests takes those of a kept form in. What is counted here has begun with them, so
// the higher count has both.
func (e *entry) mergeTests(kept []Test) {
	for _, x := range kept[:min(len(kept), maxTests+1)] { // one are the others
		if x.Name = Printable(x.Name); x.Name == "" || x.Count <= 0 {
			continue
		}
		x.Count = natural(x.Count)
		if e.tests == nil {
			e.tests = map[string]int64{}
		}
		room := maxTests
		if _, full := e.tests[otherTests]; full || x.Name == otherTests {
			room++
		}
		if _, known := e.tests[x.Name]; known || len(e.tests) < room {
			e.tests[x.Name] = max(e.tests[x.Name], x.Count)
		}
	}
}

// viewTests lists them, the most occurrences first; nil for none.
func (e *entry) viewTests() []Test {
	var out []Test
	for name, n := range e.tests {
		out = append(out, Test{Printable(name), n})
	}
	slices.SortFunc(out, func(a, b Test) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), strings.Compare(a.Name, b.Name))
	})
	return out
}
