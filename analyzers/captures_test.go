package analyzers_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"

	"mongoadvisor/analyzers"
	"mongoadvisor/internal/analysis/analysistest"
	"mongoadvisor/internal/analysis/cases"
	"mongoadvisor/internal/store"
)

func capture(t *testing.T, name string) []analysistest.Segment {
	t.Helper()
	segments, err := analysistest.ReadCapture(filepath.Join("..", "internal", "session", "testdata", name+".pcap"))
	if err != nil {
		t.Fatal(err)
	}
	return segments
}

// judged are the findings of one rule in a capture.
func judged(t *testing.T, segments []analysistest.Segment, rule string, limits ...string) (out []store.Entry) {
	t.Helper()
	all, err := analysistest.PlayCapture(segments, analyzers.All(), limits...)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range all {
		if e.Rule == rule {
			out = append(out, e)
		}
	}
	return out
}

// N-01: a list of twelve orders, then twelve queries for a user each. Reported
// from exactly the limit on, with both ends and the field.
func TestListThenOneQueryPerRow(t *testing.T) {
	for limit, want := range map[string]int{"Q11.burst=10": 1, "Q11.burst=11": 1, "Q11.burst=12": 1, "Q11.burst=13": 0} {
		found := judged(t, capture(t, "plain"), "Q11", limit)
		if len(found) != want {
			t.Errorf("%s: %d findings, want %d", limit, len(found), want)
		}
	}
	found := judged(t, capture(t, "plain"), "Q11")
	if len(found) != 1 {
		t.Fatalf("%d findings", len(found))
	}
	f := found[0]
	if f.Count != 1 || f.Namespace != "shop.users" || !slices.Equal(f.Fields, []string{"_id"}) || !strings.Contains(f.Message, "orders.user") || f.Confidence != "observed" {
		t.Errorf("%+v", f)
	}
}

// N-04 and N-08: batches of a cursor, lists of ids, and inserts in a loop are no
// reads one by one.
func TestBatchesAndWriteLoops(t *testing.T) {
	for _, name := range []string{"np_getmore", "np_populate", "np_in_chunks", "np_insertloop"} {
		for _, rule := range []string{"Q11", "S05", "S07"} {
			if found := judged(t, capture(t, name), rule, "Q11.burst=5", "Q11.unlinked=5", "S05.pairs=5"); len(found) > 0 {
				t.Errorf("%s: %s %s", name, rule, found[0].Message)
			}
		}
	}
}

// N-06: two applications that send six queries each are not one that sends twelve.
func TestTwoClientsAreNotAddedUp(t *testing.T) {
	segments := capture(t, "np_two_clients")
	if found := judged(t, segments, "Q11", "Q11.unlinked=10"); len(found) > 0 {
		t.Errorf("%d findings of 6 queries each", len(found))
	}
	found := judged(t, segments, "Q11", "Q11.unlinked=5")
	if len(found) != 2 || found[0].Fingerprint == found[1].Fingerprint {
		t.Fatalf("%d findings, want one per client", len(found))
	}
	for _, f := range found {
		if f.Count != 1 || len(f.Clients) != 1 || f.Severity.String() != "info" || f.Confidence != "suspected" {
			t.Errorf("%+v", f)
		}
	}
	if found := judged(t, segments, "Q11"); len(found) > 0 {
		t.Error("values from nowhere are reported, though nobody asked for it")
	}
}

// Mongoose: populate for one document after the other, and findById in a loop;
// each goes through a list of four.
func TestMongooseLoops(t *testing.T) {
	found := judged(t, capture(t, "mongoose"), "Q11", "Q11.burst=4")
	forms := map[string]bool{}
	for _, f := range found {
		if f.Namespace != "shop.users" || !strings.Contains(f.Message, "orders.user") || !strings.Contains(f.Fix.Text, "populate") {
			t.Errorf("%s: %s", f.Namespace, f.Message)
		}
		forms[f.Shape] = true
	}
	if len(forms) != 2 {
		t.Errorf("%d forms, want populate's $in and findById: %v", len(forms), forms)
	}
	if found := judged(t, capture(t, "mongoose"), "Q11"); len(found) > 0 {
		t.Errorf("lists of four: %s", found[0].Message)
	}
}

// The same capture gives the same bytes, and which of two clients is seen first
// makes no difference.
func TestFollowedValuesAreDeterministic(t *testing.T) {
	for _, name := range []string{"plain", "mongoose", "np_two_clients"} {
		segments := capture(t, name)
		all := func(s []analysistest.Segment) (bytes string, prints []string) {
			found, err := analysistest.PlayCapture(s, analyzers.All(), "Q11.burst=4", "Q11.unlinked=4")
			if err != nil {
				t.Fatal(err)
			}
			b, err := json.Marshal(found)
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range found {
				prints = append(prints, f.Fingerprint)
			}
			slices.Sort(prints)
			return string(b), prints
		}
		want, prints := all(segments)
		if len(prints) == 0 {
			t.Fatalf("%s: no findings", name)
		}
		if again, _ := all(segments); again != want {
			t.Errorf("%s: two runs differ", name)
		}
		if name == "mongoose" {
			continue // one pool: the order of its connections is what happened
		}
		apart := slices.Clone(segments)
		slices.SortStableFunc(apart, func(a, b analysistest.Segment) int { return cmp.Compare(a.Client, b.Client) })
		if _, other := all(apart); !slices.Equal(other, prints) {
			t.Errorf("%s: %v, and client by client %v", name, prints, other)
		}
	}
}

// However the streams of three applications are shuffled together, the findings
// are the same.
func TestInterleavingOfClients(t *testing.T) {
	streams := map[string][]cases.Step{}
	for _, app := range []string{"shop-web", "batch", "worker"} {
		s := &suite{t: t, rand: rand.New(rand.NewPCG(1, 1)), users: 100}
		s.send(m("hello", 1, "client", m("application", m("name", app), "driver", m("name", "nodejs", "version", "7.0")), "$db", "admin"))
		for page := range 3 {
			list := bson.A{}
			for i := range 15 {
				list = append(list, s.order(100*page+i, 20*page+i))
			}
			s.send(m("find", "orders", "limit", 15), list...)
			for i := range 15 {
				s.findOne("users", s.id(1, 20*page+i), s.user(20*page+i))
			}
		}
		for i := range s.steps {
			s.steps[i].Conn = app
		}
		streams[app] = s.steps
	}
	var want []string
	for seed := range uint64(8) {
		r := rand.New(rand.NewPCG(2, seed))
		var steps []cases.Step
		at := map[string]int{}
		for len(steps) < 3*len(streams["batch"]) {
			app := []string{"shop-web", "batch", "worker"}[r.IntN(3)]
			if at[app] < len(streams[app]) {
				steps = append(steps, streams[app][at[app]])
				at[app]++
			}
		}
		var got []string
		for _, f := range judge(t, steps) {
			got = append(got, fmt.Sprint(f.Fingerprint, " ", f.Rule, " ", f.Count))
		}
		slices.Sort(got)
		if want == nil {
			want = got
		}
		if len(got) != 3 || !slices.Equal(want, got) {
			t.Errorf("seed %d: %v, want %v", seed, got, want)
		}
	}
}
