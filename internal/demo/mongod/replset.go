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
	client, err := mongo.Connect(options.Client().ApplyURI(p.URI()).SetAppName("mongoadvisor"))
	if err != nil {
		return fmt.Errorf("mongod: %w", err)
	}
	defer func() { _ = client.Disconnect(context.WithoutCancel(ctx)) }()
	config := bson.D{{Key: "_id", Value: p.opts.ReplSet}, {Key: "members", Value: bson.A{
		bson.D{{Key: "_id", Value: 0}, {Key: "host", Value: p.Addr()}},
	}}}
	if err := client.Database("admin").RunCommand(ctx, bson.D{{Key: "replSetInitiate", Value: config}}).Err(); err != nil {
		return fmt.Errorf("replSetInitiate: %w", err)
	}
	return p.awaitPrimary(ctx)
}

// awaitPrimary returns when the server takes writes.
func (p *Process) awaitPrimary(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	client, err := mongo.Connect(options.Client().ApplyURI(p.URI()).SetAppName("mongoadvisor"))
	if err != nil {
		return fmt.Errorf("mongod: %w", err)
	}
	defer func() { _ = client.Disconnect(context.WithoutCancel(ctx)) }()
	for {
		var hello struct {
			Primary bool `bson:"isWritablePrimary"`
		}
		if err := client.Database("admin").RunCommand(ctx, bson.D{{Key: "hello", Value: 1}}).Decode(&hello); err == nil && hello.Primary {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("replica set %s has no primary: %w", p.opts.ReplSet, ctx.Err())
		case <-time.After(20 * time.Millisecond):
		}
	}
}
