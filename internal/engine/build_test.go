package engine

import (
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"

	"mongoadvisor/internal/analysis"
	"mongoadvisor/internal/op"
)

var start = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

func d(pairs ...any) bson.D {
	out := bson.D{}
	for i := 0; i < len(pairs); i += 2 {
		out = append(out, bson.E{Key: pairs[i].(string), Value: pairs[i+1]})
	}
	return out
}

// command is an operation as a session emits it.
func command(x bson.D) *op.Operation {
	body, err := bson.Marshal(x)
	if err != nil {
		panic(err)
	}
	o := &op.Operation{Time: start, Body: body, Conn: &op.Conn{ID: 1}, Reply: op.Reply{Seen: true, OK: true}}
	sent := op.FirstKey(body)
	o.Command, o.Kind = op.Command(sent)
	o.NS = op.Namespace{DB: "shop", Coll: op.Str(op.Get(body, sent))}
	return o
}

func find(coll string) *op.Operation { return command(d("find", coll, "filter", d("a", 1))) }

// recorder keeps what the engine sees.
type recorder struct {
	observed int
	reports  []analysis.Report
}

func (r *recorder) Observe(*op.Operation)    { r.observed++ }
func (r *recorder) Record(x analysis.Report) { r.reports = append(r.reports, x) }

// rule is a rule that runs f on every find, update and aggregate.
func newRule(id string, f func(*analysis.Pass)) *analysis.Analyzer {
	return &analysis.Analyzer{
		ID: id, Name: "rule-" + id, Severity: analysis.Medium, Commands: []string{"find", "update", "aggregate", "hello"},
		Limits: []analysis.Limit{{Name: "most", Default: 7}}, Run: f,
	}
}

func always(p *analysis.Pass) { p.Report(analysis.Finding{Reason: "seen", Message: "m"}) }

func newEngine(c Config) (*Engine, *recorder) {
	r := &recorder{}
	c.Recorder = r
	return New(c), r
}
