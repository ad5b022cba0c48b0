package analyzers_test

import (
	"path/filepath"
	"strings"
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"mongoadvisor/analyzers"
	"mongoadvisor/internal/analysis"
	"mongoadvisor/internal/analysis/analysistest"
	"mongoadvisor/internal/analysis/cases"
	"mongoadvisor/internal/demo/mongod/mongodtest"
)

// fillers stand for the placeholders in fixes of the group O and of I05.
var fillers = strings.NewReplacer(
	"<filter>", "{ _id: 1 }", "<update>", "{ $inc: { n: 1 } }", "<update of all that changes together>", "{ $set: { a: 1, b: 2 } }", "<document>", "{ n: 1 }",
	"<from>", "0", "<to>", "10", "<sorted field>", "n", "<unique field>", "_id", "<value>", "1", "<field>", "n", "<counter>", "n", "<0 to 9>", "3", "<id>", "1",
	"<user>", "web", "<database>", "shop", "<how many are wanted>", "5", "<last _id>", "1", "<batch size>", "5", "<milliseconds>", "1000", "<pipeline>", "[]",
)

// TestOperationFixesRun runs every fix that the data files of these rules lead
// to, word for word, on a real mongod: their traffic needs errors, transactions
// and many connections, which a table of fixes has not.
func TestOperationFixesRun(t *testing.T) {
	server := mongodtest.Start(t)
	client, err := mongo.Connect(options.Client().ApplyURI(server.URI()))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = client.Disconnect(t.Context()) }()
	db := client.Database("shop")
	user := bson.D{{Key: "createUser", Value: "web"}, {Key: "pwd", Value: "x"}, {Key: "roles", Value: bson.A{}}}
	if err := db.RunCommand(t.Context(), user).Err(); err != nil {
		t.Fatal(err)
	}
	ran := map[string]bool{}
	for _, a := range analyzers.All() {
		if a.ID[0] != 'O' && a.ID != "I05" || a.ID == "O05" {
			continue
		}
		files, err := filepath.Glob(filepath.Join("testdata", a.ID, "*.json"))
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range files {
			f, err := cases.Load(path)
			if err != nil {
				t.Fatal(err)
			}
			reports, _, err := analysistest.Replay(f, []*analysis.Analyzer{a})
			if err != nil {
				t.Fatal(err)
			}
			for _, step := range reports {
				for _, r := range step {
					name := a.ID + " " + r.Finding.Reason + ": " + r.Finding.Fix.Mongosh
					if !ran[name] && !strings.HasPrefix(r.Finding.Fix.Mongosh, "mongodb://") {
						ran[name] = true
						t.Run(name, func(t *testing.T) { runFix(t, db, r.Finding.Fix.Mongosh) })
					}
				}
			}
		}
	}
	if len(ran) < 20 {
		t.Errorf("only %d fixes were run", len(ran))
	}
}

func runFix(t *testing.T, db *mongo.Database, fix string) {
	fix = fillers.Replace(fix)
	if rest := placeholder.FindString(fix); rest != "" {
		t.Fatalf("the fix has %q left", rest)
	}
	s := &shell{t: t, db: db}
	for line := range strings.Lines(fix) {
		s.run(line)
	}
	if again := judge(t, s.steps); len(again) > 0 {
		t.Errorf("the fix is reported itself: %v", words(again))
	}
}
