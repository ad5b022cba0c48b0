package chaos

import (
	"context"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
)

// promises are numbered writes of one app: those that were acknowledged, and
// those that failed and may have happened all the same.
type promises struct{ kept, open map[int]bool }

func newPromises() *promises { return &promises{map[int]bool{}, map[int]bool{}} }

// note keeps what became of a write.
func (p *promises) note(n int, err error) error {
	if err == nil {
		p.kept[n] = true
	} else {
		p.open[n] = true
	}
	return err
}

// compare holds the app's documents in a collection, {app, n} each, against it.
func (p *promises) compare(ctx context.Context, a *app, stored *mongo.Collection) {
	times := map[int]int{}
	cursor, err := stored.Find(ctx, bson.D{{Key: "app", Value: a.name}})
	if err != nil {
		a.t.Fatal(err)
	}
	for cursor.Next(ctx) {
		var d struct{ N int }
		if err := cursor.Decode(&d); err != nil {
			a.t.Fatal(err)
		}
		times[d.N]++
	}
	if err := cursor.Err(); err != nil {
		a.t.Fatal(err)
	}
	for n := range p.kept {
		if times[n] != 1 {
			a.t.Errorf("%s: write %d was acknowledged, and is stored %d times", a.name, n, times[n])
		}
	}
	happened := 0
	for n, c := range times {
		if !p.kept[n] && !p.open[n] || c > 1 {
			a.t.Errorf("%s: write %d is stored %d times", a.name, n, c)
		}
		if p.open[n] {
			happened++
		}
	}
	a.t.Logf("%s: %d writes acknowledged, %d failed of which %d happened", a.name, len(p.kept), len(p.open), happened)
}
