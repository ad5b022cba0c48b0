package analyzers_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"

	"mongoadvisor/analyzers"
	"mongoadvisor/internal/analysis/analysistest"
	"mongoadvisor/internal/analysis/cases"
)

// readLarge reads the document with the _id 1, which has as many bytes.
func readLarge(t *testing.T, at time.Duration, bytes int) cases.Step {
	const rest = 4 + 4 + 1 + 4 + 6 + 4 + 1 + 5 + 1 + 4 + 1 + 2 // what is not in the text
	doc := bson.D{{Key: "_id", Value: 1}, {Key: "title", Value: ""}, {Key: "text", Value: strings.Repeat("x", bytes-rest)}}
	if got := len(rawDoc(t, doc)); got != bytes {
		t.Fatalf("made %d bytes, want %d", got, bytes)
	}
	cursor := bson.D{{Key: "id", Value: int64(0)}, {Key: "ns", Value: "shop.posts"}, {Key: "firstBatch", Value: bson.A{doc}}}
	return cases.Step{
		Conn: "a", Repeat: 1, At: at, Latency: time.Millisecond,
		Command: rawDoc(t, bson.D{{Key: "find", Value: "posts"}, {Key: "filter", Value: bson.D{{Key: "_id", Value: 1}}}, {Key: "$db", Value: "shop"}}),
		Reply:   rawDoc(t, bson.D{{Key: "cursor", Value: cursor}, {Key: "ok", Value: 1}}),
	}
}

// TestSizes: what is said of one large document, whose replies are too long to
// be kept.
func TestSizes(t *testing.T) {
	const mib = 1 << 20
	hours := func(sizes ...int) (steps []cases.Step) {
		for n, size := range sizes {
			at := time.Duration(n)*time.Hour + time.Second
			steps = append(steps, readLarge(t, at, size), readLarge(t, at+time.Second, size)) // once an hour is rare
		}
		return steps
	}
	push := bson.D{{Key: "$push", Value: bson.D{{Key: "log", Value: bson.D{{Key: "t", Value: "x"}}}}}}
	pushes := func(n int) (steps []cases.Step) {
		for i := range n {
			steps = append(steps, updateStep(t, time.Duration(i+1)*time.Millisecond, push))
		}
		return steps
	}
	for _, c := range []struct {
		name  string
		steps []cases.Step
		want  []string // rule, reason and severity, in any order
	}{
		{"a byte below", hours(12*mib - 1), []string{"S02 large high"}},
		{"near the limit", hours(12 * mib), []string{"S03 near-limit critical"}},
		{"a byte above", hours(12*mib + 1), []string{"S03 near-limit critical"}},
		{"grows for six hours", hours(2*mib, 2*mib+9000, 2*mib+18000, 2*mib+27000, 2*mib+36000, 2*mib+45000, 2*mib+54000), []string{"S02 large high"}},
		{"grows so that it is full in two days", hours(2*mib, 3*mib, 3*mib+mib/2, 4*mib, 4*mib+mib/2, 5*mib, 5*mib+mib/2), []string{"S02 large high", "S03 growing critical"}},
		{"seen for five hours", hours(2*mib, 3*mib, 3*mib+mib/2, 4*mib, 4*mib+mib/2, 5*mib), []string{"S02 large high"}},
		{"shrinks on the way", hours(2*mib, 3*mib, 3*mib+mib/2, 4*mib, 2*mib, 3*mib, 4*mib), []string{"S02 large high"}},
		{"stays as it is", hours(2*mib, 2*mib, 2*mib, 2*mib, 2*mib, 2*mib, 2*mib, 2*mib), []string{"S02 large high"}},
		{"an array of it grows", slices.Concat(pushes(10), hours(13*mib), []cases.Step{updateStep(t, 2*time.Hour, push)}), []string{"W01 push critical"}},
		{"an array of it hardly grows", slices.Concat(pushes(9), hours(13*mib)), []string{"W01 push info", "S03 near-limit critical"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, st, err := analysistest.Replay(&cases.File{Operations: c.steps}, analyzers.All())
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, e := range st.Findings() {
				got = append(got, fmt.Sprint(e.Rule, " ", e.Reason, " ", e.Severity))
			}
			slices.Sort(got)
			slices.Sort(c.want)
			if !slices.Equal(got, c.want) {
				t.Errorf("found %q, want %q", got, c.want)
			}
		})
	}
}
