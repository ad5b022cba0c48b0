package analyzers_test

import (
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"

	"mongoadvisor/analyzers"
	"mongoadvisor/internal/analysis/analysistest"
	"mongoadvisor/internal/analysis/cases"
)

// TestLongPipelinesCostTheirLength: as many stages as a request that is kept can
// hold. What looks at the stages around each stage took minutes for one of them.
func TestLongPipelinesCostTheirLength(t *testing.T) {
	for name, stage := range map[string]bson.D{
		"$match":             m("$match", m("x", 1)),
		"negations":          m("$match", m("x", m("$ne", 1))),
		"expressions":        m("$match", m("x", bson.Regex{Pattern: "a", Options: "i"})),
		"no index can serve": m("$match", m("$expr", m("$eq", bson.A{"$a", "$b"}))),
		"$skip":              m("$skip", 5000),
		"$group":             m("$group", m("_id", "$a", "all", m("$push", "$x"))),
		"$lookup":            m("$lookup", m("from", "b", "localField", "x", "foreignField", "y", "as", "z")),
		"$unwind":            m("$unwind", "$a"),
		"$facet":             m("$facet", m("a", bson.A{m("$match", m("x", 1))})),
	} {
		size := len(rawDoc(t, stage)) + 8
		pipeline := make(bson.A, (250<<10)/size)
		for i := range pipeline {
			pipeline[i] = stage
		}
		f := &cases.File{Operations: []cases.Step{{
			Conn: "a", Repeat: 2, Latency: 300 * time.Millisecond,
			Command: rawDoc(t, m("aggregate", "c", "pipeline", pipeline, "cursor", bson.D{}, "$db", "shop")),
		}}}
		start := time.Now()
		if _, _, err := analysistest.Replay(f, analyzers.All()); err != nil {
			t.Fatal(err)
		}
		if took := time.Since(start); took > 4*time.Second {
			t.Errorf("%s: two pipelines of %d stages took %v", name, len(pipeline), took)
		} else {
			t.Logf("%s: two pipelines of %d stages took %v", name, len(pipeline), took)
		}
	}
}
