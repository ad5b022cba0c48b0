package analyzers

import (
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"

	"mongoadvisor/internal/op"
)

// Every form of a replace by _id is counted, and nothing else is.
func TestReplacesAreCounted(t *testing.T) {
	raw := func(x bson.D) []byte {
		b, err := bson.Marshal(x)
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	byID, whole := bson.D{{Key: "_id", Value: 1}}, bson.D{{Key: "a", Value: 1}}
	set := bson.D{{Key: "$set", Value: whole}}
	entry := func(q, u bson.D) bson.D { return bson.D{{Key: "q", Value: q}, {Key: "u", Value: u}} }
	update := func(entries ...any) *op.Operation {
		return &op.Operation{Command: "update", NS: op.Namespace{DB: "d", Coll: "c"}, Body: raw(bson.D{{Key: "update", Value: "c"}, {Key: "updates", Value: bson.A(entries)}})}
	}
	sequence := &op.Operation{Command: "update", NS: op.Namespace{DB: "d", Coll: "c"}, Body: raw(bson.D{{Key: "update", Value: "c"}})}
	sequence.Seqs = []op.Sequence{{Name: "updates"}}
	sequence.Seqs[0].Docs = append(sequence.Seqs[0].Docs, raw(entry(byID, whole)), raw(entry(byID, set)), raw(entry(whole, whole)))
	bulk := &op.Operation{Command: "bulkWrite", NS: op.Namespace{DB: "admin"}, Body: raw(bson.D{{Key: "bulkWrite", Value: 1}, {Key: "nsInfo", Value: bson.A{bson.D{{Key: "ns", Value: "d.c"}}}}, {Key: "ops", Value: bson.A{
		bson.D{{Key: "update", Value: 0}, {Key: "filter", Value: byID}, {Key: "updateMods", Value: whole}},
		bson.D{{Key: "insert", Value: 0}, {Key: "document", Value: whole}},
	}}})}
	for name, c := range map[string]struct {
		o    *op.Operation
		want int64
	}{
		"array":    {update(entry(byID, whole), entry(byID, whole)), 2},
		"operator": {update(entry(byID, set)), 0},
		"sequence": {sequence, 1},
		"bulk":     {bulk, 1},
	} {
		reads := newLargeReads()
		known := &largeScan{docs: 1}
		reads.scans.young[op.Namespace{DB: "d", Coll: "c"}] = known
		reads.written(c.o)
		if known.replaced != c.want {
			t.Errorf("%s: %d replaced, want %d", name, known.replaced, c.want)
		}
	}
}
