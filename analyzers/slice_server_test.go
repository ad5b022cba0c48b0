package analyzers_test

import (
	"fmt"
	"slices"
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
	"go.mongodb.org/mongo-driver/v2/x/bsonx/bsoncore"

	"mongoadvisor/analyzers"
	"mongoadvisor/internal/analysis"
	"mongoadvisor/internal/analysis/analysistest"
	"mongoadvisor/internal/analysis/cases"
	"mongoadvisor/internal/demo/mongod/mongodtest"
)

// TestSliceAgainstServer pushes the same element with many modifiers on a real
// mongod: W02 must call those, and only those, that lose the element just
// pushed to a full array, or store the modifiers as data.
func TestSliceAgainstServer(t *testing.T) {
	server := mongodtest.Start(t)
	client, err := mongo.Connect(options.Client().ApplyURI(server.URI()))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = client.Disconnect(t.Context()) }()
	coll := client.Database("slice").Collection("c")
	const pushes = 12
	var modifiers []bson.D
	for _, slice := range []int{-5, -1, 0, 1, 5} {
		for _, extra := range []bson.D{
			{},
			{{Key: "$position", Value: 0}},
			{{Key: "$sort", Value: bson.D{{Key: "createdAt", Value: 1}}}},
			{{Key: "$sort", Value: bson.D{{Key: "createdAt", Value: -1}}}},
			{{Key: "$position", Value: 0}, {Key: "$sort", Value: bson.D{{Key: "createdAt", Value: -1}}}},
		} {
			modifiers = append(modifiers, append(bson.D{{Key: "$slice", Value: slice}}, extra...))
		}
	}
	for i, m := range modifiers {
		push := func(n int) bson.D {
			each := bson.E{Key: "$each", Value: bson.A{bson.D{{Key: "createdAt", Value: n}}}}
			return bson.D{{Key: "$push", Value: bson.D{{Key: "a", Value: append(bson.D{each}, m...)}}}}
		}
		for n := range pushes {
			if _, err := coll.UpdateOne(t.Context(), bson.D{{Key: "_id", Value: i}}, push(n), options.UpdateOne().SetUpsert(true)); err != nil {
				t.Fatal(err)
			}
		}
		var doc struct {
			A []struct {
				CreatedAt int `bson:"createdAt"`
			}
		}
		if err := coll.FindOne(t.Context(), bson.D{{Key: "_id", Value: i}}).Decode(&doc); err != nil {
			t.Fatal(err)
		}
		kept := slices.ContainsFunc(doc.A, func(x struct {
			CreatedAt int `bson:"createdAt"`
		},
		) bool {
			return x.CreatedAt == pushes-1
		})
		if reasons := sliceReasons(t, push(0)); kept == (len(reasons) > 0) {
			t.Errorf("%v: the server keeps the newest: %v, holds %v; W02 says %v", m, kept, doc.A, reasons)
		}
	}
	// without $each the modifiers are stored
	if _, err := coll.UpdateOne(t.Context(), bson.D{{Key: "_id", Value: "data"}}, bson.D{{Key: "$push", Value: bson.D{{Key: "a", Value: bson.D{{Key: "x", Value: 9}, {Key: "$slice", Value: -3}}}}}}, options.UpdateOne().SetUpsert(true)); err != nil {
		t.Fatal(err)
	}
	raw, err := coll.FindOne(t.Context(), bson.D{{Key: "_id", Value: "data"}}).Raw()
	if err != nil {
		t.Fatal(err)
	}
	if v, err := raw.LookupErr("a", "0", "$slice"); err != nil || v.AsInt64() != -3 {
		t.Errorf("the server no longer stores $slice without $each as data: %s", raw)
	}
}

// sliceReasons runs W02 over one update.
func sliceReasons(t *testing.T, update bson.D) []string {
	t.Helper()
	command, err := bson.Marshal(bson.D{
		{Key: "update", Value: "c"}, {Key: "updates", Value: bson.A{bson.D{{Key: "q", Value: bson.D{{Key: "_id", Value: 1}}}, {Key: "u", Value: update}}}}, {Key: "$db", Value: "slice"},
	})
	if err != nil {
		t.Fatal(err)
	}
	var rule *analysis.Analyzer
	for _, a := range analyzers.All() {
		if a.ID == "W02" {
			rule = a
		}
	}
	reports, _, err := analysistest.Replay(&cases.File{Operations: []cases.Step{{Conn: "a", Repeat: 1, Command: bsoncore.Document(command)}}}, []*analysis.Analyzer{rule})
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, r := range reports[0] {
		out = append(out, fmt.Sprintf("%s/%s", r.Rule.ID, r.Finding.Reason))
	}
	return out
}
