package analyzers

import (
	"go.mongodb.org/mongo-driver/v2/x/bsonx/bsoncore"

	"mongoadvisor/internal/analysis"
	"mongoadvisor/internal/op"
)

// rewritten takes in arrays that a write to one document sets as a whole, or
// element by element.
func (a *arrays) rewritten(p *analysis.Pass, statement int) {
	s := &p.Op.Statements()[statement]
	fields := s.Update.Replacement
	if fields == nil {
		fields = op.Doc(op.Get(s.Update.Operators, "$set"))
	}
	if fields == nil || writeFailed(p.Op) {
		return
	}
	id, ok := target(s)
	if !ok {
		return
	}
	for path, v := range op.Fields(fields) {
		g := growth{Statement: statement, NS: s.NS, Path: path, Kind: growRewrite, Bytes: len(v.Data)}
		g.Scalar = scalarElements(v)
		position := int64(-1)
		if v.Type != bsoncore.TypeArray {
			if g.Path, position, ok = positioned(path); !ok {
				continue
			}
			g.Kind, g.Elements = growPosition, 1
		}
		if !p.Env.Bounded(g.NS, op.Path(g.Path)) {
			a.rewrite(p, g, id, position, v)
		}
	}
}

// rewrite takes in an array that is written as a whole, or one element of it.
func (a *arrays) rewrite(p *analysis.Pass, g growth, id uint64, position int64, v bsoncore.Value) {
	c := a.of(g.NS)
	x := c.array(g.Path)
	t := c.tracked(x, id)
	if t == nil {
		t = c.track(x, id, 1)
	}
	if t == nil {
		return
	}
	longer := t.place(position)
	if g.Kind == growRewrite {
		if n := int64(op.Len(v)); n > 0 && n < t.length {
			x.trimmed = true // as an object mapper sends what was popped or spliced; none left is a new beginning
		}
		longer = t.replace(p.Now, int64(op.Len(v)), int64(len(v.Data)))
		g.Elements = int(longer)
	}
	if longer == 0 {
		t.rises = 0
		return
	}
	c.track(x, id, longer)
	if g.Kind == growPosition {
		t.add(p.Now, 1, int64(g.Bytes), false)
	}
	if n := len(a.grown); n > 0 && a.grown[n-1].Track == t && a.grown[n-1].Kind == g.Kind {
		return // several positions of one update are one write
	}
	if t.rises++; t.rises == 1 {
		x.tracked++
	}
	x.worse(t)
	a.grown = append(a.grown, grown{growth: g, Array: x, Track: t})
}

// scalarElements reports whether what is written, or the first element of an
// array, is known to be no document.
func scalarElements(v bsoncore.Value) bool {
	for first := range op.Items(op.Arr(v)) {
		return first.Type != bsoncore.TypeEmbeddedDocument
	}
	return v.Type != bsoncore.TypeEmbeddedDocument && v.Type != bsoncore.TypeArray
}
