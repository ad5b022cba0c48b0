package engine

import (
	"cmp"
	"slices"
	"strings"
	"sync"

	"mongoadvisor/internal/op"
)

// maxMarks bounds the marks that are accounted for; what comes beyond silences, and is
// not.
const maxMarks = 256

// MarkUse is what became of a rule that marks in the comments of queries name.
type MarkUse struct {
	Namespace  op.Namespace
	Rule       string // as the mark says it
	Silenced   int64  // findings it silenced, counted by occurrence
	Reasonless bool   // a mark that names it gives no reason
}

type markKey struct {
	ns   op.Namespace
	rule string
}

// markTable accounts for marks: one that nobody can explain, or that names nothing, is
// to be told of. It may be read while it is written.
type markTable struct {
	mu    sync.Mutex
	byKey map[markKey]*MarkUse
}

func newMarkTable() *markTable { return &markTable{byKey: map[markKey]*MarkUse{}} }

// note takes in the mark of an operation, if it has one.
func (t *markTable) note(o *op.Operation) {
	if o.Comment == "" {
		return
	}
	rules, reason, ok := readMark(o.Comment)
	if !ok {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, rule := range strings.Split(rules, ",") {
		key := markKey{o.NS.Cut(), rule}
		use, known := t.byKey[key]
		if !known {
			if len(t.byKey) >= maxMarks {
				return
			}
			key = markKey{key.ns.Clone(), strings.Clone(rule)}
			use = &MarkUse{Namespace: key.ns, Rule: key.rule}
			t.byKey[key] = use
		}
		use.Reasonless = use.Reasonless || reason == ""
	}
}

// used counts a finding that a mark has silenced.
func (t *markTable) used(o *op.Operation, rule string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if use, ok := t.byKey[markKey{o.NS.Cut(), rule}]; ok {
		use.Silenced++
	}
}

// Marks tells what became of the marks in the comments of queries, by namespace and
// rule. It may be called while operations are judged.
func (e *Engine) Marks() []MarkUse {
	e.marks.mu.Lock()
	defer e.marks.mu.Unlock()
	out := make([]MarkUse, 0, len(e.marks.byKey))
	for _, use := range e.marks.byKey {
		out = append(out, *use)
	}
	slices.SortFunc(out, func(a, b MarkUse) int {
		return cmp.Or(strings.Compare(a.Namespace.DB, b.Namespace.DB), strings.Compare(a.Namespace.Coll, b.Namespace.Coll), strings.Compare(a.Rule, b.Rule))
	})
	return out
}
