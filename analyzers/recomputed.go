package analyzers

import (
	"time"

	"go.mongodb.org/mongo-driver/v2/x/bsonx/bsoncore"

	"mongoadvisor/internal/analysis"
	"mongoadvisor/internal/op"
	"mongoadvisor/internal/sketch"
)

// sums is what the aggregations of one collection add up to, by shape: the most
// frequent ones are kept.
type sums struct {
	byShape *sketch.Top[*sum]
}

// sum is one aggregation.
type sum struct {
	rate  *sketch.Rate // of the last hour
	calls int64
	slow  int64         // calls that took the slow limit or longer
	spent time.Duration // of all calls
	same  int64         // calls that asked the same again and got the same
	told  string        // the reason that was reported: one cause is one finding
	known [sumSlots]struct{ in, out uint64 }
	// stretch is that of the traffic which they were seen in: in another one the
	// result may have changed, and changed back.
	stretch uint64
}

const (
	// sumSlots is how many inputs of one shape are remembered with their result.
	sumSlots = 16
	// maxSums bounds the shapes kept of one collection.
	maxSums = 64
	// maxHashed is the size of a reply up to which its documents are compared.
	maxHashed = 8 << 10
)

func sumState() *analysis.StateSpec {
	return &analysis.StateSpec{Scope: analysis.ScopeNamespace, Max: 256, New: func() any { return &sums{byShape: sketch.NewTop[*sum](maxSums)} }}
}

// of returns the sum of a shape.
func (s *sums) of(shape uint64) *sum {
	item := s.byShape.Add(shape, 1)
	if item.Value == nil {
		item.Value = &sum{rate: sketch.NewRate(time.Hour)}
	}
	return item.Value
}

// take counts a call and returns how many there were in the last hour.
func (s *sum) take(o *op.Operation, pipeline []bsoncore.Document, at time.Time, slow time.Duration) int64 {
	s.calls++
	s.spent += o.Latency
	if o.Latency >= slow {
		s.slow++
	}
	if s.stretch != o.Sample.Stretch {
		s.stretch = o.Sample.Stretch
		clear(s.known[:])
	}
	if r := o.Reply; r.Seen && r.OK && r.CursorID == 0 && r.Returned == len(r.Docs) && r.Bytes <= maxHashed {
		in, out := hashDocs(pipeline), hashDocs(r.Docs)
		slot := &s.known[in%sumSlots]
		if slot.in == in && slot.out == out {
			s.same++
		}
		slot.in, slot.out = in, out
	}
	return s.rate.Add(at, 1)
}

func hashDocs(docs []bsoncore.Document) uint64 {
	h := uint64(len(docs))
	for _, d := range docs {
		h = h*31 + op.Hash(bsoncore.Value{Type: bsoncore.TypeEmbeddedDocument, Data: d})
	}
	return h
}

// aggregates reports whether a pipeline computes something out of many documents.
func aggregates(pipeline []bsoncore.Document) bool {
	for _, d := range pipeline {
		for name, v := range op.Fields(d) {
			switch name {
			case "$bucket", "$bucketAuto", "$sortByCount":
				return true
			case "$group":
				// without accumulators it lists the values; by _id it is about one document
				if op.Len(v) > 1 && op.Str(op.Get(op.Doc(v), "_id")) != "$_id" {
					return true
				}
			case "$facet":
				for _, branch := range op.Fields(op.Doc(v)) {
					if inner := op.Docs(branch); aggregates(inner) || hasStage(inner, "$count") {
						return true
					}
				}
			}
		}
	}
	return false
}

func hasStage(pipeline []bsoncore.Document, name string) bool {
	for _, d := range pipeline {
		if op.FirstKey(d) == name {
			return true
		}
	}
	return false
}

// countsSome reports whether a pipeline does nothing but count what a filter
// finds, as countDocuments does.
func countsSome(pipeline []bsoncore.Document) bool {
	for _, d := range pipeline {
		switch op.FirstKey(d) {
		case "$match", "$skip", "$limit":
		case "$group":
			return countsOneGroup(op.Doc(op.Get(d, "$group")))
		default:
			return false
		}
	}
	return false
}

// recentWindow reports whether a pipeline looks at the last minutes only.
func recentWindow(pipeline []bsoncore.Document, now time.Time, within time.Duration) bool {
	for _, d := range pipeline {
		for pred := range (op.Filter{Doc: op.Doc(op.Get(d, "$match"))}).Predicates() {
			if at, ok := pred.Value.TimeOK(); ok && (pred.Op == "$gt" || pred.Op == "$gte") && now.Sub(at) <= within {
				return true
			}
		}
	}
	return false
}
