package shared

import (
	"context"
	"fmt"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"mongoadvisor/internal/op"
	"mongoadvisor/internal/store"
)

// overlap is how far behind the last time that was seen changes are asked for: a write
// shows after the time it says of itself.
const overlap = 10 * time.Second

// pull reads what has changed since the last time, and hands it to a store. Nothing may
// be in flight.
func (c *Client) pull(ctx context.Context, s *store.Store) error {
	state, err := c.read(ctx)
	if err != nil {
		return fmt.Errorf("reading findings: %w", err)
	}
	c.LeftOut = s.Merge(state)
	return nil
}

// maxRead is how many documents of a collection are read at once: as many as a store
// keeps. At first those that have changed last.
const maxRead = 10_000

// read makes a state of what has changed.
func (c *Client) read(ctx context.Context) (store.State, error) {
	state := store.State{Schema: store.SavedSchema}
	since, err := changed(ctx, c, findings, c.since, func(f *finding) time.Time {
		state.Findings = append(state.Findings, f.saved())
		return f.Updated
	}, func() { state.Findings = append(state.Findings, store.Saved{}) }) // which is none
	if err != nil {
		return state, err
	}
	spaces, err := changed(ctx, c, namespaces, c.spaces, func(n *namespace) time.Time {
		if n.ID == everything {
			state.Workload, state.Began = n.workload(), n.First
		} else {
			ns := op.Namespace{DB: n.Database, Coll: n.Collection}
			state.Namespaces = append(state.Namespaces, store.SavedNamespace{Database: ns.DB, Collection: ns.Coll, Workload: n.workload()})
		}
		return n.Updated
	}, func() {})
	if err != nil {
		return state, err
	}
	c.since, c.spaces = since, spaces
	return state, nil
}

// changed reads the documents of a collection that have changed, and returns the time
// of the last change. One that is not of the form that it must have is counted by broken:
// it is no reason not to read the others.
func changed[T any](ctx context.Context, c *Client, name string, since time.Time, each func(*T) time.Time, broken func()) (time.Time, error) {
	after, order := since, -1
	if !since.IsZero() {
		after, order = since.Add(-overlap), 1 // what is left over is read the next time
	}
	cursor, err := c.db.Collection(name).Find(ctx, bson.D{{Key: "updated", Value: bson.D{{Key: "$gte", Value: after}}}},
		options.Find().SetSort(bson.D{{Key: "updated", Value: order}}).SetLimit(maxRead))
	if err != nil {
		return since, err
	}
	defer func() { _ = cursor.Close(ctx) }()
	for cursor.Next(ctx) {
		document := new(T)
		if err := cursor.Decode(document); err != nil {
			broken()
			continue
		}
		if t := each(document); t.After(since) {
			since = t
		}
	}
	return since, cursor.Err()
}
