package main

import (
	"errors"
	"sync"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
	"go.mongodb.org/mongo-driver/v2/mongo/readconcern"
	"go.mongodb.org/mongo-driver/v2/mongo/readpref"
)

func sessions() []test {
	return []test{
		{name: "session/causally consistent reads of secondaries", set: true, run: func(a *app) error {
			s, err := a.client.StartSession(options.Session().SetCausalConsistency(true))
			if err != nil {
				return err
			}
			defer s.EndSession(a)
			c := a.db.Collection("things", options.Collection().SetReadPreference(readpref.SecondaryPreferred()).SetReadConcern(readconcern.Majority()))
			ctx := mongo.NewSessionContext(a, s)
			for i := range 20 {
				if _, err := c.InsertOne(ctx, d("_id", i)); err != nil {
					return err
				}
				n, err := c.CountDocuments(ctx, bson.D{})
				if err := errors.Join(err, want("count", n, int64(i+1))); err != nil {
					return err
				}
			}
			return nil
		}},
		{name: "session/snapshot", set: true, run: func(a *app) error {
			if _, err := a.things().InsertMany(a, numbered(0, 10)); err != nil {
				return err
			}
			s, err := a.client.StartSession(options.Session().SetSnapshot(true))
			if err != nil {
				return err
			}
			defer s.EndSession(a)
			ctx := mongo.NewSessionContext(a, s)
			count := func() (n int64, err error) {
				values := []int{}
				err = a.things().Distinct(ctx, "_id", bson.D{}).Decode(&values)
				return int64(len(values)), err
			}
			before, err := count()
			if err != nil {
				return err
			}
			if _, err := a.things().InsertMany(a, numbered(10, 10)); err != nil {
				return err
			}
			after, err := count()
			return errors.Join(err, want("before", before, 10), want("after", after, 10))
		}},
		{name: "session/many at once", run: func(a *app) error {
			var group sync.WaitGroup
			errs := make([]error, 40)
			for i := range errs {
				group.Go(func() {
					for j := range 10 {
						if _, err := a.things().InsertOne(a, d("_id", i*10+j)); err != nil {
							errs[i] = err
						}
					}
				})
			}
			group.Wait()
			n, err := a.things().CountDocuments(a, bson.D{})
			return errors.Join(append(errs, err, want("count", n, 400))...)
		}},
	}
}
