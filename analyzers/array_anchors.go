package analyzers

import (
	"go.mongodb.org/mongo-driver/v2/x/bsonx/bsoncore"

	"mongoadvisor/internal/analysis"
	"mongoadvisor/internal/op"
)

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
