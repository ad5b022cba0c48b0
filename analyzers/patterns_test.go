package analyzers

import (
	"strconv"
	"testing"

	"go.mongodb.org/mongo-driver/v2/x/bsonx/bsoncore"

	"mongoadvisor/internal/analysis"
	"mongoadvisor/internal/op"
)

type noEnv struct{}

func (noEnv) IndexesComplete(op.Namespace) bool       { return false }
func (noEnv) Indexes(op.Namespace) ([]op.Index, bool) { return nil, false }
func (noEnv) Traffic(op.Namespace) analysis.Traffic   { return analysis.Traffic{} }
func (noEnv) Bounded(op.Namespace, string) bool       { return false }
func (noEnv) Listeners() []string                     { return nil }

// TestPatternsAreBounded: thousands of expressions in one filter are not all
// judged.
func TestPatternsAreBounded(t *testing.T) {
	var filter []byte
	i, filter := bsoncore.AppendDocumentStart(filter)
	for n := range 5000 {
		filter = bsoncore.AppendRegexElement(filter, "f"+strconv.Itoa(n), "x", "")
	}
	filter, err := bsoncore.AppendDocumentEnd(filter, i)
	if err != nil {
		t.Fatal(err)
	}
	body := bsoncore.BuildDocument(nil, bsoncore.AppendStringElement(nil, "find", "c"), bsoncore.AppendDocumentElement(nil, "filter", filter))
	p := &analysis.Pass{Env: noEnv{}, Op: &op.Operation{Command: "find", Body: body}}
	if n := len(patterns(p)); n != maxPatterns {
		t.Errorf("%d expressions judged, want %d", n, maxPatterns)
	}
}
