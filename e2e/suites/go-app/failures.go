package main

import (
	"context"
	"errors"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
)

// failing has the server fail commands of this application, and returns how to
// end that.
func (a *app) failing(mode any, data bson.D) (func(), error) {
	data = append(data, bson.E{Key: "appName", Value: "failing"})
	admin := a.client.Database("admin")
	point := func(mode any, data bson.D) error {
		c := bson.D{{Key: "configureFailPoint", Value: "failCommand"}, {Key: "mode", Value: mode}}
		if data != nil {
			c = append(c, bson.E{Key: "data", Value: data})
		}
		return admin.RunCommand(a, c).Err()
	}
	return func() { _ = point("off", nil) }, point(mode, data)
}

// second is a client of its own, with further options.
func (a *app) second(more ...*options.ClientOptions) (*mongo.Client, error) {
	// a server that said it is changing its state is looked at again soon
	first := options.Client().ApplyURI(a.uri).SetAppName("failing").SetHeartbeatInterval(500 * time.Millisecond)
	o := append([]*options.ClientOptions{first}, more...)
	return mongo.Connect(o...)
}

func failures() []test {
	once := d("times", 1)
	// with runs work on a second client while the server fails its commands.
	with := func(mode any, data bson.D, work func(*app, *mongo.Collection) error, more ...*options.ClientOptions) func(*app) error {
		return func(a *app) error {
			if _, err := a.things().InsertOne(a, d("_id", 0)); err != nil {
				return err
			}
			c, err := a.second(more...)
			if err != nil {
				return err
			}
			defer func() { _ = c.Disconnect(context.WithoutCancel(a)) }()
			end, err := a.failing(mode, data)
			if err != nil {
				return err
			}
			defer end()
			return work(a, c.Database(a.db.Name()).Collection("things"))
		}
	}
	find := func(a *app, c *mongo.Collection) error { return c.FindOne(a, bson.D{}).Err() }
	insert := func(a *app, c *mongo.Collection) error { _, err := c.InsertOne(a, bson.D{}); return err }
	fails := func(code int, work func(*app, *mongo.Collection) error) func(*app, *mongo.Collection) error {
		return func(a *app, c *mongo.Collection) error { return wantCode(work(a, c), code) }
	}
	network := func(work func(*app, *mongo.Collection) error) func(*app, *mongo.Collection) error {
		return func(a *app, c *mongo.Collection) error {
			return want("network error", mongo.IsNetworkError(work(a, c)), true)
		}
	}
	never := options.Client().SetRetryReads(false).SetRetryWrites(false)
	commands := func(name string, more ...bson.E) bson.D {
		return append(bson.D{{Key: "failCommands", Value: bson.A{name}}}, more...)
	}
	code := func(n int) bson.E { return bson.E{Key: "errorCode", Value: n} }
	closes := bson.E{Key: "closeConnection", Value: true}
	return []test{
		{name: "failure/read is retried", run: with(once, commands("find", code(11602)), find)},
		{name: "failure/read is retried on a new connection", run: with(once, commands("find", closes), find)},
		{name: "failure/read fails", run: with("alwaysOn", commands("find", code(50)), fails(50, find), never)},
		{name: "failure/connection closed", run: with(once, commands("find", closes), network(find), never)},
		{name: "failure/connection closed on a write", run: with(once, commands("insert", closes), network(insert), never)},
		{name: "failure/write is retried", set: true, run: with(once, commands("insert", closes), insert)},
		{name: "failure/write is retried after an error with label", set: true, run: with(once,
			commands("insert", code(91), bson.E{Key: "errorLabels", Value: bson.A{"RetryableWriteError"}}), insert)},
		{name: "failure/write concern", run: with(once, commands("insert", bson.E{Key: "writeConcernError", Value: bson.D{{Key: "code", Value: 100}, {Key: "errmsg", Value: "no"}}}),
			fails(100, insert), never)},
		{name: "failure/server is slow, client gives up", run: with("alwaysOn",
			commands("find", bson.E{Key: "blockConnection", Value: true}, bson.E{Key: "blockTimeMS", Value: 3000}), func(a *app, c *mongo.Collection) error {
				ctx, cancel := context.WithTimeout(a, 200*time.Millisecond)
				defer cancel()
				return want("timeout", mongo.IsTimeout(c.FindOne(ctx, bson.D{}).Err()), true)
			})},
		{name: "failure/maxTimeMS", run: func(a *app) error {
			if _, err := a.things().InsertMany(a, numbered(0, 10)); err != nil {
				return err
			}
			// without a deadline, which the driver would make a maxTimeMS of its own
			err := a.db.RunCommand(context.WithoutCancel(a), bson.D{
				{Key: "find", Value: "things"},
				{Key: "filter", Value: d("$where", "sleep(1000); return true")},
				{Key: "maxTimeMS", Value: 50},
			}).Err()
			return wantCode(err, 50)
		}},
		{name: "failure/validation and codes", run: func(a *app) error {
			if err := a.db.CreateCollection(a, "strict", options.CreateCollection().SetValidator(d("n", d("$type", "int")))); err != nil {
				return err
			}
			_, invalid := a.db.Collection("strict").InsertOne(a, d("n", "text"))
			again := a.db.CreateCollection(a, "strict", options.CreateCollection().SetCapped(true).SetSizeInBytes(4096))
			unknown := a.db.RunCommand(a, d("noSuchCommand", 1)).Err()
			return errors.Join(wantCode(invalid, 121), wantCode(again, 48), wantCode(unknown, 59))
		}},
	}
}
