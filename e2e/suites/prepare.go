package main

import (
	"context"
	"fmt"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
)

// createUser uses that a server without users lets loopback make the first.
func (d *deployment) createUser(ctx context.Context) error {
	return d.admin(ctx, options.Client().ApplyURI(d.plainURI()), bson.D{
		{Key: "createUser", Value: user},
		{Key: "pwd", Value: password},
		{Key: "roles", Value: bson.A{"root"}},
		{Key: "mechanisms", Value: bson.A{d.cell.Login}},
	}, nil)
}

// patient gives the set the times that servers have by default. It was started
// with short ones, by which a busy machine would see elections nobody asked for.
func (d *deployment) patient(ctx context.Context) error {
	opts := options.Client().ApplyURI(d.plainURI())
	if d.cell.Login != off {
		opts.SetAuth(options.Credential{Username: user, Password: password, AuthSource: "admin", AuthMechanism: d.cell.Login})
	}
	var got struct{ Config bson.M }
	if err := d.admin(ctx, opts, bson.D{{Key: "replSetGetConfig", Value: 1}}, &got); err != nil {
		return err
	}
	version, ok := got.Config["version"].(int32)
	if !ok {
		return fmt.Errorf("replSetGetConfig: version is %v", got.Config["version"])
	}
	got.Config["version"] = version + 1
	got.Config["settings"] = bson.D{
		{Key: "electionTimeoutMillis", Value: 10_000},
		{Key: "heartbeatIntervalMillis", Value: 2000},
		{Key: "heartbeatTimeoutSecs", Value: 10},
	}
	return d.admin(ctx, opts, bson.D{{Key: "replSetReconfig", Value: got.Config}}, nil)
}

func (d *deployment) admin(ctx context.Context, opts *options.ClientOptions, command bson.D, into any) error {
	client, err := mongo.Connect(opts)
	if err != nil {
		return err
	}
	defer func() { _ = client.Disconnect(context.WithoutCancel(ctx)) }()
	result := client.Database("admin").RunCommand(ctx, command)
	if err := result.Err(); err != nil {
		return fmt.Errorf("%s: %w", command[0].Key, err)
	}
	if into == nil {
		return nil
	}
	return result.Decode(into)
}
