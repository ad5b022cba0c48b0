package shared

import (
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"

	"mongoadvisor/internal/store"
)

// sum is what a write adds to a document of namespaces.
type sum struct {
	id string
	store.SavedNamespace
	first time.Time // zero: not kept
}

// sums are those of a write, everything last.
func (f *flight) sums() []sum {
	var out []sum
	for _, n := range f.changes.Namespaces {
		out = append(out, sum{id: namespaceID(n), SavedNamespace: n})
	}
	if w := f.changes.Workload; w.Operations > 0 {
		out = append(out, sum{everything, store.SavedNamespace{Workload: w}, f.changes.Began})
	}
	return out
}

// sum adds to a document of namespaces.
func (f *flight) sum(n sum) mongo.WriteModel {
	update := append(f.mark(),
		bson.E{Key: "$inc", Value: bson.D{{Key: "operations", Value: n.Operations}, {Key: "latency_ns", Value: int64(n.Latency)}}},
		bson.E{Key: "$max", Value: bson.D{{Key: "last", Value: n.Last}}})
	if !n.first.IsZero() {
		update = append(update, bson.E{Key: "$min", Value: bson.D{{Key: "first", Value: n.first}}})
	}
	return mongo.NewUpdateOneModel().SetFilter(f.filter(n.id)).SetUpdate(update)
}
