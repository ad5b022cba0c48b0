package analyzers_test

import (
	"slices"
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"mongoadvisor/internal/demo/mongod/mongodtest"
	"mongoadvisor/internal/store"
)

// TestServerJoinsByIndex holds which indexes A03 takes for useful against a real
// mongod: it is silent exactly where explain names an indexed join.
func TestServerJoinsByIndex(t *testing.T) {
	server := mongodtest.Start(t)
	client, err := mongo.Connect(options.Client().ApplyURI(server.URI()))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = client.Disconnect(t.Context()) }()
	db := client.Database("join")
	for _, name := range []string{"a", "b"} {
		if _, err := db.Collection(name).InsertMany(t.Context(), []any{bson.D{{Key: "k", Value: "x"}, {Key: "v", Value: 1}}, bson.D{{Key: "k", Value: "y"}}}); err != nil {
			t.Fatal(err)
		}
	}
	const (
		plain    = `db.a.aggregate([{ $lookup: { from: "b", localField: "k", foreignField: "k", as: "j" } }])`
		collated = `db.a.aggregate([{ $lookup: { from: "b", localField: "k", foreignField: "k", as: "j" } }], { collation: { locale: "en", strength: 2 } })`
	)
	for _, c := range []struct {
		index, join string
		serves      bool
	}{
		{`{ k: 1 }`, plain, true},
		{`{ k: -1, v: 1 }`, plain, true},
		{`{ k: "hashed" }`, plain, true},
		{`{ v: 1, k: 1 }`, plain, false},
		{`{ k: 1 }, { sparse: true }`, plain, false},
		{`{ k: 1 }, { partialFilterExpression: { v: { $exists: true } } }`, plain, false},
		{`{ k: 1 }, { hidden: true }`, plain, false},
		{`{ "$**": 1 }`, plain, false},
		{`{ k: 1 }`, collated, false},
		{`{ k: 1 }, { collation: { locale: "en", strength: 1 } }`, collated, false},
		{`{ k: 1 }, { collation: { locale: "en", strength: 2 } }`, collated, true},
	} {
		if err := db.Collection("b").Indexes().DropAll(t.Context()); err != nil {
			t.Fatal(err)
		}
		s := &shell{t: t, db: db}
		s.run(`db.b.createIndex(` + c.index + `)`)
		s.steps = nil
		s.run(`db.b.getIndexes()`)
		for range 3 {
			s.run(c.join)
		}
		raw, err := db.RunCommand(t.Context(), bson.D{{Key: "explain", Value: s.command(c.join)}}).Raw()
		if err != nil {
			t.Fatal(err)
		}
		strategy, _ := raw.Lookup("queryPlanner", "winningPlan", "queryPlan", "strategy").StringValueOK()
		silent := !slices.ContainsFunc(judge(t, s.steps), func(e store.Entry) bool { return e.Rule == "A03" })
		if (strategy == "IndexedLoopJoin") != c.serves || silent != c.serves {
			t.Errorf("%s for %s: the server says %s, A03 is silent: %v", c.index, c.join, strategy, silent)
		}
	}
}
