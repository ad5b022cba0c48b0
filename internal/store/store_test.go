package store

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf8"

	"mongoadvisor/internal/analysis"
	"mongoadvisor/internal/op"
)

// A fingerprint is for ever: baselines and alerts hold it.
func TestFingerprintsStay(t *testing.T) {
	report := func(rule, reason, ns, shape string) *analysis.Report {
		return &analysis.Report{Rule: &analysis.Analyzer{ID: rule}, Finding: analysis.Finding{Reason: reason}, NS: op.ParseNamespace(ns), Shape: op.TextShape(shape)}
	}
	base := Fingerprint(report("Q02", "exact", "shop.customers", "{filter: {city: /<>/i}}"))
	if base != "27d13b9845c79ce7" {
		t.Errorf("fingerprint %s", base)
	}
	if Fingerprint(report("Q02", "exact", "shop.events_2026_11", "{a}")) != Fingerprint(report("Q02", "exact", "shop.events_2027_01", "{a}")) {
		t.Error("two months of one collection are two findings")
	}
	for _, other := range []*analysis.Report{
		report("Q01", "exact", "shop.customers", "{filter: {city: /<>/i}}"), report("Q02", "prefix", "shop.customers", "{filter: {city: /<>/i}}"),
		report("Q02", "exact", "shop.users", "{filter: {city: /<>/i}}"), report("Q02", "exact", "shop.customers", "{filter: {name: /<>/i}}"),
	} {
		if Fingerprint(other) == base {
			t.Errorf("%+v has the same fingerprint", other)
		}
	}
}

func TestCaps(t *testing.T) {
	s := New(Config{Profile: CI, MaxFindings: 5})
	for i := range 20 {
		see(s, start, sight{shape: fmt.Sprintf("{field%c}", 'a'+i)})
	}
	if n := len(s.Findings()); n != 5 || s.Totals().Untracked != 15 {
		t.Errorf("%d findings, %d untracked", n, s.Totals().Untracked)
	}
	if n := s.Occurrences()[Occurrence{"Q01", analysis.Medium}]; n != 20 {
		t.Errorf("%d occurrences are counted", n)
	}
	apps := New(Config{Profile: CI})
	for i := range 100 {
		see(apps, start, sight{app: fmt.Sprintf("app%03d", i)})
	}
	clients := apps.Findings()[0].Clients
	if len(clients) != MaxClients+1 || clients[0] != (Client{App: "(others)", Count: 84}) {
		t.Errorf("%d clients, first %+v", len(clients), clients[0])
	}
	many := New(Config{Profile: CI})
	for i := range maxNamespaces + 500 {
		use(many, start, fmt.Sprintf("shop.c%d", i), 0)
	}
	if n := many.Totals().Namespaces; n > maxNamespaces+1 {
		t.Errorf("%d namespaces", n)
	}
}

