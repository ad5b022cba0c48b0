package analyzers

import (
	"go.mongodb.org/mongo-driver/v2/x/bsonx/bsoncore"

	"mongoadvisor/internal/analysis"
	"mongoadvisor/internal/op"
	"mongoadvisor/internal/sketch"
)

// gatherSums is what is known of the forms in one collection; the most frequent
// ones are kept.
type gatherSums struct {
	byForm *sketch.Top[gatherSum]
}

// gatherSum counts the calls of one form and keeps the largest array they gave.
type gatherSum struct {
	calls, largest int64
}

// maxGathers bounds the forms kept of one collection.
const maxGathers = 128

func gatherState() *analysis.StateSpec {
	return &analysis.StateSpec{Scope: analysis.ScopeNamespace, Max: 256, New: func() any {
		return &gatherSums{byForm: sketch.NewTop[gatherSum](maxGathers)}
	}}
}

// take counts a call and returns how many there were, and the largest size.
func (k *gatherSums) take(form uint64, size int64) (calls, largest int64) {
	known := &k.byForm.Add(form, 1).Value
	known.calls++
	known.largest = max(known.largest, size)
	return known.calls, known.largest
}

// largestArray is the size of the largest array at a field of the documents of a
// reply; when the first one was too long to be kept, that of the reply.
func largestArray(r op.Reply, name string) (largest int64) {
	if r.Returned < 0 && len(r.Docs) == 0 {
		return int64(r.Bytes)
	}
	for _, d := range r.Docs[:min(len(r.Docs), maxReplyDocs)] {
		if v := op.Get(d, name); v.Type == bsoncore.TypeArray {
			largest = max(largest, int64(len(v.Data)))
		}
	}
	return largest
}
