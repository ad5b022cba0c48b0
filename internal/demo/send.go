package demo

import (
	"context"
	"errors"
	"fmt"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
)

// commentKey is the key of the comment in a context.
type commentKey struct{}

// withComment puts a comment on every operation that is sent under the context.
func withComment(ctx context.Context, comment string) context.Context {
	return context.WithValue(ctx, commentKey{}, comment)
}

func commentOf(ctx context.Context) string {
	c, _ := ctx.Value(commentKey{}).(string)
	return c
}

// run sends a command as an application does: writes through the driver's own
// methods, which send their statements as document sequences, and everything
// else as it is written. It drains the cursor, if there is one.
func run(ctx context.Context, db *mongo.Database, command bson.D) error {
	switch command[0].Key {
	case "insert":
		return insert(ctx, db, command)
	case "update":
		return update(ctx, db, command)
	}
	if c := commentOf(ctx); c != "" { // a copy: sides share their commands
		command = append(command[:len(command):len(command)], bson.E{Key: "comment", Value: c})
	}
	var reply struct {
		Cursor struct {
			ID int64 `bson:"id"`
		} `bson:"cursor"`
	}
	if err := db.RunCommand(ctx, command).Decode(&reply); err != nil {
		return err
	}
	for reply.Cursor.ID != 0 {
		next := d("getMore", reply.Cursor.ID, "collection", command[0].Value)
		if size := field(command, "batchSize"); size != nil {
			next = append(next, bson.E{Key: "batchSize", Value: size})
		}
		reply.Cursor.ID = 0
		if err := db.RunCommand(ctx, next).Decode(&reply); err != nil {
			return err
		}
	}
	return nil
}

func insert(ctx context.Context, db *mongo.Database, command bson.D) error {
	opts := options.InsertMany()
	if c := commentOf(ctx); c != "" {
		opts.SetComment(c)
	}
	docs, ok := field(command, "documents").(bson.A)
	if !ok {
		return errors.New("insert without documents")
	}
	_, err := db.Collection(command[0].Value.(string)).InsertMany(ctx, []any(docs), opts)
	return err
}

// update sends the statements one by one: an exercise has one.
func update(ctx context.Context, db *mongo.Database, command bson.D) error {
	coll := db.Collection(command[0].Value.(string))
	statements, _ := field(command, "updates").(bson.A)
	for _, s := range statements {
		s, ok := s.(bson.D)
		if !ok {
			return fmt.Errorf("update of %s: a statement is %T", coll.Name(), s)
		}
		if err := updateWith(ctx, coll, s); err != nil {
			return err
		}
	}
	return nil
}

func updateWith(ctx context.Context, coll *mongo.Collection, s bson.D) error {
	comment := commentOf(ctx)
	if field(s, "multi") == true {
		opts := options.UpdateMany()
		if comment != "" {
			opts.SetComment(comment)
		}
		_, err := coll.UpdateMany(ctx, field(s, "q"), field(s, "u"), opts)
		return err
	}
	opts := options.UpdateOne().SetUpsert(field(s, "upsert") == true)
	if comment != "" {
		opts.SetComment(comment)
	}
	_, err := coll.UpdateOne(ctx, field(s, "q"), field(s, "u"), opts)
	return err
}

// field is the value of a key, or nil.
func field(doc bson.D, key string) any {
	for _, e := range doc {
		if e.Key == key {
			return e.Value
		}
	}
	return nil
}

// first reads one document and what the next query takes from it.
func first(ctx context.Context, db *mongo.Database, coll string, filter bson.D, into any) error {
	opts := options.FindOne()
	if c := commentOf(ctx); c != "" {
		opts.SetComment(c)
	}
	return db.Collection(coll).FindOne(ctx, filter, opts).Decode(into)
}
