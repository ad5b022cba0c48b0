package analyzers_test

import (
	"path/filepath"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/x/bsonx/bsoncore"

	"mongoadvisor/analyzers"
	"mongoadvisor/internal/analysis"
	"mongoadvisor/internal/analysis/analysistest"
	"mongoadvisor/internal/analysis/cases"
	"mongoadvisor/internal/op"
)

// TestNeeds: a rule that says nothing of its own data files without replies,
// latencies or documents, or when each operation may be one of many, says that it
// needs them, and no other rule does. A report must not count the silence of a rule
// that cannot speak as an all-clear.
func TestNeeds(t *testing.T) {
	for _, a := range analyzers.All() {
		paths, err := filepath.Glob(filepath.Join("testdata", a.ID, "*.json"))
		if err != nil {
			t.Fatal(err)
		}
		with, without := 0, map[op.Has]int{}
		for _, path := range paths {
			load := func(step func(*cases.Step), change func(*op.Operation)) (n int) {
				f, err := cases.Load(path)
				if err != nil {
					t.Fatal(err)
				}
				for i := range f.Operations {
					step(&f.Operations[i])
				}
				steps, _, err := analysistest.ReplayAs(f, []*analysis.Analyzer{a}, change)
				if err != nil {
					t.Fatal(err)
				}
				for _, s := range steps {
					n += len(s)
				}
				return n
			}
			sent, asMade := func(*cases.Step) {}, func(*op.Operation) {}
			with += load(sent, asMade)
			without[op.HasReply] += load(func(s *cases.Step) { s.NoReply = s.Command != nil }, asMade)
			without[op.HasLatency] += load(func(s *cases.Step) { s.Latency = -time.Hour }, asMade)
			without[op.HasDocuments] += load(sent, withoutDocuments)
			var stretch uint64
			without[op.HasEvery] += load(sent, func(o *op.Operation) {
				stretch++
				o.Sample.Stretch = stretch
			})
		}
		if with == 0 {
			t.Errorf("%s: its files cause no report", a.ID)
		}
		for has, n := range without {
			if says := a.Needs&has != 0; says != (n == 0) {
				t.Errorf("%s: %d of %d reports without %s, and it says that it needs them: %v", a.ID, n, with, has, says)
			}
		}
	}
}

// withoutDocuments makes an operation one of a log, which has neither the documents
// of inserts nor those of replies.
func withoutDocuments(o *op.Operation) {
	o.Reply.Docs, o.Reply.Torn = nil, op.Torn{}
	if o.Command != "insert" {
		return
	}
	o.Seqs = nil
	at, body := bsoncore.AppendDocumentStart(nil)
	for k, v := range op.Fields(o.Body) {
		if k != "documents" {
			body = bsoncore.AppendValueElement(body, k, v)
		}
	}
	o.Body, _ = bsoncore.AppendDocumentEnd(body, at)
}
