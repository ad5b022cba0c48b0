package analyzers_test

import (
	"slices"
	"strings"
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"

	"mongoadvisor/analyzers"
	"mongoadvisor/internal/analysis/analysistest"
	"mongoadvisor/internal/analysis/cases"
)

// TestOneCauseOneFinding: what several of the rules for arrays and documents
// could report is reported by one.
func TestOneCauseOneFinding(t *testing.T) {
	list := func(n int) bson.A {
		out := make(bson.A, n)
		for i := range out {
			out[i] = bson.D{{Key: "t", Value: strings.Repeat("x", 200)}}
		}
		return out
	}
	ok := bson.D{{Key: "n", Value: 1}, {Key: "nModified", Value: 1}, {Key: "ok", Value: 1}}
	step := func(command, reply bson.D) cases.Step {
		return cases.Step{Conn: "a", Repeat: 1, Command: rawDoc(t, append(command, bson.E{Key: "$db", Value: "shop"})), Reply: rawDoc(t, reply)}
	}
	insert := func(doc bson.D) cases.Step {
		return step(bson.D{{Key: "insert", Value: "posts"}, {Key: "documents", Value: bson.A{doc}}}, ok)
	}
	index := step(bson.D{{Key: "createIndexes", Value: "posts"}, {Key: "indexes", Value: bson.A{bson.D{{Key: "key", Value: bson.D{{Key: "log.t", Value: 1}}}, {Key: "name", Value: "l"}}}}}, ok)
	push := func(n int) cases.Step {
		return updateStep(t, 0, bson.D{{Key: "$push", Value: bson.D{{Key: "log", Value: bson.D{{Key: "$each", Value: list(n)}}}}}})
	}
	post := func(n int) bson.D {
		return bson.D{{Key: "_id", Value: 1}, {Key: "title", Value: "x"}, {Key: "log", Value: list(n)}}
	}
	for _, c := range []struct {
		name  string
		steps []cases.Step
		want  string
	}{
		{"a growing array, then shown long", []cases.Step{push(300), insert(post(300))}, "W01"},
		{"a growing array that makes the document large", []cases.Step{push(300), insert(post(1100))}, "W01"},
		{"a long array that makes the document large", []cases.Step{insert(post(1100))}, "S01"},
		{"a growing array with an index, up to 999", []cases.Step{index, push(999)}, "W01"},
		{"and from 1,000 on: the index is a cause of its own", []cases.Step{index, push(1000)}, "I04 W01"},
		{"a long array with an index, up to 999", []cases.Step{index, insert(post(900))}, "S01"},
		{"and from 1,000 on", []cases.Step{index, insert(post(1000))}, "I04 S01"},
	} {
		_, st, err := analysistest.Replay(&cases.File{Operations: c.steps}, analyzers.All())
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, e := range st.Findings() {
			got = append(got, e.Rule)
		}
		slices.Sort(got)
		if found := strings.Join(got, " "); found != c.want {
			t.Errorf("%s: %s, want %s", c.name, found, c.want)
		}
	}
}
