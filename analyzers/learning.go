package analyzers

import (
	"mongoadvisor/internal/analysis"
	"mongoadvisor/internal/op"
)

// learnt is the shared state with the operation taken in.
func learnt(p *analysis.Pass) *arrays {
	a := p.State().(*arrays)
	if a.last == p.Op {
		return a
	}
	a.last = p.Op
	if a.stretch.broken(p) {
		a.interrupt()
	}
	a.grown, a.shown, a.long = a.grown[:0], a.shown[:0], a.long[:0]
	statements := p.Op.Statements()
	for i := range statements {
		s := &statements[i]
		switch {
		case s.Command == "delete":
			a.deleted(s)
		case !s.Update.IsZero():
			a.shortened(s)
			a.rewritten(p, i)
		}
	}
	for g := range growths(p.Op) {
		a.added(p, g)
	}
	shownDocuments(p.Op, func(d shown) { a.show(p, d) })
	if p.Op.Command == "findAndModify" && len(statements) == 1 && statements[0].Update.IsZero() {
		a.deleted(&statements[0]) // its reply was the last to show it
	}
	a.projected()
	return a
}

// deleted begins the arrays of a document anew.
func (a *arrays) deleted(s *op.Statement) {
	c := a.known(s.NS)
	if c == nil {
		return
	}
	id, ok := target(s)
	if !ok {
		return
	}
	for _, x := range c.arrays {
		if t := c.tracked(x, id); t != nil {
			t.restart(-1)
		}
	}
}

// shortened takes in what an update takes out of arrays.
func (a *arrays) shortened(s *op.Statement) {
	trims(s, func(t trim) {
		if t.once && (a.known(s.NS) == nil || a.known(s.NS).byPath[arrayKey(t.path)] == nil) {
			return // nothing is known that it could change
		}
		c := a.of(s.NS)
		x := c.array(t.path)
		x.trimmed = x.trimmed || !t.once
		id, one := target(s)
		if !one {
			x.epoch++ // whichever it was: none of them is known to have grown
		} else if followed := c.tracked(x, id); followed != nil {
			t.apply(followed)
		}
	})
}

// projected counts reads of a known collection that leave fields out.
func (a *arrays) projected() {
	o := a.last
	if o.Command != "find" || len(o.Statements()) != 1 {
		return
	}
	s := &o.Statements()[0]
	c := a.known(s.NS)
	switch {
	case c == nil:
	case s.Projection == nil:
		c.whole++
	default:
		c.partial++
	}
}
