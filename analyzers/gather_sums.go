package analyzers

import (
	"go.mongodb.org/mongo-driver/v2/x/bsonx/bsoncore"

	"mongoadvisor/internal/analysis"
	"mongoadvisor/internal/op"
)

// gatherSums is what is known of the forms in one collection.
type gatherSums struct {
	calls, largest map[uint64]int64
}

func gatherState() *analysis.StateSpec {
	return &analysis.StateSpec{Scope: analysis.ScopeNamespace, Max: 256, New: func() any {
		return &gatherSums{calls: map[uint64]int64{}, largest: map[uint64]int64{}}
	}}
}

// take counts a call and returns how many there were, and the largest size.
func (k *gatherSums) take(shape uint64, size int64) (calls, largest int64) {
	if _, known := k.calls[shape]; !known && len(k.calls) >= maxPeaks {
		return 1, size
	}
	k.calls[shape]++
	k.largest[shape] = max(k.largest[shape], size)
	return k.calls[shape], k.largest[shape]
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
