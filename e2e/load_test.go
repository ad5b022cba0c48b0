package e2e

import (
	"sync"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"

	"mongoadvisor/e2e/harness"
	"mongoadvisor/internal/demo/mongod/mongodtest"
)

// TestUnderLoad sends far more than is decoded, a few bad queries among it: they are
// found, all is counted, and what was left out makes nobody cry wolf.
func TestUnderLoad(t *testing.T) {
	const workers, bad = 16, 20
	server := mongodtest.Start(t)
	coll := "load"
	if err := numbered(100)(t.Context(), connect(t, server.URI(), "prepare").Database(coll)); err != nil {
		t.Fatal(err)
	}
	p := startProxy(t, server.Addr(), "--analysis.full-rate", "100")
	c := connect(t, p.uri("&maxPoolSize=32"), "shop").Database(coll).Collection("c")
	byID := func(i int) bson.D { return bson.D{{Key: "_id", Value: i % 100}} }
	read := func(i int) error { return c.FindOne(t.Context(), byID(i)).Err() }
	write := func(i int) error {
		_, err := c.UpdateOne(t.Context(), byID(i), bson.D{{Key: "$set", Value: bson.D{{Key: "seen", Value: i}}}})
		return err
	}
	badRead := func(int) error {
		_, err := c.Find(t.Context(), bson.D{{Key: "name", Value: bson.Regex{Pattern: "^some", Options: "i"}}})
		return err
	}
	var group sync.WaitGroup
	stop := make(chan struct{})
	done := make([]int, workers)
	for w := range workers {
		group.Go(func() {
			for i := w; ; i += workers {
				select {
				case <-stop:
					return
				default:
				}
				if err := read(i); err != nil { // a read before each write: no row of writes
					t.Error(err)
					return
				}
				if err := write(i); err != nil {
					t.Error(err)
					return
				}
				done[w]++
			}
		})
	}
	for i := range bad {
		time.Sleep(150 * time.Millisecond)
		if err := badRead(i); err != nil {
			t.Error(err)
		}
	}
	close(stop)
	group.Wait()
	time.Sleep(1100 * time.Millisecond) // a stretch begins
	for _, f := range []func(int) error{read, write, badRead} {
		if err := f(1); err != nil { // is credited with what was only counted
			t.Error(err)
		}
	}
	total := 1
	for _, n := range done {
		total += n
	}
	p.settled()
	found, coverage := p.report()
	samples := harness.Samples(string(p.get("/metrics")))
	t.Logf("%d updates, coverage %v", total, coverage)
	if len(found) != 1 || found[0].Rule != "Q02" || found[0].Count != bad+1 {
		t.Errorf("findings %+v, want Q02 for %d operations", found, bad+1)
	}
	if got := int(harness.Total(samples, "mongoadvisor_commands_total", `command="update"`)); got != total {
		t.Errorf("%d updates counted of %d", got, total)
	}
	if got := int(harness.Total(samples, "mongoadvisor_commands_total", `command="find"`)); got != total+bad+1 {
		t.Errorf("%d finds counted of %d", got, total+bad+1)
	}
	if coverage["ratio"] != 1.0 || coverage["replies_unpaired"] != 0.0 || coverage["sample_rate"].(float64) > 0.9 {
		t.Errorf("coverage %v", coverage)
	}
}
