package analyzers

import (
	linked "container/list"
	"slices"
	"strings"
	"time"

	"mongoadvisor/internal/op"
	"mongoadvisor/internal/sketch"
)

// Bounds of what is known of transactions.
const (
	maxTransactions      = 2048 // under way; the one begun longest ago goes first
	maxTransactionShapes = 512
	maxTransactionParts  = 8 // kinds of statements that name one
)

// transaction is what one transaction did so far.
type transaction struct {
	key        txnKey
	ns         op.Namespace // of its first statement
	begun      time.Time
	last       time.Time // when the reply to its last statement was there
	parts      []string  // "update stock", in order, each once
	statements int64
	docs       int64         // returned or written
	idle       time.Duration // between its statements, in all
	gap        time.Duration // the longest
	conflict   bool          // a statement met a conflict, or found the transaction gone
	stretch    uint64        // of the traffic, in which it was begun
	broken     bool          // statements of it may have been left out
	single     method        // what its only statement calls; "" when it is more than one document's
}

type txnKey struct {
	session uint64
	number  int64
}

// transactions are those under way, and what became of those that ended, by what
// they are made of.
type transactions struct {
	byKey   map[txnKey]*linked.Element
	order   *linked.List // front: begun last
	byShape *recent[largeKey, *txnHabit]
}

// txnHabit is what became of the transactions of one shape.
type txnHabit struct {
	ended, aborted, conflicts *sketch.Rate // of the last hour
	committed                 int64
	times                     map[string]int64 // by reason
}

func newTransactions() *transactions {
	return &transactions{byKey: map[txnKey]*linked.Element{}, order: linked.New(), byShape: newRecent(maxTransactionShapes, ownedKey[largeKey], newTxnHabit)}
}

// take adds a statement to its transaction.
func (t *transactions) take(o *op.Operation) {
	key := txnKey{o.Session.ID, o.Session.Txn}
	e := t.byKey[key]
	if e == nil {
		if !o.Session.StartTxn { // its beginning was not seen
			return
		}
		if t.order.Len() >= maxTransactions {
			t.forget(t.order.Back())
		}
		ns := o.NS
		if s := o.Statements(); len(s) > 0 {
			ns = s[0].NS
		}
		ns = op.Namespace{DB: strings.Clone(ns.DB), Coll: strings.Clone(ns.Coll)}
		e = t.order.PushFront(&transaction{key: key, ns: ns, begun: o.Time, last: o.Time, stretch: o.Sample.Stretch})
		t.byKey[key] = e
	}
	e.Value.(*transaction).add(o)
}

// end takes a transaction out; nil when its beginning was not seen, or when it
// has ended before: a commit can come twice.
func (t *transactions) end(o *op.Operation) *transaction {
	e := t.byKey[txnKey{o.Session.ID, o.Session.Txn}]
	if e == nil {
		return nil
	}
	t.forget(e)
	x := e.Value.(*transaction)
	x.broken = o.Sample.Stretch != x.stretch
	x.wait(o.Time)
	x.last = o.Time.Add(o.Latency)
	x.conflict = x.conflict || conflicts(o.Reply)
	return x
}

func (t *transactions) forget(e *linked.Element) {
	t.order.Remove(e)
	delete(t.byKey, e.Value.(*transaction).key)
}

// habit is what became of those like x.
func (t *transactions) habit(x *transaction, shape op.Shape) *txnHabit {
	return t.byShape.at(largeKey{x.ns, shape.ID}) // x has a clone of the name
}

func newTxnHabit() *txnHabit {
	return &txnHabit{ended: sketch.NewRate(time.Hour), aborted: sketch.NewRate(time.Hour), conflicts: sketch.NewRate(time.Hour), times: map[string]int64{}}
}

func (x *transaction) add(o *op.Operation) {
	x.wait(o.Time)
	x.last = o.Time.Add(o.Latency)
	x.statements++
	x.single = ""
	r := o.Reply
	x.conflict = x.conflict || conflicts(r)
	if o.Kind == op.KindWrite && o.Command != "findAndModify" {
		x.docs += r.N
	} else {
		x.docs += int64(max(r.Returned, 0))
	}
	s := o.Statements()
	if len(s) == 0 {
		return
	}
	if x.statements == 1 && len(s) == 1 && !s[0].Multi && x.docs <= 1 && r.CursorID == 0 && s[0].Pipeline == nil {
		x.single = call(&s[0])
	}
	part := o.Command + " " + strings.TrimPrefix(op.Namespace{Coll: s[0].NS.Coll}.Template(), ".")
	if !slices.Contains(x.parts, part) && len(x.parts) < maxTransactionParts {
		x.parts = append(x.parts, part)
	}
}

// wait takes the time in that passed since the last statement.
func (x *transaction) wait(until time.Time) {
	if gap := until.Sub(x.last); gap > 0 {
		x.idle += gap
		x.gap = max(x.gap, gap)
	}
}

// shape names a transaction by what it is made of.
func (x *transaction) shape() op.Shape {
	text := "{transaction: " + strings.Join(x.parts, ", ")
	if x.statements > int64(len(x.parts)) {
		text += ", …"
	}
	return op.TextShape(text + "}")
}

// beginning names it by its first statement. One that is given up on the way has
// the parts that it got to, and would be a kind that is never committed.
func (x *transaction) beginning() op.Shape {
	return op.TextShape("{transaction: " + x.parts[0] + ", …}")
}

// conflicts reports whether a reply tells of a write conflict, of a transaction
// that the server has ended, or of what makes a driver run it again.
func conflicts(r op.Reply) bool {
	return r.Seen && (r.Code == 112 || r.Code == 251 || r.Transient)
}
