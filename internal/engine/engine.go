package engine

import (
	"hash/maphash"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"mongoadvisor/internal/analysis"
	"mongoadvisor/internal/op"
)

// Engine judges operations one after the other. Judge is for one goroutine; Configure,
// Stats, Ignores and Ignored may be called beside it.
type Engine struct {
	recorder  Recorder
	listeners func() []string
	latest    atomic.Pointer[settings] // from the next operation on
	current   *settings                // of the operation being judged
	indexes   *indexTable
	views     *viewTable
	traffic   *trafficTable
	retries   *retryGuard
	tests     *testTable
	marks     *markTable
	serial    uint64 // operations judged
	keys      keys   // of the states of the operation being judged
	room      op.Room
	memo      analysis.Memo
	reported  []reported        // findings of the operation being judged
	many      map[reported]bool // the same when they are many
	clock     atomic.Int64      // latest time of the traffic, Unix nanoseconds

	mu    sync.Mutex // of Configure and stats
	stats []*RuleStats
}

// reported identifies a finding within one operation: the same twice is one.
type reported struct {
	rule      *analysis.Analyzer
	reason    string
	statement int
	ns        op.Namespace
	shape     uint64
}

// rule is an analyzer with what the engine keeps for it.
type rule struct {
	analyzer *analysis.Analyzer
	pass     *analysis.Pass
	states   *states
	limits   []limit // few: looked through
	stats    *RuleStats
}

// RuleStats counts one rule's work. The fields may be read while they move.
type RuleStats struct {
	ID     string
	Panics atomic.Int64
	Nanos  atomic.Int64 // spent, estimated from a sample of calls
	// Evicted counts states dropped for want of room.
	Evicted atomic.Int64
	calls   uint64 // Judge's own
}

// New makes an engine. The rules must have passed analysis.Validate.
func New(c Config) *Engine {
	e := &Engine{
		recorder: c.Recorder, listeners: c.Listeners,
		keys: keys{seed: maphash.MakeSeed()}, many: map[reported]bool{}, indexes: newIndexTable(), views: newViewTable(), traffic: newTrafficTable(), retries: newRetryGuard(),
		tests: newTestTable(), marks: newMarkTable(),
	}
	e.Configure(c)
	e.current = e.latest.Load()
	return e
}

// limit is the value of a limit that is in force.
type limit struct {
	name  string
	value int64
}

func (r *rule) limit(name string) int64 {
	for i := range r.limits {
		if r.limits[i].name == name {
			return r.limits[i].value
		}
	}
	panic("rule " + r.analyzer.ID + " asks for limit " + name + ", which it does not declare")
}

// Judge runs the rules over one operation.
func (e *Engine) Judge(o *op.Operation) {
	if s := e.latest.Load(); s != e.current {
		e.adopt(s)
	}
	e.advance(o.Time)
	e.indexes.learn(o)
	e.views.learn(o)
	if o.Command == "ping" {
		e.tests.mark(o)
	}
	if o.Kind == op.KindDDL && tool(o.Conn) {
		return
	}
	o.Borrow(&e.room)
	defer o.Return()
	e.views.resolve(o)
	e.memo.Reset()
	e.serial++
	e.keys.reset(o)
	if o.Kind == op.KindRead || o.Kind == op.KindWrite || o.Kind == op.KindCursor {
		if !application(o) {
			return
		}
		e.marks.note(o)
		if !workload(o) {
			e.judge(o, true)
			return
		}
		if o.Sample.Alone {
			e.recorder.Observe(o)
			e.judge(o, false)
			return
		}
		if e.retries.seen(o) {
			return
		}
		e.traffic.count(o)
		e.recorder.Observe(o)
	}
	e.judge(o, false)
}

// count is how many operations a finding stands for. Rules that keep state see
// nothing of a gap; others are shown each shape.
func (r *rule) count(o *op.Operation) int64 {
	if r.analyzer.State != nil {
		return o.Sample.Rate()
	}
	return o.Sample.Count()
}

