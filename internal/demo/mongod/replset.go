package mongod

import (
	"context"
	"fmt"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
)

// initiate makes the server the only member of its replica set and waits until
// it is the primary.
func (p *Process) initiate(ctx context.Context) error {
	config := bson.D{{Key: "_id", Value: p.opts.ReplSet}, {Key: "members", Value: bson.A{
		bson.D{{Key: "_id", Value: 0}, {Key: "host", Value: p.Addr()}},
	}}}
	if err := p.admin(ctx, bson.D{{Key: "replSetInitiate", Value: config}}, nil); err != nil {
		return err
	}
	return p.awaitPrimary(ctx)
}

// awaitPrimary returns when the server takes writes.
func (p *Process) awaitPrimary(ctx context.Context) error {
	return poll(ctx, "replica set "+p.opts.ReplSet+" has no primary", func(ctx context.Context) bool {
		hello, err := p.hello(ctx)
		return err == nil && hello.Primary
	})
}

// hello is what a server says of its part in a set. It needs no user.
type hello struct {
	Primary   bool `bson:"isWritablePrimary"`
	Secondary bool `bson:"secondary"`
	Arbiter   bool `bson:"arbiterOnly"`
}

func (p *Process) hello(ctx context.Context) (h hello, err error) {
	return h, p.admin(ctx, bson.D{{Key: "hello", Value: 1}}, &h)
}

// admin runs one command on the database admin, on a connection of its own.
func (p *Process) admin(ctx context.Context, command bson.D, into any) error {
	client, err := mongo.Connect(options.Client().ApplyURI(p.URI()).SetAppName("mongoadvisor").SetServerSelectionTimeout(5 * time.Second))
	if err != nil {
		return fmt.Errorf("mongod: %w", err)
	}
	defer func() { _ = client.Disconnect(context.WithoutCancel(ctx)) }()
	result := client.Database("admin").RunCommand(ctx, command)
	if err := result.Err(); err != nil {
		return fmt.Errorf("%s on %s: %w", command[0].Key, p.Addr(), err)
	}
	if into == nil {
		return nil
	}
	return result.Decode(into)
}

// poll asks until the answer is yes, or with an error that says what is not so.
func poll(ctx context.Context, what string, ok func(context.Context) bool) error {
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	for !ok(ctx) {
		select {
		case <-ctx.Done():
			return fmt.Errorf("%s: %w", what, ctx.Err())
		case <-time.After(20 * time.Millisecond):
		}
	}
	return nil
}
