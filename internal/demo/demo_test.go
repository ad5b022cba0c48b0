package demo

import (
	"context"
	"strings"
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/event"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"mongoadvisor/internal/demo/mongod/mongodtest"
)

func connect(t *testing.T, uri string, opts *options.ClientOptions) *mongo.Client {
	t.Helper()
	client, err := mongo.Connect(opts.ApplyURI(uri))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = client.Disconnect(context.Background()) })
	return client
}

// TestShop takes one server through the whole demo: to start and fill one takes
// seconds.
func TestShop(t *testing.T) {
	uri := mongodtest.Start(t).URI()
	client := connect(t, uri, options.Client())
	db := client.Database(Database)
	if err := Seed(t.Context(), client); err != nil {
		t.Fatal(err)
	}
	seeded := contents(t, db)
	t.Run("run", func(t *testing.T) { runs(t, uri) })
	t.Run("proofs", func(t *testing.T) { proves(t, client) })
	t.Run("nested sets stay whole", func(t *testing.T) { nested(t, db) })
	t.Run("seed again", func(t *testing.T) {
		if err := Seed(t.Context(), client); err != nil {
			t.Fatal(err)
		}
		for name, hash := range contents(t, db) {
			if seeded[name] != hash {
				t.Errorf("%s differs from the first time", name)
			}
			delete(seeded, name)
		}
		for name := range seeded {
			t.Errorf("%s is gone", name)
		}
	})
}

// contents hashes every collection.
func contents(t *testing.T, db *mongo.Database) map[string]string {
	t.Helper()
	var reply struct {
		Collections map[string]string `bson:"collections"`
	}
	if err := db.RunCommand(t.Context(), d("dbHash", 1)).Decode(&reply); err != nil {
		t.Fatal(err)
	}
	if len(reply.Collections) < 10 {
		t.Fatalf("%d collections", len(reply.Collections))
	}
	return reply.Collections
}

// runs does two rounds twice, so that nothing depends on a fresh shop, and sees
// that each side comes from its own client.
func runs(t *testing.T, uri string) {
	var uncommented []string
	watch := func(want bool) *options.ClientOptions {
		return options.Client().SetMonitor(&event.CommandMonitor{Started: func(_ context.Context, e *event.CommandStartedEvent) {
			switch e.CommandName {
			case "getMore", "endSessions":
			default:
				if _, err := e.Command.LookupErr("comment"); (err == nil) != want {
					uncommented = append(uncommented, e.CommandName)
				}
			}
		}})
	}
	avoid, prefer := connect(t, uri, watch(false)), connect(t, uri, watch(true))
	var told []string
	for range 2 {
		err := Run(t.Context(), avoid, prefer, 2, func(done, total int, name string) {
			told = append(told, name)
			if total != len(Exercises()) || done >= total {
				t.Errorf("told of %d of %d", done, total)
			}
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if len(told) != 2*len(Exercises()) {
		t.Errorf("told of %d exercises", len(told))
	}
	if len(uncommented) > 0 {
		t.Errorf("a comment is missing on the preferred side or is on the avoided one: %v", uncommented)
	}
}

func proves(t *testing.T, client *mongo.Client) {
	results, err := Prove(t.Context(), client)
	if err != nil {
		t.Fatal(err)
	}
	rules := map[string]bool{}
	for _, r := range results {
		t.Logf("%s %s: keys %d, %d; documents %d, %d; returned %d, %d", r.Rule, r.Title,
			r.KeysBefore, r.KeysAfter, r.DocsBefore, r.DocsAfter, r.ReturnedBefore, r.ReturnedAfter)
		rules[r.Rule] = true
		if r.ReturnedAfter == 0 {
			t.Errorf("%s: returns nothing", r.Title)
		}
		if !r.SameResult {
			missing(t, client.Database(Database), r)
			continue
		}
		if r.ReturnedBefore != r.ReturnedAfter {
			t.Errorf("%s: returned %d, then %d", r.Title, r.ReturnedBefore, r.ReturnedAfter)
		}
		if before, after := r.KeysBefore+r.DocsBefore, r.KeysAfter+r.DocsAfter; after*2 > before {
			t.Errorf("%s: examined %d keys and documents, then %d", r.Title, before, after)
		}
	}
	for _, rule := range []string{"Q01", "Q02", "Q03", "A02"} {
		if !rules[rule] {
			t.Errorf("no proof of %s", rule)
		}
	}
}

// missing checks a proof of wrong results: a scan, which uses no index, finds
// with the first query what only the second finds otherwise.
func missing(t *testing.T, db *mongo.Database, r Result) {
	t.Helper()
	scan := append(r.before[:len(r.before):len(r.before)], d("hint", d("$natural", 1))...)
	_, _, all, err := explain(t.Context(), db, scan)
	if err != nil {
		t.Fatal(err)
	}
	if r.ReturnedBefore >= all || r.ReturnedAfter != all {
		t.Errorf("%s: returned %d, then %d; a scan finds %d", r.Title, r.ReturnedBefore, r.ReturnedAfter, all)
	}
}

// nested checks that the renumbering left a nested set: between a node's
// numbers are its descendants and nobody else.
func nested(t *testing.T, db *mongo.Database) {
	var top struct {
		Left  int `bson:"lft"`
		Right int `bson:"rgt"`
	}
	for _, id := range []string{"electronics", "home"} {
		if err := first(t.Context(), db, "categories", d("_id", id), &top); err != nil {
			t.Fatal(err)
		}
		inside := count(t, db, d("lft", d("$gt", top.Left, "$lt", top.Right)))
		if below := count(t, db, d("ancestors", id, "lft", d("$exists", true))); inside != below || inside == 0 {
			t.Errorf("%s: %d between its numbers, %d below it", id, inside, below)
		}
	}
}

func count(t *testing.T, db *mongo.Database, filter bson.D) int64 {
	t.Helper()
	n, err := db.Collection("categories").CountDocuments(t.Context(), filter)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func TestSeedRefusesAForeignShop(t *testing.T) {
	client := connect(t, mongodtest.Start(t).URI(), options.Client())
	theirs := client.Database(Database).Collection("orders")
	if _, err := theirs.InsertOne(t.Context(), d("_id", 1)); err != nil {
		t.Fatal(err)
	}
	if err := Seed(t.Context(), client); err == nil || !strings.Contains(err.Error(), "left alone") {
		t.Errorf("got %v", err)
	}
	if n, err := theirs.CountDocuments(t.Context(), d()); err != nil || n != 1 {
		t.Errorf("%d documents of theirs are left, %v", n, err)
	}
}