func TestRanking(t *testing.T) {
	s := New(Config{Profile: CI})
	see(s, start, sight{shape: "{low}", severity: analysis.Low, latency: time.Hour})
	see(s, start, sight{shape: "{muted}", severity: analysis.Critical, silenced: "known"})
	see(s, start, sight{shape: "{medium, fast}", latency: time.Millisecond})
	see(s, start, sight{shape: "{medium, slow}", latency: time.Minute})
	see(s, start, sight{shape: "{high}", severity: analysis.High, latency: time.Millisecond})
	for range 3 {
		see(s, start, sight{shape: "{medium, often}"})
	}
	var got []string
	for _, e := range s.Findings() {
		got = append(got, e.Shape)
	}
	if want := []string{"{high}", "{medium, slow}", "{medium, often}", "{medium, fast}", "{low}", "{muted}"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestImpactIsAShareOfTime(t *testing.T) {
	s := New(Config{Profile: CI})
	see(s, start, sight{latency: time.Second})
	use(s, start, "shop.others", 3*time.Second)
	if got := s.Findings()[0].Impact; got != 0.25 {
		t.Errorf("%v of the time", got)
	}
	s = New(Config{Profile: CI})
	see(s, start, sight{})
	use(s, start, "shop.others", 0)
	use(s, start, "shop.others", 0)
	if got := s.Findings()[0].Impact; got != 0.3333 {
		t.Errorf("%v of the operations", got)
	}
}

// Names come from clients, and reports go to terminals.
func TestTextsArePrintable(t *testing.T) {
	evil := "a\x1b[31m\u009b2J\u202ecod\xff\x00b"
	s := New(Config{Profile: CI})
	see(s, start, sight{
		ns: "shop." + evil, shape: "{" + evil + "}", app: evil,
		finding: analysis.Finding{Fields: []string{evil}, Message: evil, Advice: evil, Caveat: evil, Fix: analysis.Fix{Text: evil, Mongosh: "one\n" + evil}},
	})
	e := s.Findings()[0]
	texts := append([]string{e.Namespace, e.Shape, e.Message, e.Advice, e.Caveat, e.Fix.Text, e.Fix.Mongosh, e.Clients[0].App}, e.Fields...)
	for _, text := range texts {
		if !utf8.ValidString(text) || strings.ContainsAny(text, "\x1b\u009b\u202e\x00") || !strings.Contains(text, "b") {
			t.Errorf("%q", text)
		}
	}
	if !strings.Contains(e.Fix.Mongosh, "\n") {
		t.Error("the lines of a fix were joined")
	}
	use(s, start.Add(48*time.Hour), "shop."+evil, 0) // the name as sent still is the key
	if got := s.Findings()[0].Status; got != Fixed {
		t.Errorf("status %s", got)
	}
}

func TestConfidenceRises(t *testing.T) {
	s := New(Config{Profile: CI})
	for _, c := range []analysis.Confidence{analysis.Suspected, analysis.Observed, analysis.Suspected} {
		see(s, start, sight{conf: c})
	}
	if got := s.Findings()[0].Confidence; got != analysis.Observed {
		t.Errorf("%s", got)
	}
}

func TestTimesOutOfOrder(t *testing.T) {
	s := New(Config{Profile: CI})
	for _, minute := range []int{5, 1, 9, 3} {
		see(s, start.Add(time.Duration(minute)*time.Minute), sight{})
	}
	if e := s.Findings()[0]; !e.FirstSeen.Equal(start.Add(time.Minute)) || !e.LastSeen.Equal(start.Add(9*time.Minute)) {
		t.Errorf("from %s to %s", e.FirstSeen, e.LastSeen)
	}
}

func TestQuantilesAreWithinTheStatedError(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for _, spread := range []float64{1, 3, 8} {
		var l latencies
		var exact []time.Duration
		for range 5000 {
			v := time.Duration(float64(50*time.Microsecond) * (1 + spread*r.ExpFloat64()*r.ExpFloat64()*10))
			l.add(v, 1)
			exact = append(exact, v)
		}
		slices.Sort(exact)
		for _, q := range []float64{0.01, 0.5, 0.9, 0.95, 0.99, 1} {
			want := exact[int(q*float64(len(exact))+0.5)-1]
			got := l.quantile(q)
			if got < want-time.Microsecond || float64(got) > 1.25*float64(want)+1000 {
				t.Errorf("q%v: %s, exactly %s", q, got, want)
			}
		}
		if l.max != exact[len(exact)-1] || l.quantile(1) != l.max {
			t.Errorf("max %s", l.max)
		}
	}
	var l latencies
	l.add(0, 1)
	l.add(-time.Second, 1)
	if l.n != 0 || l.quantile(0.5) != 0 {
		t.Error("no latency counts as one")
	}
	l.add(30*time.Hour, 1) // beyond the buckets
	if l.quantile(0.5) > 30*time.Hour {
		t.Error("a quantile beyond the maximum")
	}
}

func TestEveryBucketHoldsWhatItsEdgesSay(t *testing.T) {
	for i := range 4*32 - 4 {
		edge := upper(i)
		if got := bucketOf(edge); got != i+1 {
			t.Errorf("%s is in bucket %d, want %d", edge, got, i+1)
		}
		if got := bucketOf(edge - time.Nanosecond); got != i {
			t.Errorf("just below %s is in bucket %d, want %d", edge, got, i)
		}
	}
}

func TestStoreIsSafeForConcurrentUse(t *testing.T) {
	s := New(Config{Profile: CI, Announce: func(Entry) {}})
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			for j := range 100 {
				see(s, start.Add(time.Duration(j)*time.Second), sight{shape: fmt.Sprintf("{%d}", i%3), app: fmt.Sprint(j % 20)})
				_, _, _ = s.Findings(), s.Totals(), s.Occurrences()
			}
		})
	}
	wg.Wait()
	if n := s.Totals().Occurrences; n != 800 {
		t.Errorf("%d occurrences", n)
	}
}
