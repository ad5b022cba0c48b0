// Command go-app does what applications do, with the Go driver, and looks at the
// results: values, counts, error codes and labels, never addresses or times.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
)

// guard ends a test that hangs.
const guard = 60 * time.Second

// test is one test, and what it is only for.
type test struct {
	name  string
	set   bool // a replica set
	alone bool // a standalone server
	login bool // a server that asks for a user
	run   func(*app) error
}

// app is what a test works with.
type app struct {
	context.Context
	uri    string
	client *mongo.Client
	db     *mongo.Database // its own, empty at the start
}

func main() {
	if err := run(context.Background()); err != nil {
		fmt.Fprintln(os.Stderr, "go-app:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context) error {
	uri := os.Getenv("MONGODB_URI")
	client, err := mongo.Connect(options.Client().ApplyURI(uri).SetAppName("go-app"))
	if err != nil {
		return err
	}
	defer func() { _ = client.Disconnect(ctx) }()
	var hello struct {
		SetName     string
		Compression []string
	}
	if err := client.Database("admin").RunCommand(ctx, bson.D{{Key: "hello", Value: 1}}).Decode(&hello); err != nil {
		return err
	}
	only := strings.Split(os.Getenv("SUITE_ONLY"), "\n")
	for i, t := range slices.Concat(crud(), bulk(), cursors(), failures(), sessions(), transactions(), streams(), files(), events(), connections()) {
		if only[0] != "" && !slices.Contains(only, t.name) {
			continue
		}
		inSet, login := hello.SetName != "", options.Client().ApplyURI(uri).Auth != nil
		if t.set && !inSet || t.alone && inSet || t.login && !login {
			fmt.Printf("skip\t%s\n", t.name)
			continue
		}
		outcome := "pass"
		if err := play(ctx, t, &app{uri: uri, client: client, db: client.Database(fmt.Sprintf("app%d", i))}); err != nil {
			outcome = "fail"
			fmt.Fprintf(os.Stderr, "%s: %v\n", t.name, err)
		}
		fmt.Printf("%s\t%s\n", outcome, t.name)
	}
	return nil
}

func play(ctx context.Context, t test, a *app) error {
	ctx, cancel := context.WithTimeout(ctx, guard)
	defer cancel()
	a.Context = ctx
	if err := a.db.Drop(a); err != nil {
		return err
	}
	return t.run(a)
}

// things is a collection of the test's own.
func (a *app) things() *mongo.Collection { return a.db.Collection("things") }

// want compares what came with what should have.
func want[T comparable](what string, got, want T) error {
	if got != want {
		return fmt.Errorf("%s: %v, want %v", what, got, want)
	}
	return nil
}

// wantCode looks at the code of a server's error.
func wantCode(err error, code int) error {
	var server mongo.ServerError
	if !errors.As(err, &server) {
		return fmt.Errorf("%w is no server's error, want code %d", err, code)
	}
	if !server.HasErrorCode(code) {
		return fmt.Errorf("%w: want code %d", err, code)
	}
	return nil
}

// numbered are documents {_id: from}, {_id: from+1} and so on.
func numbered(from, n int) []any {
	var docs []any
	for i := range n {
		docs = append(docs, bson.D{{Key: "_id", Value: from + i}, {Key: "n", Value: (from + i) % 10}})
	}
	return docs
}

func d(key string, value any) bson.D { return bson.D{{Key: key, Value: value}} }
