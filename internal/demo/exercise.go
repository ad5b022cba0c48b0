package demo

import (
	"context"
	"fmt"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
)

// Database is the shop's.
const Database = "shop"

// Exercise is one "do this, not that": the same need met in two ways.
type Exercise struct {
	Name      string
	Lesson    string   // what it teaches
	Rules     []string // rules of the catalogue that the avoided side breaks
	Namespace string   // where, without the database
	Field     string   // the field or array it is about; "" when there is none
	Why       string   // what the avoided side costs, or what the preferred one gives
	// Avoid and Prefer do one round of work each; n counts the rounds from 0.
	// Either may be nil.
	Avoid, Prefer func(ctx context.Context, db *mongo.Database, n int) error
}

// Exercises lists them in the order in which they run.
func Exercises() []Exercise {
	var out []Exercise
	for _, group := range [][]Exercise{
		arrays(), regexes(), searches(), joins(), copies(), trees(), walks(),
		computed(), batches(), documents(), flexible(), surveys(),
	} {
		out = append(out, group...)
	}
	return out
}

// Progress is told of each exercise before it runs.
type Progress func(done, total int, name string)

// Run does all exercises, each for the given rounds, the avoided side through
// one client and the preferred side through the other. The preferred side also
// puts a comment on its operations, so that they can be traced to their exercise.
func Run(ctx context.Context, avoid, prefer *mongo.Client, rounds int, progress Progress) error {
	list := Exercises()
	for i, e := range list {
		if progress != nil {
			progress(i, len(list), e.Name)
		}
		for n := range rounds {
			if e.Avoid != nil {
				if err := e.Avoid(ctx, avoid.Database(Database), n); err != nil {
					return fmt.Errorf("demo: %s, avoided side: %w", e.Name, err)
				}
			}
			if e.Prefer != nil {
				if err := e.Prefer(withComment(ctx, "exercise="+e.Name), prefer.Database(Database), n); err != nil {
					return fmt.Errorf("demo: %s, preferred side: %w", e.Name, err)
				}
			}
		}
	}
	return nil
}

// The commands below take documents as the server does, so that an exercise
// reads like the lesson it comes from.

// find builds a find; more are further fields of the command.
func find(coll string, filter bson.D, more ...any) bson.D {
	return append(d("find", coll, "filter", filter), d(more...)...)
}

func aggregate(coll string, pipeline bson.A, more ...any) bson.D {
	return append(d("aggregate", coll, "pipeline", pipeline, "cursor", d()), d(more...)...)
}

func updateOne(coll string, q, u any) bson.D {
	return d("update", coll, "updates", bson.A{d("q", q, "u", u)})
}

func upsertOne(coll string, q, u any) bson.D {
	return d("update", coll, "updates", bson.A{d("q", q, "u", u, "upsert", true)})
}

func updateMany(coll string, q, u any) bson.D {
	return d("update", coll, "updates", bson.A{d("q", q, "u", u, "multi", true)})
}

func insertOne(coll string, doc bson.D) bson.D {
	return d("insert", coll, "documents", bson.A{doc})
}

// side makes one side of an exercise out of commands that depend on the round.
func side(commands ...func(n int) bson.D) func(context.Context, *mongo.Database, int) error {
	return func(ctx context.Context, db *mongo.Database, n int) error {
		for _, c := range commands {
			command := c(n)
			if command == nil {
				continue
			}
			if err := run(ctx, db, command); err != nil {
				return err
			}
		}
		return nil
	}
}

// always sends the same command in every round.
func always(command bson.D) func(int) bson.D { return func(int) bson.D { return command } }

// once sends a command in the first round only, as a report that runs seldom.
func once(command bson.D) func(int) bson.D {
	return func(n int) bson.D {
		if n > 0 {
			return nil
		}
		return command
	}
}

// busy makes a side whose round sends its commands several times, as a page does
// that many people look at.
func busy(times int, commands ...func(n int) bson.D) func(context.Context, *mongo.Database, int) error {
	round := side(commands...)
	return func(ctx context.Context, db *mongo.Database, n int) error {
		for range times {
			if err := round(ctx, db, n); err != nil {
				return err
			}
		}
		return nil
	}
}
