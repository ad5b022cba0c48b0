package store

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
	"time"

	"mongoadvisor/internal/analysis"
	"mongoadvisor/internal/op"
)

// busy sees many kinds of findings, from a seed.
func busy(s *Store, seed uint64) {
	r := rand.New(rand.NewPCG(seed, 1))
	for i := range 400 {
		at := start.Add(time.Duration(r.IntN(48*3600)) * time.Second)
		x := sight{
			rule: usual, ns: fmt.Sprintf("shop.c%c", 'a'+r.IntN(6)), latency: time.Duration(r.IntN(int(40 * time.Millisecond))), reply: r.IntN(50_000),
			app: fmt.Sprintf("app%c", 'a'+r.IntN(22)), shape: fmt.Sprintf("{filter: {f%c: <number>}}", 'a'+r.IntN(4)),
			finding: analysis.Finding{
				Reason: "seen", Message: "message", Advice: "advice", Fields: []string{"a.b"}, Fix: analysis.Fix{Text: "do", Mongosh: "db.c.find()"}, Caveat: "caveat",
				Evidence: []analysis.Evidence{{Name: "figure", Value: int64(i), Limit: 10, Unit: "elements"}},
			},
		}
		switch r.IntN(8) {
		case 0:
			x.rule = correct
		case 1:
			x.silenced = "known"
		case 2:
			x.severity = analysis.High
		case 3:
			x.conf = analysis.Observed
		}
		see(s, at, x)
	}
}

// reopened is what the next process makes of a state.
func reopened(t *testing.T, c Config, state State) *Store {
	t.Helper()
	raw, err := json.Marshal(state)
	if err != nil {
		t.Fatal(err)
	}
	var read State
	if err := json.Unmarshal(raw, &read); err != nil {
		t.Fatal(err)
	}
	s := New(c)
	if n := s.Merge(read); n != 0 {
		t.Fatalf("%d left out", n)
	}
	return s
}

// What is restored says the same as what was saved, and saves the same.
func TestSavedAndRestored(t *testing.T) {
	for _, profile := range []Profile{CI, Staging, Production} {
		s := New(Config{Profile: profile})
		busy(s, 7)
		again := reopened(t, Config{Profile: profile}, s.Save())
		want, got := s.Findings(), again.Findings()
		if len(want) == 0 || len(got) != len(want) {
			t.Fatalf("%s: %d findings, %d after", profile, len(want), len(got))
		}
		for i := range want {
			if !reflect.DeepEqual(want[i], got[i]) {
				t.Errorf("%s: before\n%+v\nafter\n%+v", profile, want[i], got[i])
			}
		}
		if a, b := again.Save(), s.Save(); !reflect.DeepEqual(a, b) {
			t.Errorf("%s: saved again it differs:\n%+v\n%+v", profile, a, b)
		}
		a, b := s.Totals(), again.Totals()
		if a.Operations != b.Operations || a.Occurrences != b.Occurrences || a.Suppressed != b.Suppressed {
			t.Errorf("%s: totals %+v, after %+v", profile, a, b)
		}
	}
}

// Occurrences go on where they were.
func TestCountingGoesOn(t *testing.T) {
	s := New(Config{Profile: CI})
	see(s, start, sight{app: "a", latency: time.Millisecond})
	again := reopened(t, Config{Profile: CI}, s.Save())
	see(again, start.Add(time.Minute), sight{app: "a", latency: time.Second})
	see(again, start.Add(2*time.Minute), sight{app: "b"})
	f := again.Findings()
	if len(f) != 1 || f[0].Count != 3 || !f[0].FirstSeen.Equal(start) || f[0].LatencyMS.Max != 1000 || len(f[0].Clients) != 2 || f[0].Clients[0].Count != 2 {
		t.Errorf("%+v", f)
	}
}

// What no process saw does not count as time without the pattern.
func TestTimeBetweenProcessesFixesNothing(t *testing.T) {
	c := Config{Profile: CI}
	s := New(c)
	see(s, start, sight{})
	c.Announce = func(e Entry) { t.Errorf("told of %s", e.Status) }
	again := reopened(t, c, s.Save())
	use(again, start.Add(10*day), "shop.orders", 0)
	if got := status(t, again); got != Open {
		t.Errorf("after ten days that nobody watched: %s", got)
	}
	use(again, start.Add(10*day+23*time.Hour), "shop.orders", 0)
	again.Sweep()
	if got := status(t, again); got != Open {
		t.Errorf("after 23 hours of watching: %s", got)
	}
	use(again, start.Add(11*day), "shop.orders", 0)
	if got := status(t, again); got != Fixed {
		t.Errorf("after a day of watching: %s", got)
	}
}

