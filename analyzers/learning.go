package analyzers

import (
	"math/bits"

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

// longArray is one long array of a shown document.
type longArray struct {
	shown
	Array  *array
	Length int64         // or at least so long, when the document was not kept whole
	Of     bsoncore.Type // of its elements
	Quiet  bool          // not long for what its elements are: I04's alone
}

// learnt is the shared state with the operation taken in.
func learnt(p *analysis.Pass) *arrays {
	a := p.State().(*arrays)
	if a.last == p.Op {
		return a
	}
	a.last = p.Op
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

// show takes in one document that is stored.
func (a *arrays) show(p *analysis.Pass, d shown) {
	a.count(d.NS)
	c := a.known(d.NS)
	if !d.HasID && d.Doc != nil && (c != nil || d.Size >= watched) {
		d.ID, d.HasID = docIdentity(d.Doc)
	}
	a.shown = append(a.shown, d)
	if d.Size >= watched && d.HasID && d.Whole {
		it := a.of(d.NS).sizes.Add(d.ID, 1)
		if it.Value == nil {
			it.Value = &docSizes{}
		}
		it.Value.see(p.Now, d.Size)
	}
	if c != nil {
		c.largest = max(c.largest, d.Size)
		if d.HasID {
			a.anchor(p, c, d)
		}
	}
	if d.Doc != nil && d.Size >= longBytes {
		a.measure(d)
	}
	for _, f := range d.Torn {
		if f.Elements >= longElements && isText(f.First) {
			a.lengthen(d, f.Name, int64(f.Elements), f.First, true)
		}
	}
}

// anchor sets what is known of the document's arrays right.
func (a *arrays) anchor(p *analysis.Pass, c *collectionArrays, d shown) {
	for _, x := range c.arrays {
		if !x.written || x.path == "" {
			continue
		}
		t := c.tracked(x, d.ID)
		v, reached := valueAt(d.Doc, x.path)
		if t == nil && v.Type == bsoncore.TypeArray && c.tracks.Len() < maxDocuments {
			t = c.track(x, d.ID, 0) // what is added later is added to this
		}
		if t == nil {
			continue
		}
		if v.Type == bsoncore.TypeArray || d.Whole && reached {
			n := int64(0) // when it is not there
			if v.Type == bsoncore.TypeArray {
				n = int64(op.Len(v))
			}
			if p.Op.Command == "findAndModify" && !d.Written && !p.Op.Statements()[0].New {
				n += a.just(t) // it is shown as it was before
			}
			t.show(p.Now, n, int64(len(v.Data)))
			x.worse(t)
		}
		if d.Whole {
			t.weigh(p.Now, d.Size)
		}
	}
}

// just is how many elements this operation added.
func (a *arrays) just(t *track) (n int64) {
	for _, g := range a.grown {
		if g.Track == t {
			n += int64(max(g.Elements, 1))
		}
	}
	return n
}

// What counts as long: from this many elements on, and so many bytes they take
// at least, with their types, names and the smallest strings or documents.
const (
	longElements = 250
	longBytes    = longElements * 8
)

// measure finds the long arrays of a document.
func (a *arrays) measure(d shown) {
	a.walker.Walk(d.Doc, func(w *op.Walker, v bsoncore.Value) {
		if len(v.Data) < longBytes {
			w.Skip()
			return
		}
		if v.Type != bsoncore.TypeArray {
			return
		}
		n, of, ok := longLength(op.Arr(v))
		if n < longElements {
			return
		}
		a.lengthen(d, w.Path(), n, of, ok)
		if int64(len(v.Data)) < n*longBytes {
			w.Skip() // its elements are too small to hold such an array
		}
	})
}

// lengthen takes in one long array, the type of its elements, and whether it is
// long for that.
func (a *arrays) lengthen(d shown, path string, n int64, of bsoncore.Type, ok bool) {
	x := a.of(d.NS).array(path)
	a.long = append(a.long, longArray{shown: d, Array: x, Length: n, Of: of, Quiet: !ok})
	if !ok {
		return
	}
	x.longest = max(x.longest, n)
	x.above++
	x.lengths[min(bits.Len64(uint64(n)), len(x.lengths)-1)]++
}

// Vectors and coordinates are read as a whole and seldom grow: numbers count as
// long from maxVector elements on, what is neither number nor text, id or
// document from longOther on.
const (
	maxVector = 16_384
	longOther = 1000
)

// longLength is the number of elements of an array with the type of the first, and
// whether that is many for what they are.
func longLength(arr bsoncore.Array) (n int64, of bsoncore.Type, ok bool) {
	texts, numbers := false, true
	for v := range op.Items(arr) {
		if n++; n == 1 {
			of = v.Type
		}
		inner := op.Arr(v)
		texts = texts || isText(v.Type)
		numbers = numbers && (isNumber(v) || inner != nil && (n > 8 || isVector(inner)))
	}
	switch {
	case texts:
		return n, of, n >= longElements
	case numbers:
		return n, of, n >= maxVector
	}
	return n, of, n >= longOther
}

// isText reports whether an element is what lists of things are made of.
func isText(t bsoncore.Type) bool {
	return t == bsoncore.TypeString || t == bsoncore.TypeObjectID || t == bsoncore.TypeEmbeddedDocument
}

// isVector reports whether an array holds numbers, or arrays of them.
func isVector(arr bsoncore.Array) bool {
	for v := range op.Items(arr) {
		if inner := op.Arr(v); inner != nil {
			return isVector(inner)
		}
		return isNumber(v)
	}
	return true
}

func isNumber(v bsoncore.Value) bool {
	switch v.Type {
	case bsoncore.TypeInt32, bsoncore.TypeInt64, bsoncore.TypeDouble, bsoncore.TypeDecimal128, bsoncore.TypeNull:
		return true
	}
	return false
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
