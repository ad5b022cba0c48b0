package chaos

import (
	"context"
	"strings"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
	"go.mongodb.org/mongo-driver/v2/mongo/writeconcern"
)

// records is the collection that the follower watches.
const records = "records"

var padding = strings.Repeat("nothing of interest ", 20)

// writer inserts documents, each of which must be there once when that was
// acknowledged.
func writer(db, name, uri string) *app {
	p := newPromises()
	return &app{
		name: "writer " + name, uri: uri, pause: often,
		step: func(a *app, ctx context.Context) error {
			n := a.n
			_, err := a.client.Database(db).Collection(records).InsertOne(ctx, bson.D{{Key: "app", Value: a.name}, {Key: "n", Value: n}, {Key: "text", Value: padding}})
			return p.note(n, err)
		},
		verify: func(a *app, ctx context.Context) { p.compare(ctx, a, a.direct.Database(db).Collection(records)) },
	}
}

// counter increments: a write that is done twice is seen, whatever its _id.
func counter(db string) *app {
	p := newPromises()
	const id = "the counter"
	return &app{
		name: "counter", uri: "&compressors=snappy", pause: often,
		step: func(a *app, ctx context.Context) error {
			_, err := a.client.Database(db).Collection("counters").UpdateOne(ctx, bson.D{{Key: "_id", Value: id}},
				bson.D{{Key: "$inc", Value: bson.D{{Key: "n", Value: 1}}}}, options.UpdateOne().SetUpsert(true))
			return p.note(a.n, err)
		},
		verify: func(a *app, ctx context.Context) {
			var d struct{ N int }
			if err := a.direct.Database(db).Collection("counters").FindOne(ctx, bson.D{{Key: "_id", Value: id}}).Decode(&d); err != nil {
				a.t.Fatal(err)
			}
			if d.N < len(p.kept) || d.N > len(p.kept)+len(p.open) {
				a.t.Errorf("counter: at %d, after %d increments acknowledged and %d failed", d.N, len(p.kept), len(p.open))
			}
		},
	}
}

// careless writes without wanting to know: nothing is promised, and no reply
// comes.
func careless(db string) *app {
	return &app{
		name: "careless", pause: seldom,
		step: func(a *app, ctx context.Context) error {
			c := a.client.Database(db).Collection("careless", options.Collection().SetWriteConcern(writeconcern.Unacknowledged()))
			_, err := c.InsertOne(ctx, bson.D{{Key: "at", Value: time.Now()}})
			return err
		},
	}
}
