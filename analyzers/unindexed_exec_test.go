package analyzers_test

import (
	"strings"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"

	"mongoadvisor/analyzers"
	"mongoadvisor/internal/analysis"
	"mongoadvisor/internal/engine"
	"mongoadvisor/internal/op"
)

// kept keeps what an engine reports.
type kept []analysis.Report

func (k *kept) Observe(*op.Operation)    {}
func (k *kept) Record(r analysis.Report) { *k = append(*k, r) }

// TestExaminedDocuments judges sources that say what was examined, as logs and
// the profiler do.
func TestExaminedDocuments(t *testing.T) {
	for _, c := range []struct {
		name               string
		filter, sort       bson.D
		returned, examined int64
		plan               string
		inMemory           bool
		reason             string // "" for none
		severity           analysis.Severity
	}{
		{name: "warn", filter: bson.D{{Key: "a", Value: 1}}, returned: 60, examined: 700, plan: "IXSCAN { a: 1 }", reason: "poor-targeting", severity: analysis.Low},
		{name: "medium", filter: bson.D{{Key: "a", Value: 1}}, returned: 7, examined: 1400, plan: "IXSCAN { a: 1 }", reason: "poor-targeting", severity: analysis.Medium},
		{name: "high", filter: bson.D{{Key: "a", Value: 1}}, returned: 0, examined: 5000, plan: "COLLSCAN", reason: "collscan", severity: analysis.High},
		{name: "sorted", sort: bson.D{{Key: "a", Value: 1}}, returned: 20, examined: 5000, plan: "COLLSCAN", inMemory: true, reason: "sort-in-memory", severity: analysis.Medium},
		{name: "small collection", filter: bson.D{{Key: "a", Value: 1}}, returned: 1, examined: 500, plan: "COLLSCAN"},
		{name: "all of ten", filter: bson.D{{Key: "a", Value: 1}}, returned: 100, examined: 1000, plan: "COLLSCAN"},
		{name: "a rule's own", filter: bson.D{{Key: "a", Value: bson.Regex{Pattern: "x", Options: "i"}}}, examined: 5000, plan: "COLLSCAN"},
	} {
		t.Run(c.name, func(t *testing.T) {
			body, err := bson.Marshal(bson.D{{Key: "find", Value: "c"}, {Key: "filter", Value: c.filter}, {Key: "sort", Value: c.sort}, {Key: "limit", Value: 100}})
			if err != nil {
				t.Fatal(err)
			}
			var got kept
			rules, err := engine.Select(analyzers.All(), []string{"Q10"})
			if err != nil {
				t.Fatal(err)
			}
			eng := engine.New(engine.Config{Rules: rules, Recorder: &got})
			index, err := bson.Marshal(bson.D{{Key: "createIndexes", Value: "c"}, {Key: "indexes", Value: bson.A{bson.D{{Key: "name", Value: "x"}, {Key: "key", Value: bson.D{{Key: "a", Value: 1}, {Key: "b", Value: 1}}}}}}})
			if err != nil {
				t.Fatal(err)
			}
			eng.Judge(&op.Operation{Command: "createIndexes", Kind: op.KindDDL, NS: op.Namespace{DB: "d", Coll: "c"}, Body: index})
			for i := range 5 {
				eng.Judge(&op.Operation{
					Time: time.Unix(int64(i), 0), Has: op.HasReply | op.HasLatency | op.HasExec, Command: "find", Kind: op.KindRead, NS: op.Namespace{DB: "d", Coll: "c"}, Body: body,
					Reply: op.Reply{Seen: true, OK: true, Returned: int(c.returned)}, Exec: op.Exec{DocsExamined: c.examined, Plan: c.plan, SortInMemory: c.inMemory},
				})
			}
			switch {
			case c.reason == "" && len(got) > 0:
				t.Errorf("reported: %s", got[0].Finding.Message)
			case c.reason != "" && (len(got) != 1 || got[0].Finding.Reason != c.reason || got[0].Severity != c.severity || got[0].Confident != analysis.Observed):
				t.Errorf("got %+v", got)
			case c.reason == "poor-targeting" && !strings.Contains(got[0].Finding.Message, "an index on a, b is there"):
				t.Errorf("it does not say which index is there: %s", got[0].Finding.Message)
			}
		})
	}
}

// TestNegationThatReadsMuch: where the source says what was examined, Q05 need not
// see much come back.
func TestNegationThatReadsMuch(t *testing.T) {
	for _, c := range []struct {
		name     string
		limit    int
		returned int
		examined int64
		has      op.Has
		want     int
	}{
		{name: "little is read", returned: 10, examined: 900, has: op.HasExec},
		{name: "much is read for little", returned: 10, examined: 1010, has: op.HasExec, want: 1},
		{name: "much is read for a page", limit: 20, returned: 10, examined: 5000, has: op.HasExec, want: 1},
		{name: "a page is what is read", limit: 20, returned: 20, examined: 900, has: op.HasExec},
		{name: "a source that does not say it", returned: 10, examined: 5000},
	} {
		body, err := bson.Marshal(bson.D{{Key: "find", Value: "c"}, {Key: "filter", Value: bson.D{{Key: "a", Value: bson.D{{Key: "$ne", Value: 1}}}}}, {Key: "limit", Value: c.limit}})
		if err != nil {
			t.Fatal(err)
		}
		rules, err := engine.Select(analyzers.All(), []string{"Q05"})
		if err != nil {
			t.Fatal(err)
		}
		var got kept
		engine.New(engine.Config{Rules: rules, Recorder: &got}).Judge(&op.Operation{
			Time: time.Unix(1, 0), Has: op.HasReply | c.has, Command: "find", Kind: op.KindRead, NS: op.Namespace{DB: "d", Coll: "c"}, Body: body,
			Reply: op.Reply{Seen: true, OK: true, Returned: c.returned}, Exec: op.Exec{DocsExamined: c.examined},
		})
		if len(got) != c.want {
			t.Errorf("%s: %d findings, want %d", c.name, len(got), c.want)
		} else if c.want > 0 && !strings.Contains(got[0].Finding.Message, "much is read") {
			t.Errorf("%s: %s", c.name, got[0].Finding.Message)
		}
	}
}

// TestCountFromALog: what a count found is not logged, so that what it examined
// cannot be compared with it.
func TestCountFromALog(t *testing.T) {
	body, err := bson.Marshal(bson.D{{Key: "count", Value: "c"}, {Key: "query", Value: bson.D{{Key: "a", Value: 1}}}})
	if err != nil {
		t.Fatal(err)
	}
	var got kept
	eng := engine.New(engine.Config{Rules: analyzers.All(), Recorder: &got})
	for i := range 10 {
		eng.Judge(&op.Operation{
			Time: time.Unix(int64(i), 0), Has: op.HasReply | op.HasLatency | op.HasExec, Command: "count", Kind: op.KindRead, NS: op.Namespace{DB: "d", Coll: "c"}, Body: body,
			Reply: op.Reply{Seen: true, OK: true, Returned: -1, N: -1}, Exec: op.Exec{DocsExamined: 5000, Plan: "COLLSCAN"},
		})
	}
	for _, r := range got {
		t.Errorf("%s: %s", r.Rule.ID, r.Finding.Message)
	}
}
