package analyzers

import (
	"time"

	"go.mongodb.org/mongo-driver/v2/x/bsonx/bsoncore"

	"mongoadvisor/internal/analysis"
	"mongoadvisor/internal/op"
	"mongoadvisor/internal/sketch"
)

// joinTimes is how long the joins of one collection take, by what is joined.
type joinTimes struct {
	byKey *sketch.Top[*joinTime]
}

// joinTime is one of them: its calls, those that take a while, and those that are
// slow although little comes back.
type joinTime struct {
	calls, taking, slow int64
}

func joinTimeState() *analysis.StateSpec {
	return &analysis.StateSpec{Scope: analysis.ScopeNamespace, Max: 256, New: func() any { return &joinTimes{byKey: sketch.NewTop[*joinTime](maxJoins)} }}
}

func (k *joinTimes) take(key uint64, o *op.Operation, fast, slow time.Duration, small int64) joinTime {
	item := k.byKey.Add(key, 1)
	if item.Value == nil {
		item.Value = &joinTime{}
	}
	known := item.Value
	known.calls++
	if o.Latency >= fast {
		known.taking++
	}
	if r := o.Reply; o.Latency >= slow && r.Seen && r.OK && r.Returned >= 0 && int64(r.Bytes) <= small {
		known.slow++
	}
	return *known
}

// fewJoined reports whether few documents get to the first join, by a selective
// $match or a $limit, so that the time is the join's.
func fewJoined(pipeline []bsoncore.Document) bool {
	for _, d := range pipeline {
		switch op.FirstKey(d) {
		case "$match":
			if selective(op.Doc(op.Get(d, "$match"))) {
				return true
			}
		case "$limit":
			return true
		case "$sort", "$skip", "$project", "$set", "$addFields", "$unset":
		default:
			return false
		}
	}
	return false
}
