package main

import (
	"context"
	"strings"
	"sync"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
)

// mongodLoads are those on a real mongod through the Go driver.
var mongodLoads = []load{
	{"find1", "find of one small document, 1 connection", "ops/s", driven(1, findOne)},
	{"find32", "find of one small document, 32 connections", "ops/s", driven(many, findOne)},
	{"insert32", "insert of 1 KiB, 32 connections", "ops/s", driven(many, insertOne)},
	{"bulk", "replies of 8 MiB, 2 connections", "replies/s", driven(2, findBulk)},
	{"churn", "connect, hello, close; 8 at a time", "conns/s", churn(8)},
}

func findOne(ctx context.Context, c *mongo.Client) (int64, error) {
	_, err := c.Database("bench").Collection(smallColl).FindOne(ctx, bson.D{{Key: "_id", Value: 1}}).Raw()
	return 0, err
}

var padding = strings.Repeat("x", 1000)

func insertOne(ctx context.Context, c *mongo.Client) (int64, error) {
	_, err := c.Database("bench").Collection("inserts").InsertOne(ctx, bson.D{{Key: "text", Value: padding}})
	return 0, err
}

// findBulk reads one reply of 8 MiB.
func findBulk(ctx context.Context, c *mongo.Client) (int64, error) {
	cursor, err := c.Database("bench").Collection(bulkColl).Find(ctx, bson.D{}, options.Find().SetBatchSize(bulkSize>>10+1))
	if err != nil {
		return 0, err
	}
	for cursor.RemainingBatchLength() > 0 && cursor.Next(ctx) { //nolint:revive // only read
	}
	return bulkSize, cursor.Close(ctx)
}

// fill makes what is read.
func fill(ctx context.Context, uri string) error {
	c, err := mongo.Connect(options.Client().ApplyURI(uri))
	if err != nil {
		return err
	}
	defer func() { _ = c.Disconnect(ctx) }()
	if _, err := c.Database("bench").Collection(smallColl).InsertOne(ctx, bson.D{{Key: "_id", Value: 1}, {Key: "name", Value: "somebody"}, {Key: "text", Value: padding[:120]}}); err != nil {
		return err
	}
	_, err = c.Database("bench").Collection(bulkColl).InsertMany(ctx, bulkDocs())
	return err
}

// driven repeats an operation of a driver's client, which has as many
// connections as there are goroutines.
func driven(conns int, do func(context.Context, *mongo.Client) (int64, error)) func(context.Context, place, time.Duration) (sample, error) {
	return func(ctx context.Context, at place, span time.Duration) (sample, error) {
		opts := options.Client().ApplyURI("mongodb://" + at.addr + "/?directConnection=true").SetAppName("bench").
			SetMaxPoolSize(uint64(conns)).SetMinPoolSize(uint64(conns)).SetTimeout(time.Minute)
		if at.tls != nil {
			opts.SetTLSConfig(at.tls)
		}
		c, err := mongo.Connect(opts)
		if err != nil {
			return sample{}, err
		}
		defer func() { _ = c.Disconnect(context.WithoutCancel(ctx)) }()
		if err := c.Database("bench").Collection("inserts").Drop(ctx); err != nil { // so that the folder does not grow from load to load
			return sample{}, err
		}
		var group sync.WaitGroup
		errs := make([]error, conns)
		for i := range conns { // the pool is full before the clock runs
			group.Go(func() { _, errs[i] = do(ctx, c) })
		}
		group.Wait()
		for _, err := range errs {
			if err != nil {
				return sample{}, err
			}
		}
		background := context.WithoutCancel(ctx) // the last operations end by themselves
		return repeat(ctx, conns, span, func(int) (int64, error) { return do(background, c) })
	}
}
