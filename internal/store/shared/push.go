package shared

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"

	"mongoadvisor/internal/store"
)

// flight is a write that must arrive once.
type flight struct {
	id      string // of the write, in the documents
	changes store.Changes
	again   bool // tried before: some of it may have arrived
}

// maxModels is how many statements go in one command.
const maxModels = 500

// push writes what is new: that of a failed write first, and as it was.
func (c *Client) push(ctx context.Context, s *store.Store) error {
	if c.flight != nil {
		if err := c.deliver(ctx); err != nil {
			return err
		}
	}
	changes := s.Changes()
	if changes.Empty() {
		return nil
	}
	c.serial++
	c.flight = &flight{id: c.id + "-" + strconv.FormatInt(c.serial, 10), changes: changes}
	return c.deliver(ctx)
}

// deliver writes what is in flight. When some of it is missing there, because somebody
// has dropped the collection or a document, it is made anew.
func (c *Client) deliver(ctx context.Context) error {
	f := c.flight
	complete, err := c.write(ctx, f)
	if err == nil && !complete {
		f.again = true
		_, err = c.write(ctx, f)
	}
	if err != nil {
		f.again = true
		return fmt.Errorf("writing findings: %w", err)
	}
	c.flight = nil
	return nil
}

// write makes what is not there, then adds to all. complete is false when a first
// attempt did not find all documents.
func (c *Client) write(ctx context.Context, f *flight) (complete bool, err error) {
	var made, added []mongo.WriteModel
	for i := range f.changes.Findings {
		made = append(made, creations(&f.changes.Findings[i], f.again)...)
		added = append(added, f.addition(&f.changes.Findings[i]))
	}
	if complete, err = c.bulk(ctx, f, findings, made, added); err != nil || !complete {
		return complete, err
	}
	made, added = nil, nil
	for _, n := range f.sums() {
		if f.again || !c.created[n.id] {
			made = append(made, upsert(n.id, namespace{Database: n.Database, Collection: n.Collection, Writes: []string{}}))
		}
		added = append(added, f.sum(n))
	}
	if complete, err = c.bulk(ctx, f, namespaces, made, added); err == nil {
		for _, n := range f.sums() {
			c.created[n.id] = true
		}
	}
	return complete, err
}

// bulk sends statements: those that make documents in their order, then the others.
func (c *Client) bulk(ctx context.Context, f *flight, name string, made, added []mongo.WriteModel) (complete bool, err error) {
	for chunk := range slices.Chunk(made, maxModels) {
		if _, err := c.send(ctx, name, chunk, true); err != nil {
			return false, err
		}
	}
	matched := int64(0)
	for chunk := range slices.Chunk(added, maxModels) {
		n, err := c.send(ctx, name, chunk, false)
		if err != nil {
			return false, err
		}
		matched += n
	}
	return f.again || matched == int64(len(added)), nil
}

// filter finds a document that the write has not reached. A first attempt needs it as
// the others do: a server that has stalled may carry it out after them.
func (f *flight) filter(id string) bson.D {
	return bson.D{{Key: "_id", Value: id}, {Key: "writes", Value: bson.D{{Key: "$ne", Value: f.id}}}}
}

// mark is what an update says of the write itself.
func (f *flight) mark() bson.D {
	return bson.D{
		{Key: "$currentDate", Value: bson.D{{Key: "updated", Value: true}}},
		{Key: "$push", Value: bson.D{{Key: "writes", Value: bson.D{{Key: "$each", Value: bson.A{f.id}}, {Key: "$slice", Value: -maxWrites}}}}},
	}
}
