package analysis

import (
	"time"

	"mongoadvisor/internal/op"
)

// Pass is what a rule sees of one operation. It is reused: valid only during
// the call.
type Pass struct {
	Analyzer *Analyzer
	Op       *op.Operation
	Now      time.Time // the traffic's clock
	Serial   uint64    // of the operation, from 1: a state that is shared takes each in once
	Env      Env
	Memo     *Memo // what rules have worked out for this operation; nil for none

	report func(*Pass, Finding)
	limit  func(name string) int64
	state  func(*Pass) any
}

// Env is what the engine has learnt from the traffic so far.
type Env interface {
	// Indexes known for a collection. known is false when none was ever seen:
	// then nothing may be concluded from their absence.
	Indexes(ns op.Namespace) (indexes []op.Index, known bool)
	// IndexesComplete reports whether the indexes known are all there are: the whole
	// reply to a listIndexes was seen. Then their absence means something.
	IndexesComplete(ns op.Namespace) bool
	// Traffic is what a collection's workload adds up to so far, this operation
	// included.
	Traffic(ns op.Namespace) Traffic
	// Bounded reports whether the configuration names the array at path as
	// bounded by the business.
	Bounded(ns op.Namespace, path string) bool
	// Listeners are the addresses clients reach us by; empty when not a proxy.
	Listeners() []string
}

// Traffic sums up the workload of one collection.
type Traffic struct {
	Reads, Writes int64         // operations
	Changes       int64         // of the writes, those that change documents which were there
	Latency       time.Duration // of all of them
	First, Last   time.Time     // by the traffic's clock
}

// NewPass is for what runs rules: the engine and the test harness.
func NewPass(a *Analyzer, env Env, report func(*Pass, Finding), limit func(name string) int64, state func(*Pass) any) *Pass {
	return &Pass{Analyzer: a, Env: env, report: report, limit: limit, state: state}
}

// Memo keeps what several rules would work out alike for one operation.
type Memo struct {
	items []memoItem
}

type memoItem struct {
	key   any
	value any
}

// Reset forgets everything: the next operation is judged.
func (m *Memo) Reset() {
	clear(m.items)
	m.items = m.items[:0]
}

// Once returns what work makes of this operation, made by the first rule that
// asks for it. The key is a value of a type of the caller's own.
func Once[T any](p *Pass, key any, work func(*Pass) T) T {
	if p.Memo == nil {
		return work(p)
	}
	for _, it := range p.Memo.items {
		if it.key == key {
			return it.value.(T)
		}
	}
	v := work(p)
	p.Memo.items = append(p.Memo.items, memoItem{key, v})
	return v
}

// Report files a finding.
func (p *Pass) Report(f Finding) { p.report(p, f) }

// Limit is the value in force of one of the rule's limits. It panics on a name
// the rule did not declare, which Validate and the rule's tests find.
func (p *Pass) Limit(name string) int64 { return p.limit(name) }

// State is the rule's state in its scope for this operation, made by its
// StateSpec when new.
func (p *Pass) State() any { return p.state(p) }
