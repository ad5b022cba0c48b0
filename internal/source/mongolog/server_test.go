package mongolog_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"mongoadvisor/internal/demo/mongod"
	"mongoadvisor/internal/demo/mongod/mongodtest"
	"mongoadvisor/internal/op"
	"mongoadvisor/internal/source/logged/loggedtest"
	"mongoadvisor/internal/source/mongolog"
	"mongoadvisor/internal/source/profiler"
)

// sent is the workload: what is sent, by command. The driver makes two commands of
// the updates in the batch: of one document each, and of many.
var sent = map[string]int{"insert": 2, "find": 25, "getMore": 2, "update": 5, "delete": 2, "findAndModify": 1, "aggregate": 1, "count": 1, "distinct": 1}

// workload sends it on one collection, with or without an index on the field that
// it looks for.
func workload(t *testing.T, coll *mongo.Collection) {
	t.Helper()
	ctx := t.Context()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	docs := make([]any, 2000)
	for i := range docs {
		docs[i] = bson.D{{Key: "_id", Value: i}, {Key: "k", Value: i % 500}, {Key: "n", Value: 0}}
	}
	_, err := coll.InsertMany(ctx, docs)
	must(err)
	_, err = coll.InsertOne(ctx, bson.D{{Key: "_id", Value: -1}})
	must(err)
	var all []bson.D
	for i := range 24 {
		cursor, err := coll.Find(ctx, bson.D{{Key: "k", Value: i}})
		must(err)
		must(cursor.All(ctx, &all))
	}
	cursor, err := coll.Find(ctx, bson.D{{Key: "k", Value: bson.D{{Key: "$lt", Value: 60}}}}, options.Find().SetBatchSize(100))
	must(err)
	must(cursor.All(ctx, &all))
	for i := range 3 {
		_, err = coll.UpdateOne(ctx, bson.D{{Key: "_id", Value: i}}, bson.D{{Key: "$inc", Value: bson.D{{Key: "n", Value: 1}}}})
		must(err)
	}
	_, err = coll.BulkWrite(ctx, []mongo.WriteModel{
		mongo.NewUpdateOneModel().SetFilter(bson.D{{Key: "_id", Value: 1}}).SetUpdate(bson.D{{Key: "$set", Value: bson.D{{Key: "a", Value: 1}}}}),
		mongo.NewUpdateOneModel().SetFilter(bson.D{{Key: "_id", Value: 2}}).SetUpdate(bson.D{{Key: "$set", Value: bson.D{{Key: "a", Value: 2}}}}),
		mongo.NewUpdateManyModel().SetFilter(bson.D{{Key: "_id", Value: 3}}).SetUpdate(bson.D{{Key: "$set", Value: bson.D{{Key: "a", Value: 3}}}}).SetUpsert(true),
		mongo.NewDeleteOneModel().SetFilter(bson.D{{Key: "_id", Value: 4}}),
	})
	must(err)
	_, err = coll.DeleteMany(ctx, bson.D{{Key: "_id", Value: bson.D{{Key: "$gt", Value: 1990}}}})
	must(err)
	must(coll.FindOneAndUpdate(ctx, bson.D{{Key: "_id", Value: 5}}, bson.D{{Key: "$set", Value: bson.D{{Key: "n", Value: 9}}}}).Err())
	cursor, err = coll.Aggregate(ctx, bson.A{bson.D{{Key: "$match", Value: bson.D{{Key: "k", Value: 7}}}}})
	must(err)
	must(cursor.All(ctx, &all))
	_, err = coll.EstimatedDocumentCount(ctx)
	must(err)
	must(coll.Distinct(ctx, "k", bson.D{}).Err())
}

// TestRealServer: a server that logs everything tells of each operation that was
// sent, once; and Q10 says where an index is missing, and only there.
func TestRealServer(t *testing.T) {
	path := filepath.Join(t.TempDir(), "mongod.log")
	server := mongodtest.StartWith(t, mongod.StartOptions{Args: []string{"--slowms", "0", "--profile", "2", "--logpath", path}})
	client, err := mongo.Connect(options.Client().ApplyURI(server.URI()).SetAppName("workload"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = client.Disconnect(t.Context()) }()
	db := client.Database("shop")
	if _, err := db.Collection("indexed").Indexes().CreateOne(t.Context(), mongo.IndexModel{Keys: bson.D{{Key: "k", Value: 1}}}); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"bare", "indexed"} {
		workload(t, db.Collection(name))
	}

	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	logs := loggedtest.New(t)
	l := mongolog.New(mongolog.Config{Emit: logs.Take})
	if err := l.Read(bytes.NewReader(raw)); err != nil {
		t.Fatal(err)
	}
	if c := l.Coverage(); len(c.Undecoded) > 0 || l.Has()&op.HasEvery == 0 {
		t.Errorf("%+v", c)
	}
	profile := loggedtest.New(t)
	p := profiler.New(profiler.Config{Emit: profile.Take})
	if err := p.Read(bytes.NewReader(dump(t, db))); err != nil {
		t.Fatal(err)
	}
	if c := p.Coverage(); len(c.Undecoded) > 0 {
		t.Errorf("%+v", c)
	}

	counted := func(ops []*op.Operation, coll string) map[string]int {
		out := map[string]int{}
		for _, o := range ops {
			if o.NS == (op.Namespace{DB: "shop", Coll: coll}) && o.Kind != op.KindDDL {
				out[o.Command]++
			}
		}
		return out
	}
	for _, name := range []string{"bare", "indexed"} {
		if got := counted(logs.Operations, name); fmt.Sprint(got) != fmt.Sprint(sent) {
			t.Errorf("log, %s: %v, want %v", name, got, sent)
		}
		got := counted(profile.Operations, name)
		got["update"]-- // of two in one command, which the profiler does not put together
		if fmt.Sprint(got) != fmt.Sprint(sent) {
			t.Errorf("profiler, %s: %v, want %v", name, got, sent)
		}
	}
	for _, o := range logs.Operations {
		if o.NS.DB == "shop" && (o.Conn.App != "workload" || !strings.HasPrefix(o.Conn.Driver, "mongo-go-driver ")) {
			t.Fatalf("%s: %+v", o.Command, o.Conn)
		}
	}
	for source, j := range map[string]*loggedtest.Judge{"log": logs, "profiler": profile} {
		found := map[string]bool{}
		for _, f := range j.Findings() {
			rule, rest, _ := strings.Cut(f, " ")
			ns, _, _ := strings.Cut(rest, " ")
			found[rule+" "+ns] = true
		}
		if !found["Q10/collscan shop.bare"] {
			t.Errorf("%s: Q10 does not tell of the missing index: %v", source, j.Findings())
		}
		for f := range found {
			if strings.HasPrefix(f, "Q10") && strings.HasSuffix(f, "indexed") {
				t.Errorf("%s: %s", source, f)
			}
		}
	}
}

// dump is system.profile as mongodump writes it.
func dump(t *testing.T, db *mongo.Database) []byte {
	t.Helper()
	cursor, err := db.Collection("system.profile").Find(t.Context(), bson.D{})
	if err != nil {
		t.Fatal(err)
	}
	var out []byte
	for cursor.Next(t.Context()) {
		out = append(out, cursor.Current...)
	}
	if err := cursor.Err(); err != nil {
		t.Fatal(err)
	}
	return out
}