// A restart changes nothing about what the sinks know.
func TestToldOnceOverRestarts(t *testing.T) {
	var told []string
	c := Config{Profile: CI, Announce: func(e Entry) { told = append(told, string(e.Status)+" "+e.Severity.String()) }}
	expect := func(want ...string) {
		t.Helper()
		if !reflect.DeepEqual(told, want) {
			t.Errorf("told %q, want %q", told, want)
		}
		told = nil
	}
	s := New(c)
	see(s, start, sight{})
	expect("open medium")
	s = reopened(t, c, s.Save())
	see(s, start.Add(time.Minute), sight{latency: 2 * time.Second})
	expect()
	see(s, start.Add(2*time.Minute), sight{severity: analysis.High})
	expect("open high")
	s = reopened(t, c, s.Save())
	use(s, start.Add(day), "shop.orders", 0)
	use(s, start.Add(3*day), "shop.orders", 0)
	s.Sweep()
	s.Sweep()
	expect("fixed high")
	s = reopened(t, c, s.Save())
	use(s, start.Add(4*day), "shop.orders", 0)
	s.Sweep()
	expect()
	if got := status(t, s); got != Fixed {
		t.Errorf("what was fixed before the restart is %s", got)
	}
	see(s, start.Add(5*day), sight{latency: 2 * time.Second})
	expect("regressed high")
	s = reopened(t, c, s.Save())
	if got := status(t, s); got != Regressed {
		t.Errorf("what was back before the restart is %s", got)
	}
	use(s, start.Add(6*day), "shop.orders", 0)
	use(s, start.Add(8*day), "shop.orders", 0)
	s.Sweep()
	expect("fixed high")
}

// Nobody is told that something is fixed who was not told of it.
func TestSweepTellsOnlyWhatWasTold(t *testing.T) {
	var told []Entry
	c := Config{Profile: Staging, Announce: func(e Entry) { told = append(told, e) }}
	s := New(c)
	see(s, start, sight{}) // below its floor
	for range 30 {
		see(s, start, sight{ns: "shop.silenced", silenced: "known"})
	}
	use(s, start.Add(2*day), "shop.orders", 0)
	use(s, start.Add(2*day), "shop.silenced", 0)
	s.Sweep()
	if len(told) != 0 {
		t.Errorf("told of %+v", told)
	}
}

// A file is what somebody may have changed: nothing in it breaks the store.
func TestMergeOfWhatIsNone(t *testing.T) {
	good := Saved{Fingerprint: "0123456789abcdef", Rule: "Q01", Database: "shop", Figures: Figures{Count: 1, Loud: 1}}
	for name, change := range map[string]func(*Saved){
		"no rule": func(f *Saved) { f.Rule = "" }, "no fingerprint": func(f *Saved) { f.Fingerprint = "" },
		"no count": func(f *Saved) { f.Figures.Count = 0 }, "a count below 0": func(f *Saved) { f.Figures.Count = -5 }, "severity": func(f *Saved) { f.Severity = 200 },
	} {
		f := good
		change(&f)
		s := New(Config{Profile: CI})
		if n := s.Merge(State{Findings: []Saved{f}}); n != 1 || len(s.Findings()) != 0 {
			t.Errorf("%s: %d left out, findings %+v", name, n, s.Findings())
		}
	}
	odd := good
	odd.Figures = Figures{Count: 3, Loud: 1 << 62, Latency: -1, Measured: -4, Latencies: make([]int64, 1000), Connections: -9}
	odd.Figures.Latencies[3], odd.Figures.Latencies[4] = -1, 1<<60
	odd.Clients = []Client{{App: "a", Count: -4}}
	odd.Series = &SavedSeries{Width: time.Second, Counts: []uint32{1, 2}, Slowest: []uint32{1}}
	odd.Collection = strings.Repeat("x", 1000)
	s := New(Config{Profile: CI})
	if n := s.Merge(State{Findings: []Saved{odd}, Namespaces: []SavedNamespace{{Database: strings.Repeat("d", 400)}}}); n != 0 {
		t.Fatalf("%d left out", n)
	}
	f := s.Findings()
	if len(f) != 1 || f[0].Count != 3 || f[0].Clients[0].Count != 0 || len(f[0].Namespace) > 255 {
		t.Errorf("%+v", f)
	}
	see(s, start, sight{ns: "shop." + odd.Collection, rule: usual})
	s.Save()
}

// A state with more findings than there is room for.
func TestMergeIsBounded(t *testing.T) {
	big := New(Config{Profile: CI})
	busy(big, 1)
	small := New(Config{Profile: CI, MaxFindings: 3})
	state := big.Save()
	if n := small.Merge(state); n == 0 || len(small.entries) != 3 {
		t.Errorf("%d of %d left out, %d kept", n, len(state.Findings), len(small.entries))
	}
}

// No value, nor a hash of one, is in what is kept.
func TestSavedHoldsNoHashes(t *testing.T) {
	e := &entry{rule: usual, documents: few{0xdeadbeefcafe, 2}, conns: few{1}, clients: map[Client]int64{}, space: op.Namespace{DB: "shop"}}
	raw, err := json.Marshal(e.save(true))
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(raw), fmt.Sprint(0xdeadbeefcafe)) || !strings.Contains(string(raw), `"documents":2`) {
		t.Errorf("%s", raw)
	}
}
