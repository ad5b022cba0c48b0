package analyzers_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/x/bsonx/bsoncore"

	"mongoadvisor/analyzers"
	"mongoadvisor/internal/analysis"
	"mongoadvisor/internal/analysis/analysistest"
	"mongoadvisor/internal/analysis/cases"
	"mongoadvisor/internal/store"
)

// growingPost is a document whose array grows, as a server would hold it.
type growingPost struct {
	comments bson.A
	rand     *rand.Rand
}

func (p *growingPost) doc() bson.D {
	return bson.D{{Key: "_id", Value: 1}, {Key: "title", Value: strings.Repeat("t", 2000)}, {Key: "comments", Value: p.comments}}
}

func (p *growingPost) comment() bson.D {
	return bson.D{{Key: "author", Value: p.rand.IntN(1000)}, {Key: "text", Value: strings.Repeat("x", 500+p.rand.IntN(1500))}}
}

// TestForecast: on a workload whose replies show the array now and then, the day
// on which the document is full is right to a tenth.
func TestForecast(t *testing.T) {
	for _, c := range []struct {
		name          string
		pushes, every int // comments in all, and after how many the post is read
		pulls         bool
		start         int // comments that are there already
	}{
		{"read every twenty", 400, 20, false, 0},
		{"so long that replies are cut", 400, 50, false, 900},
		{"some are taken out", 90, 10, true, 10},
		{"taken out and cut", 600, 10, true, 40},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := &growingPost{rand: rand.New(rand.NewPCG(1, 2))}
			for range c.start {
				p.comments = append(p.comments, p.comment())
			}
			began := len(rawDoc(t, p.doc()))
			var steps []cases.Step
			for n := range c.pushes {
				steps = append(steps, p.steps(t, n, c.every, c.pulls)...)
			}
			found := lastEvidence(t, steps)
			now := len(rawDoc(t, p.doc()))
			daily := float64(now-began) / (float64(c.pushes-1) * 10 / 60 / 24)
			want := (16<<20 - float64(now)) / daily
			if got := float64(found["days_to_16_mib"]); math.Abs(got-want) > want/10 {
				t.Errorf("full in %v days, in truth in %.1f: %v", got, want, found)
			}
			if got := found["length"] + found["length_at_least"] + found["length_about"]; !c.pulls && got > int64(len(p.comments)) || c.start == 0 && got < int64(len(p.comments)) {
				t.Errorf("length %d, in truth %d", got, len(p.comments))
			}
		})
	}
}

// steps are a push, at times a pull of two others, and a read.
func (p *growingPost) steps(t *testing.T, n, every int, pulls bool) []cases.Step {
	at := time.Duration(n) * 10 * time.Minute
	c := p.comment()
	p.comments = append(p.comments, c)
	out := []cases.Step{updateStep(t, at+time.Second, bson.D{{Key: "$push", Value: bson.D{{Key: "comments", Value: c}}}})}
	if pulls && n%5 == 4 {
		p.comments = p.comments[2:]
		out = append(out, updateStep(t, at+2*time.Second, bson.D{{Key: "$pull", Value: bson.D{{Key: "comments", Value: bson.D{{Key: "author", Value: 7}}}}}}))
	}
	if n%every == 0 || n == 1 {
		cursor := bson.D{{Key: "id", Value: int64(0)}, {Key: "ns", Value: "shop.posts"}, {Key: "firstBatch", Value: bson.A{p.doc()}}}
		out = append(out, cases.Step{
			Conn: "a", Repeat: 1, At: at + 3*time.Second, Latency: time.Millisecond,
			Command: rawDoc(t, bson.D{{Key: "find", Value: "posts"}, {Key: "filter", Value: bson.D{{Key: "_id", Value: 1}}}, {Key: "$db", Value: "shop"}}),
			Reply:   rawDoc(t, bson.D{{Key: "cursor", Value: cursor}, {Key: "ok", Value: 1}}),
		})
	}
	return out
}

func updateStep(t *testing.T, at time.Duration, u bson.D) cases.Step {
	return updateStepOf(t, 1, at, u)
}

func updateStepOf(t *testing.T, id int, at time.Duration, u bson.D) cases.Step {
	statement := bson.D{{Key: "q", Value: bson.D{{Key: "_id", Value: id}}}, {Key: "u", Value: u}}
	return cases.Step{
		Conn: "a", Repeat: 1, At: at, Latency: time.Millisecond,
		Command: rawDoc(t, bson.D{{Key: "update", Value: "posts"}, {Key: "updates", Value: bson.A{statement}}, {Key: "$db", Value: "shop"}}),
		Reply:   rawDoc(t, bson.D{{Key: "n", Value: 1}, {Key: "nModified", Value: 1}, {Key: "ok", Value: 1}}),
	}
}

func rawDoc(t *testing.T, d bson.D) bsoncore.Document {
	t.Helper()
	out, err := bson.Marshal(d)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// lastEvidence is the evidence of the last finding of W01.
func lastEvidence(t *testing.T, steps []cases.Step) map[string]int64 {
	t.Helper()
	var last *analysis.Finding
	reports, _, err := analysistest.Replay(&cases.File{Operations: steps}, analyzers.All())
	if err != nil {
		t.Fatal(err)
	}
	for _, step := range reports {
		for _, r := range step {
			if r.Rule.ID == "W01" {
				last = &r.Finding
			}
		}
	}
	if last == nil {
		t.Fatal("no finding")
	}
	out := map[string]int64{}
	for _, e := range last.Evidence {
		out[e.Name] = e.Value
	}
	t.Log(fmt.Sprint(out))
	return out
}

// TestManyDocumentsGrowAlike: growth is seen though there are far more documents
// than are followed, and so is the one among them that grows faster.
func TestManyDocumentsGrowAlike(t *testing.T) {
	var steps []cases.Step
	for round := range 12 {
		for id := range 2000 {
			push := bson.D{{Key: "$push", Value: bson.D{{Key: "comments", Value: round}}}}
			steps = append(steps, updateStepOf(t, id, 0, push))
			if id%20 == 0 && round > 0 {
				steps = append(steps, updateStepOf(t, 5000, 0, push))
			}
		}
	}
	_, st, err := analysistest.Replay(&cases.File{Operations: steps}, analyzers.All())
	if err != nil {
		t.Fatal(err)
	}
	found := slices.DeleteFunc(st.Findings(), func(e store.Entry) bool { return e.Rule == "W05" }) // one by one they are, too
	if len(found) != 1 || found[0].Severity != analysis.High {
		t.Errorf("%v", words(found))
	}
}
