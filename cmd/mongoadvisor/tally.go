package main

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"sync"

	"mongoadvisor/internal/op"
)

// maxApplications is how many applications are counted apart; the others add up in one.
const maxApplications = 64

// otherApplications stands for them.
const otherApplications = "(others)"

// tally counts operations by their command, and by the name their client gave. The
// zero value is ready to use.
type tally struct {
	mu       sync.Mutex
	apps     map[string]int64
	commands map[string]int64
	// encrypted are those with values that the client encrypted.
	encrypted int64
}

func (t *tally) count(o *op.Operation) {
	name := ""
	if o.Conn != nil {
		name = o.Conn.App
	}
	n, encrypted := o.Sample.Count(), o.Traits()&op.TraitEncrypted != 0
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.apps == nil {
		t.apps, t.commands = map[string]int64{}, map[string]int64{}
	}
	if _, known := t.apps[name]; !known && len(t.apps) >= maxApplications {
		name = otherApplications
	}
	t.apps[name] += n
	t.commands[o.Command] += n // of a closed set
	if encrypted {
		t.encrypted += n
	}
}

// total is how many operations were counted.
func (t *tally) total() (sum int64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, n := range t.commands {
		sum += n
	}
	return sum
}

// cover completes a coverage block.
func (t *tally) cover(c *op.Coverage) {
	c.Applications = t.applications()
	t.mu.Lock()
	defer t.mu.Unlock()
	c.Encrypted = t.encrypted
}

// applications lists them, the most operations first.
func (t *tally) applications() []op.AppCoverage {
	t.mu.Lock()
	defer t.mu.Unlock()
	var out []op.AppCoverage
	for name, n := range t.apps {
		out = append(out, op.AppCoverage{App: name, Operations: n})
	}
	slices.SortFunc(out, func(a, b op.AppCoverage) int {
		return cmp.Or(cmp.Compare(b.Operations, a.Operations), strings.Compare(a.App, b.App))
	})
	return out
}

func (t *tally) byCommand() map[string]int64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	return maps.Clone(t.commands)
}
