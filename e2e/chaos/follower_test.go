package chaos

import (
	"context"
	"fmt"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
)

// now is the set's own time, for a stream to start from.
func (s *stage) now() (at bson.Timestamp) {
	s.t.Helper()
	raw, err := s.direct.Database("admin").RunCommand(s.t.Context(), bson.D{{Key: "ping", Value: 1}}).Raw()
	s.must(err)
	at.T, at.I, _ = raw.Lookup("operationTime").TimestampOK()
	if at.T == 0 {
		s.t.Fatal("a server of a set that tells no time")
	}
	return at
}

// follower watches what writers insert. When the driver gives a stream up, it
// goes on where it was, as applications do. Nothing is delivered twice, nothing
// is missing, and each writer's documents come in their order.
func follower(db string, from bson.Timestamp) *app {
	f := &following{db: db, from: from, last: map[string]int{}}
	return &app{
		name: "follower", uri: "&compressors=zstd", pause: often,
		step: f.step,
		verify: func(a *app, ctx context.Context) {
			stored, err := a.direct.Database(db).Collection(records).CountDocuments(ctx, bson.D{})
			if err != nil {
				a.t.Fatal(err)
			}
			for end := time.Now().Add(guard); f.seen < int(stored) && time.Now().Before(end); {
				a.do(func(ctx context.Context) error { return f.step(a, ctx) })
			}
			if f.seen != int(stored) {
				a.t.Errorf("follower: %d documents delivered, %d stored", f.seen, stored)
			}
			a.t.Logf("follower: %d documents delivered, %d streams", f.seen, f.streams)
			if f.stream != nil {
				_ = f.stream.Close(ctx)
			}
		},
	}
}

type following struct {
	db      string
	from    bson.Timestamp
	stream  *mongo.ChangeStream
	token   bson.Raw // of the last event
	seen    int
	streams int
	last    map[string]int // number of the last document, by writer
}

func (f *following) step(a *app, ctx context.Context) error {
	if f.stream == nil {
		o := options.ChangeStream().SetMaxAwaitTime(200 * time.Millisecond)
		if f.token == nil {
			o.SetStartAtOperationTime(&f.from)
		} else {
			o.SetResumeAfter(f.token)
		}
		stream, err := a.client.Database(f.db).Collection(records).Watch(ctx, mongo.Pipeline{}, o)
		if err != nil {
			return err
		}
		f.stream = stream
		f.streams++
	}
	for f.stream.TryNext(ctx) {
		f.note(a)
	}
	if err := f.stream.Err(); err != nil {
		_ = f.stream.Close(ctx)
		f.stream = nil
		return fmt.Errorf("stream: %w", err)
	}
	return nil
}

func (f *following) note(a *app) {
	var e struct {
		FullDocument struct {
			App string
			N   int
		} `bson:"fullDocument"`
	}
	if err := f.stream.Decode(&e); err != nil {
		a.t.Errorf("follower: %v", err)
	}
	d := e.FullDocument
	if d.N <= f.last[d.App] {
		a.t.Errorf("follower: document %d of %s after %d", d.N, d.App, f.last[d.App])
	}
	f.last[d.App] = d.N
	f.token = append(bson.Raw{}, f.stream.ResumeToken()...)
	f.seen++
}
