package analyzers

import (
	"slices"
	"strconv"
	"time"

	"mongoadvisor/internal/analysis"
	"mongoadvisor/internal/op"
	"mongoadvisor/internal/sketch"
)

// maxStorms bounds the pairs of code and shape that are counted.
const maxStorms = 1024

type stormKey struct {
	code  int32
	ns    op.Namespace
	shape uint64
}

// storm is one error in one place.
type storm struct {
	rate   *sketch.Rate
	errors int64     // since it began
	others int64     // operations on the collection when it began
	began  time.Time // when the minute before was free of it
}

func newStorms() *recent[stormKey, *storm] {
	clone := func(k stormKey) stormKey { return stormKey{k.code, cloneNS(k.ns), k.shape} }
	return newRecent(maxStorms, clone, func() *storm { return &storm{rate: sketch.NewRate(time.Minute)} })
}

// owned reports whether another rule speaks of an error.
func owned(o *op.Operation, code int32) bool {
	switch code {
	case 10334, 17419, 17420: // S03: the document is too large
		return true
	}
	return o.Session.InTxn && conflicts(o.Reply) || outgrown(o, code) // O03, A07
}

// outgrown reports whether A07 speaks of an error: of a pipeline that gathers, or
// a distinct, which did not fit.
func outgrown(o *op.Operation, code int32) bool {
	if o.Kind != op.KindRead || o.Cut || !slices.Contains(sizeCodes, code) {
		return false
	}
	s := &o.Statements()[0]
	return s.Command == "distinct" && s.View == "" || len(gathers(s.Pipeline)) > 0 || heavyStage(s.Pipeline) != ""
}

// stormPlace is where an error belongs: the statement, for a batch of a cursor
// the one that opened it, for authentication the application.
func stormPlace(o *op.Operation) (stormKey, op.Shape) {
	shape := o.Shape()
	ns := o.NS
	switch {
	case o.Origin != nil:
		shape, ns = o.Origin.Shape, o.Origin.NS
	case len(o.Statements()) > 0:
		ns = o.Statements()[0].NS
	default:
		shape = op.TextShape("{command: " + o.Command + "}")
	}
	return stormKey{ns: ns, shape: shape.ID}, shape
}

// operationsOn is how many operations a collection had, those that were refused
// left out.
func operationsOn(p *analysis.Pass, ns op.Namespace) int64 {
	t := p.Env.Traffic(ns)
	return t.Reads + t.Writes
}

// codeText is the number of a code with the server's name for it.
func codeText(r op.Reply) string {
	text := strconv.Itoa(int(r.Code))
	if r.CodeName != "" {
		text += " " + r.CodeName
	}
	return text
}
