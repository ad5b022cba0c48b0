package main

import (
	"errors"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
)

func cursors() []test {
	return []test{
		{name: "cursor/small batches", run: func(a *app) error {
			if _, err := a.things().InsertMany(a, numbered(0, 1000)); err != nil {
				return err
			}
			cursor, err := a.things().Find(a, bson.D{}, options.Find().SetBatchSize(7).SetSort(d("_id", 1)))
			if err != nil {
				return err
			}
			next := 0
			for cursor.Next(a) {
				if err := want("_id", int(cursor.Current.Lookup("_id").Int32()), next); err != nil {
					return err
				}
				next++
			}
			return errors.Join(cursor.Err(), want("documents", next, 1000))
		}},
		{name: "cursor/closed early", run: func(a *app) error {
			if _, err := a.things().InsertMany(a, numbered(0, 100)); err != nil {
				return err
			}
			cursor, err := a.things().Find(a, bson.D{}, options.Find().SetBatchSize(2))
			if err != nil {
				return err
			}
			id, more := cursor.ID(), cursor.Next(a)
			if err := errors.Join(want("more", more, true), cursor.Close(a)); err != nil {
				return err
			}
			err = a.db.RunCommand(a, bson.D{{Key: "getMore", Value: id}, {Key: "collection", Value: "things"}}).Err()
			return wantCode(err, 43)
		}},
		{name: "cursor/tailable, awaited", run: func(a *app) error {
			if err := a.db.CreateCollection(a, "log", options.CreateCollection().SetCapped(true).SetSizeInBytes(1<<20)); err != nil {
				return err
			}
			log := a.db.Collection("log")
			if _, err := log.InsertOne(a, d("_id", 1)); err != nil {
				return err
			}
			cursor, err := log.Find(a, bson.D{}, options.Find().SetCursorType(options.TailableAwait).SetMaxAwaitTime(100*time.Millisecond))
			if err != nil {
				return err
			}
			defer func() { _ = cursor.Close(a) }()
			if !cursor.Next(a) {
				return errors.Join(cursor.Err(), errors.New("no first document"))
			}
			added := make(chan error, 1)
			go func() { _, err := log.InsertOne(a, d("_id", 2)); added <- err }()
			if !cursor.Next(a) {
				return errors.Join(cursor.Err(), errors.New("no second document"))
			}
			return errors.Join(<-added, want("_id", cursor.Current.Lookup("_id").Int32(), 2))
		}},
		{name: "cursor/aggregate in batches", run: func(a *app) error {
			if _, err := a.things().InsertMany(a, numbered(0, 500)); err != nil {
				return err
			}
			cursor, err := a.things().Aggregate(a, mongo.Pipeline{d("$match", d("n", d("$lt", 5))), d("$sort", d("_id", -1))}, options.Aggregate().SetBatchSize(11))
			if err != nil {
				return err
			}
			var got []bson.Raw
			err = cursor.All(a, &got)
			return errors.Join(err, want("documents", len(got), 250))
		}},
		{name: "cursor/lists of many collections", run: func(a *app) error {
			for i := range 30 {
				if err := a.db.CreateCollection(a, "c"+string(rune('a'+i%26))+string(rune('a'+i/26))); err != nil {
					return err
				}
			}
			cursor, err := a.db.ListCollections(a, bson.D{}, options.ListCollections().SetBatchSize(4))
			if err != nil {
				return err
			}
			var got []bson.Raw
			err = cursor.All(a, &got)
			return errors.Join(err, want("collections", len(got), 30))
		}},
	}
}
