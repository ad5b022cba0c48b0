package main

import (
	"context"
	"errors"
	"strings"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
)

// kinds reads n changes and names them.
func kinds(ctx context.Context, s *mongo.ChangeStream, n int) (string, error) {
	var got []string
	for range n {
		if !s.Next(ctx) {
			return strings.Join(got, " "), errors.Join(s.Err(), errors.New("no more changes"))
		}
		got = append(got, s.Current.Lookup("operationType").StringValue())
	}
	return strings.Join(got, " "), nil
}

func streams() []test {
	return []test{
		{name: "stream/of a collection, a database and all", set: true, run: func(a *app) error {
			if err := a.db.CreateCollection(a, "things"); err != nil {
				return err
			}
			here := mongo.Pipeline{d("$match", d("ns.db", a.db.Name()))}
			of, err1 := a.things().Watch(a, mongo.Pipeline{})
			db, err2 := a.db.Watch(a, mongo.Pipeline{})
			all, err3 := a.client.Watch(a, here)
			if err := errors.Join(err1, err2, err3); err != nil {
				return err
			}
			_, err1 = a.things().InsertOne(a, d("_id", 1))
			_, err2 = a.things().UpdateOne(a, d("_id", 1), d("$set", d("n", 1)))
			_, err3 = a.things().DeleteOne(a, d("_id", 1))
			errs := []error{err1, err2, err3, a.things().Drop(a)}
			for _, s := range []*mongo.ChangeStream{of, db, all} {
				got, err := kinds(a, s, 4)
				errs = append(errs, err, want("changes", got, "insert update delete drop"), s.Close(a))
			}
			return errors.Join(errs...)
		}},
		{name: "stream/resumed after a token", set: true, run: func(a *app) error {
			s, err := a.things().Watch(a, mongo.Pipeline{})
			if err != nil {
				return err
			}
			if _, err := a.things().InsertMany(a, numbered(0, 20)); err != nil {
				return err
			}
			if _, err := kinds(a, s, 5); err != nil {
				return err
			}
			token := s.ResumeToken()
			if err := s.Close(a); err != nil {
				return err
			}
			s, err = a.things().Watch(a, mongo.Pipeline{}, options.ChangeStream().SetResumeAfter(token).SetFullDocument(options.UpdateLookup))
			if err != nil {
				return err
			}
			defer func() { _ = s.Close(a) }()
			_, err = kinds(a, s, 1)
			return errors.Join(err, want("_id", s.Current.Lookup("fullDocument", "_id").Int32(), 5))
		}},
		{name: "stream/resumed by the driver after an error", set: true, run: func(a *app) error {
			c, err := a.second()
			if err != nil {
				return err
			}
			defer func() { _ = c.Disconnect(context.WithoutCancel(a)) }()
			s, err := c.Database(a.db.Name()).Collection("things").Watch(a, mongo.Pipeline{})
			if err != nil {
				return err
			}
			defer func() { _ = s.Close(context.WithoutCancel(a)) }()
			end, err := a.failing(d("times", 1), bson.D{
				{Key: "failCommands", Value: bson.A{"getMore"}},
				{Key: "closeConnection", Value: true},
			})
			if err != nil {
				return err
			}
			defer end()
			if _, err := a.things().InsertMany(a, numbered(0, 3)); err != nil {
				return err
			}
			got, err := kinds(a, s, 3)
			return errors.Join(err, want("changes", got, "insert insert insert"))
		}},
		{name: "stream/waits for what comes later", set: true, run: func(a *app) error {
			s, err := a.things().Watch(a, mongo.Pipeline{}, options.ChangeStream().SetMaxAwaitTime(100*time.Millisecond))
			if err != nil {
				return err
			}
			defer func() { _ = s.Close(a) }()
			if s.TryNext(a) {
				return errors.New("a change before there was one")
			}
			done := make(chan error, 1)
			go func() {
				time.Sleep(300 * time.Millisecond) // several empty answers
				_, err := a.things().InsertOne(a, d("_id", 1))
				done <- err
			}()
			got, err := kinds(a, s, 1)
			return errors.Join(err, <-done, want("change", got, "insert"))
		}},
		{name: "stream/not on a standalone", alone: true, run: func(a *app) error {
			_, err := a.things().Watch(a, mongo.Pipeline{})
			return wantCode(err, 40573)
		}},
	}
}