// judge runs the rules that want the operation and whose needs its source meets; of
// one that was refused, those that ask for failed ones.
func (e *Engine) judge(o *op.Operation, refused bool) {
	e.reported = e.reported[:0]
	clear(e.many)
	for _, r := range e.current.byCommand[o.Command] {
		w := r.analyzer.Wants
		if o.Sample.Alone && r.analyzer.State != nil || o.Has != 0 && o.Has.Missing(r.analyzer.Needs) != 0 {
			continue
		}
		if (!refused || r.analyzer.Failed) && (w == 0 || o.Traits()&w != 0) {
			e.run(r, o)
		}
	}
}

// sampleEvery is how often a rule's time is taken: two clock readings cost as
// much as a cheap rule.
const sampleEvery = 64

// run calls one rule; a panic costs that call and is counted.
func (e *Engine) run(r *rule, o *op.Operation) {
	defer func() {
		if v := recover(); v != nil {
			r.stats.Panics.Add(1)
		}
	}()
	r.pass.Op, r.pass.Now, r.pass.Serial = o, o.Time, e.serial
	r.stats.calls++
	if r.stats.calls%sampleEvery != 1 {
		r.analyzer.Run(r.pass)
		return
	}
	start := time.Now() // the rule's cost, not the traffic's time
	r.analyzer.Run(r.pass)
	r.stats.Nanos.Add(int64(time.Since(start)) * sampleEvery)
}

// report completes a finding and hands it on.
func (e *Engine) report(by *rule, p *analysis.Pass, f analysis.Finding) {
	r := analysis.Report{
		Rule: p.Analyzer, Finding: f, Op: p.Op, Time: p.Now, NS: f.NS, Shape: f.Shape,
		Count: by.count(p.Op), Command: p.Op.Command, Severity: p.Analyzer.Severity, Confident: f.Confidence,
		MinCount: by.limit(analysis.MinCountLimit),
	}
	if f.Override {
		r.Severity = f.Severity
	}
	if r.Confident == "" {
		r.Confident = analysis.Suspected
	}
	if s := p.Op.Statements(); f.Statement < len(s) {
		if r.NS == (op.Namespace{}) {
			r.NS = s[f.Statement].NS
		}
		if r.Shape.IsZero() {
			r.Shape = s[f.Statement].Shape()
		}
		if v := s[f.Statement].View; v != "" {
			r.Finding.Message += ", through the view " + v
		}
	}
	once := reported{p.Analyzer, f.Reason, f.Statement, r.NS, r.Shape.ID}
	if e.repeated(once) {
		return
	}
	r.Silenced, r.Tests = e.silenced(&r), e.tests.during(p.Op)
	e.recorder.Record(r)
}

// fewReported is how many findings of one operation are looked through; a batch
// of thousands of statements has an index.
const fewReported = 16

// repeated reports whether the operation being judged had the finding already, and
// notes it.
func (e *Engine) repeated(once reported) bool {
	if len(e.reported) < fewReported {
		if slices.Contains(e.reported, once) {
			return true
		}
		e.reported = append(e.reported, once)
		return false
	}
	if len(e.many) == 0 {
		for _, r := range e.reported {
			e.many[r] = true
		}
	}
	if e.many[once] {
		return true
	}
	e.many[once] = true
	return false
}

// Indexes is what the traffic told of a collection's indexes.
func (e *Engine) Indexes(ns op.Namespace) ([]op.Index, bool) { return e.indexes.of(ns) }

// IndexesComplete reports whether a whole list of a collection's indexes was seen.
func (e *Engine) IndexesComplete(ns op.Namespace) bool { return e.indexes.complete[ns.Cut()] }

// Traffic is what a collection's workload adds up to so far.
func (e *Engine) Traffic(ns op.Namespace) analysis.Traffic { return e.traffic.of(ns) }

// Bounded reports whether the configuration names the array as bounded.
func (e *Engine) Bounded(ns op.Namespace, path string) bool {
	for _, b := range e.current.bounded {
		if b == path || b == ns.String()+"."+path {
			return true
		}
	}
	return false
}

// Listeners are the addresses clients reach us by.
func (e *Engine) Listeners() []string {
	if e.listeners == nil {
		return nil
	}
	return e.listeners()
}

// Stats are the counters of all rules that have ever been in force, in their order.
// They only grow.
func (e *Engine) Stats() []*RuleStats {
	e.mu.Lock()
	defer e.mu.Unlock()
	return slices.Clone(e.stats)
}
