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
// mongod: it speaks only where explain shows that no index was used.
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
		join     = `{ $lookup: { from: "b", localField: "k", foreignField: "k", as: "j" } }`
		plain    = `db.a.aggregate([` + join + `])`
		unwound  = `db.a.aggregate([` + join + `, { $unwind: "$j" }])`
		inner    = `db.a.aggregate([{ $lookup: { from: "b", localField: "k", foreignField: "k", pipeline: [{ $project: { v: 1 } }], as: "j" } }])`
		collated = `db.a.aggregate([` + join + `], { collation: { locale: "en", strength: 2 } })`
	)
	for _, c := range []struct {
		index, join    string
		serves, silent bool
	}{
		{`{ k: 1 }`, plain, true, true},
		{`{ k: 1 }`, unwound, true, true},
		{`{ k: -1, v: 1 }`, plain, true, true},
		{`{ k: "hashed" }`, plain, true, true},
		{`{ v: 1, k: 1 }`, plain, false, false},
		{`{ v: 1, k: 1 }`, inner, false, false},
		{`{ k: 1 }, { sparse: true }`, plain, false, true},
		{`{ k: 1 }, { sparse: true }`, unwound, true, true},
		{`{ k: 1 }, { sparse: true }`, inner, true, true},
		{`{ "$**": 1 }`, plain, false, true},
		{`{ "$**": 1 }`, unwound, true, true},
		{`{ k: 1 }, { partialFilterExpression: { v: { $exists: true } } }`, plain, false, false},
		{`{ k: 1 }, { partialFilterExpression: { v: { $exists: true } } }`, inner, false, false},
		{`{ k: 1 }, { hidden: true }`, plain, false, false},
		{`{ k: 1 }, { hidden: true }`, unwound, false, false},
		{`{ k: 1 }`, collated, false, false},
		{`{ k: 1 }, { collation: { locale: "en", strength: 1 } }`, collated, false, false},
		{`{ k: 1 }, { collation: { locale: "en", strength: 2 } }`, collated, true, true},
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
		explain := bson.D{{Key: "explain", Value: s.command(c.join)}, {Key: "verbosity", Value: "executionStats"}}
		raw, err := db.RunCommand(t.Context(), explain).Raw()
		if err != nil {
			t.Fatal(err)
		}
		silent := !slices.ContainsFunc(judge(t, s.steps), func(e store.Entry) bool { return e.Rule == "A03" })
		if serves := joinsByIndex(raw); serves != c.serves || silent != c.silent {
			t.Errorf("%s for %s: the server joins by the index: %v, A03 is silent: %v", c.index, c.join, serves, silent)
		}
	}
}

// joinsByIndex reads from explain whether the first join used an index: either as
// part of the plan, or as a stage of its own that names the indexes it used.
func joinsByIndex(explain bson.Raw) bool {
	if strategy, ok := explain.Lookup("queryPlanner", "winningPlan", "queryPlan", "strategy").StringValueOK(); ok {
		return strategy == "IndexedLoopJoin"
	}
	used, err := explain.LookupErr("stages", "1", "indexesUsed")
	if err != nil {
		return false
	}
	names, err := used.Array().Values()
	return err == nil && len(names) > 0
}
