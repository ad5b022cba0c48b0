package main

import (
	"context"
	"errors"
	"sync"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
)

func transactions() []test {
	return []test{
		{name: "transaction/commit", set: true, run: func(a *app) error {
			return a.transact(func(ctx context.Context, s *mongo.Session) error {
				if _, err := a.things().InsertMany(ctx, numbered(0, 10)); err != nil {
					return err
				}
				outside, err := a.things().CountDocuments(a, bson.D{})
				if err != nil {
					return err
				}
				if err := s.CommitTransaction(ctx); err != nil {
					return err
				}
				n, err := a.things().CountDocuments(a, bson.D{})
				return errors.Join(err, want("outside", outside, 0), want("after", n, 10))
			})
		}},
		{name: "transaction/abort", set: true, run: func(a *app) error {
			return a.transact(func(ctx context.Context, s *mongo.Session) error {
				if _, err := a.things().InsertOne(ctx, d("_id", 1)); err != nil {
					return err
				}
				if err := s.AbortTransaction(ctx); err != nil {
					return err
				}
				n, err := a.things().CountDocuments(a, bson.D{})
				return errors.Join(err, want("after", n, 0))
			})
		}},
		{name: "transaction/conflict has its label", set: true, run: func(a *app) error {
			if _, err := a.things().InsertOne(a, d("_id", 1)); err != nil {
				return err
			}
			inc := d("$inc", d("n", 1))
			return a.transact(func(ctx context.Context, _ *mongo.Session) error {
				if _, err := a.things().UpdateOne(ctx, d("_id", 1), inc); err != nil {
					return err
				}
				return a.transact(func(other context.Context, _ *mongo.Session) error {
					_, err := a.things().UpdateOne(other, d("_id", 1), inc)
					var server mongo.ServerError
					if !errors.As(err, &server) {
						return errors.New("no conflict")
					}
					return errors.Join(wantCode(err, 112), want("label", server.HasErrorLabel("TransientTransactionError"), true))
				})
			})
		}},
		{name: "transaction/withTransaction retries conflicts", set: true, run: func(a *app) error {
			if _, err := a.things().InsertOne(a, bson.D{{Key: "_id", Value: 1}, {Key: "n", Value: 0}}); err != nil {
				return err
			}
			var group sync.WaitGroup
			errs := make([]error, 4)
			for i := range errs {
				group.Go(func() {
					errs[i] = a.client.UseSession(a, func(ctx context.Context) error {
						_, err := mongo.SessionFromContext(ctx).WithTransaction(ctx, func(ctx context.Context) (any, error) {
							return a.things().UpdateOne(ctx, d("_id", 1), d("$inc", d("n", 1)))
						})
						return err
					})
				})
			}
			group.Wait()
			var got struct{ N int }
			err := a.things().FindOne(a, d("_id", 1)).Decode(&got)
			return errors.Join(append(errs, err, want("n", got.N, 4))...)
		}},
		{name: "transaction/across databases", set: true, run: func(a *app) error {
			other := a.client.Database(a.db.Name() + "b").Collection("things")
			if err := other.Drop(a); err != nil {
				return err
			}
			return a.transact(func(ctx context.Context, s *mongo.Session) error {
				_, err1 := a.things().InsertOne(ctx, d("_id", 1))
				_, err2 := other.InsertOne(ctx, d("_id", 1))
				if err := errors.Join(err1, err2, s.CommitTransaction(ctx)); err != nil {
					return err
				}
				n, err := other.CountDocuments(a, bson.D{})
				return errors.Join(err, want("other", n, 1))
			})
		}},
		{name: "transaction/on a standalone", alone: true, run: func(a *app) error {
			err := a.transact(func(ctx context.Context, s *mongo.Session) error {
				if _, err := a.things().InsertOne(ctx, d("_id", 1)); err != nil {
					return err
				}
				return s.CommitTransaction(ctx)
			})
			return wantCode(err, 20)
		}},
	}
}

// transact runs work in a transaction that it must end itself; otherwise it is
// aborted.
func (a *app) transact(work func(context.Context, *mongo.Session) error) error {
	return a.client.UseSession(a, func(ctx context.Context) error {
		s := mongo.SessionFromContext(ctx)
		if err := s.StartTransaction(); err != nil {
			return err
		}
		return work(ctx, s)
	})
}
