package analyzers

import (
	"go.mongodb.org/mongo-driver/v2/x/bsonx/bsoncore"

	"mongoadvisor/internal/analysis"
	"mongoadvisor/internal/op"
)

// grown is what an operation adds to one array.
type grown struct {
	growth
	Array *array
	Track *track // of the document, nil when it is not known which
	Fresh bool   // $addToSet: a value that was not seen before, or too many were to tell
}

// added takes in one growth, unless something bounds it.
func (a *arrays) added(p *analysis.Pass, g growth) {
	statements := p.Op.Statements()
	s := &statements[g.Statement]
	if cutByPush(g) || bounded(s, g.Path) || p.Env.Bounded(g.NS, op.Path(g.Path)) {
		return
	}
	x := a.of(g.NS).array(g.Path)
	x.written = true
	fresh := g.Kind == growSet && x.see(g.Values)
	var t *track
	id, ok := target(s)
	if r := p.Op.Reply.Docs; !ok && p.Op.Command == "findAndModify" && len(r) == 1 {
		id, ok = docIdentity(r[0])
	}
	if ok && g.Kind != growMerge && !writeFailed(p.Op) {
		t = a.grow(p, x, g, id)
	}
	a.grown = append(a.grown, grown{growth: g, Array: x, Track: t, Fresh: fresh})
}

// grow counts what is added to the array of one document.
func (a *arrays) grow(p *analysis.Pass, x *array, g growth, id uint64) *track {
	c := a.of(g.NS)
	done := outcomeOf(p.Op, &p.Op.Statements()[g.Statement])
	if done == nothingDone {
		t := c.tracked(x, id)
		if t != nil {
			t.missed++
		}
		return t
	}
	elements := int64(max(g.Elements, 1))
	t := c.track(x, id, elements)
	if t == nil {
		return nil
	}
	if t.pushes == 0 {
		x.tracked++
	}
	if done == documentMade {
		t.restart(0)
	}
	t.add(p.Now, elements, int64(g.Bytes), g.Exact && g.Elements > 0 && done != perhapsDone)
	x.worse(t)
	return t
}

// outcome is what became of one statement, as far as the reply says.
type outcome uint8

const (
	perhapsDone outcome = iota // the reply is not seen, or about several statements
	nothingDone                // nothing matched, or a set had the value
	documentDone
	documentMade // by an upsert
)

func outcomeOf(o *op.Operation, s *op.Statement) outcome {
	r := &o.Reply
	if !r.Seen || len(o.Statements()) > 1 {
		return perhapsDone
	}
	switch o.Command {
	case "update":
		switch {
		case r.Upserted > 0:
			return documentMade
		case r.Modified > 0:
			return documentDone
		}
		return nothingDone
	case "findAndModify":
		switch {
		case r.Returned < 0, r.Returned > 0 && s.Upsert && s.New:
			return perhapsDone // it may have been made
		case r.Returned > 0:
			return documentDone
		case s.Upsert && !s.New:
			return documentMade
		}
		return nothingDone
	}
	return perhapsDone
}

// see counts the different values of a set, and reports whether one was new.
func (x *array) see(values []bsoncore.Value) (fresh bool) {
	for _, v := range values {
		x.added++
		fresh = x.values.Add(op.Hash(v)) || fresh
	}
	return fresh || x.values.Full() || len(values) == 0
}
