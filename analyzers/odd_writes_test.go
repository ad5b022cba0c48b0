package analyzers

import (
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/x/bsonx/bsoncore"

	"mongoadvisor/internal/op"
)

// TestCatalogueBefore1970: captures with times of their own begin at the epoch,
// and clocks that are not set before it.
func TestCatalogueBefore1970(t *testing.T) {
	for _, start := range []time.Time{{}, time.Unix(0, 0), time.Unix(-30*86_400, 0)} {
		all := newCatalogues()
		for day := range 3 {
			now := start.AddDate(0, 0, day)
			ns := op.Namespace{DB: "d", Coll: string(rune('a' + day))}
			all.create(ns, now)
			all.known("d").steady(now, maxGrowthDays)
		}
		all.drop(op.Namespace{DB: "d", Coll: "b"})
	}
}

// TestNestedReduce: the work on an expression must not double with each level.
func TestNestedReduce(t *testing.T) {
	expr := any("$other")
	for range 60 {
		expr = bson.D{{Key: "$reduce", Value: bson.D{{Key: "input", Value: bson.A{}}, {Key: "initialValue", Value: bson.A{"$a", "$$value"}}, {Key: "in", Value: expr}}}}
	}
	raw, err := bson.Marshal(bson.D{{Key: "$set", Value: bson.D{{Key: "a", Value: expr}}}})
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan bool, 1)
	go func() {
		found := false
		pipelineGrowth([]bsoncore.Document{raw}, growth{}, func(growth) bool { found = true; return true })
		done <- found
	}()
	select {
	case found := <-done:
		if found {
			t.Error("it adds nothing")
		}
	case <-time.After(20 * time.Second):
		t.Fatal("it takes for ever")
	}
}
