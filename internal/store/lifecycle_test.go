package store

import (
	"testing"
	"time"

	"mongoadvisor/internal/analysis"
)

const day = 24 * time.Hour

func status(t *testing.T, s *Store) Status {
	t.Helper()
	f := s.Findings()
	if len(f) != 1 {
		t.Fatalf("%d findings", len(f))
	}
	return f[0].Status
}

// Everything by the traffic's clock: these days are long gone.
func TestFixedAndRegressed(t *testing.T) {
	s := New(Config{Profile: CI})
	see(s, start, sight{})
	see(s, start.Add(time.Minute), sight{})
	if got := status(t, s); got != Open {
		t.Errorf("at first %s", got)
	}
	use(s, start.Add(2*day), "shop.others", 0)
	if got := status(t, s); got != Open {
		t.Errorf("while its namespace is not used: %s", got)
	}
	use(s, start.Add(2*day), "shop.orders", 0)
	if got := status(t, s); got != Fixed {
		t.Errorf("gone for two days: %s", got)
	}
	see(s, start.Add(2*day+time.Hour), sight{latency: 2 * time.Second})
	if got := status(t, s); got != Regressed {
		t.Errorf("back again: %s", got)
	}
	use(s, start.Add(5*day), "shop.orders", 0)
	if got := status(t, s); got != Fixed {
		t.Errorf("gone again: %s", got)
	}
}

// A weekly job that is the only one to use its collection was never fixed.
func TestSilenceOfTheNamespaceIsNoFix(t *testing.T) {
	s := New(Config{Profile: CI})
	for week := range 3 {
		see(s, start.Add(time.Duration(week)*7*day), sight{latency: 2 * time.Second})
		see(s, start.Add(time.Duration(week)*7*day), sight{latency: 2 * time.Second})
	}
	if got := status(t, s); got != Open {
		t.Errorf("%s", got)
	}
}

// announced collects what the sinks are told.
func announced(c Config) (*Store, *[]Entry) {
	var told []Entry
	c.Announce = func(e Entry) { told = append(told, e) }
	return New(c), &told
}

func TestAnnouncements(t *testing.T) {
	s, told := announced(Config{Profile: CI})
	expect := func(n int, why string) {
		t.Helper()
		if len(*told) != n {
			t.Errorf("%s: told %d times, want %d", why, len(*told), n)
		}
	}
	see(s, start, sight{})
	expect(1, "at first sight")
	see(s, start.Add(59*time.Minute), sight{})
	expect(1, "within the hour")
	see(s, start.Add(61*time.Minute), sight{latency: 2 * time.Second})
	expect(2, "as a reminder")
	see(s, start.Add(62*time.Minute), sight{severity: analysis.High})
	expect(3, "when severity rises")
	see(s, start.Add(63*time.Minute), sight{severity: analysis.Low})
	expect(3, "when it falls")
	use(s, start.Add(30*day), "shop.orders", 0)
	see(s, start.Add(30*day+time.Second), sight{latency: 2 * time.Second})
	expect(4, "when it regressed")
	see(s, start.Add(30*day+2*time.Second), sight{latency: 2 * time.Second})
	expect(4, "right after that")
	if (*told)[2].Severity != analysis.High {
		t.Errorf("told %s", (*told)[2].Severity)
	}
}

func TestRegressionIsTold(t *testing.T) {
	s, told := announced(Config{Profile: CI, Remind: 1000 * day})
	for i := range 10 {
		see(s, start.Add(time.Duration(i)*time.Second), sight{latency: 2 * time.Second})
	}
	use(s, start.Add(2*day), "shop.orders", 0)
	see(s, start.Add(2*day+time.Second), sight{latency: 2 * time.Second})
	if len(*told) != 2 || (*told)[1].Status != Regressed {
		t.Fatalf("told %d times", len(*told))
	}
	see(s, start.Add(2*day+2*time.Second), sight{latency: 2 * time.Second})
	if len(*told) != 2 {
		t.Error("told twice of one regression")
	}
}

func TestMutedIsShownAsSuchAndToldNobody(t *testing.T) {
	s, told := announced(Config{Profile: CI})
	see(s, start, sight{silenced: "known\x1b[31m"})
	f := s.Findings()
	if len(f) != 1 || f[0].Status != Muted || f[0].MutedBy != "known\uFFFD[31m" || len(*told) != 0 {
		t.Errorf("%+v, told %d", f, len(*told))
	}
	see(s, start.Add(time.Second), sight{}) // once without the mark is enough
	if f := s.Findings(); f[0].Status != Open || f[0].MutedBy != "" || len(*told) != 1 {
		t.Errorf("%+v, told %d", f, len(*told))
	}
}

func TestBelowTheFloorNobodyIsTold(t *testing.T) {
	s, told := announced(Config{Profile: Staging})
	for i := range 19 {
		see(s, start.Add(time.Duration(i)*time.Second), sight{})
	}
	if len(*told) != 0 || s.Totals().Suppressed != 1 || s.Totals().Occurrences != 19 {
		t.Errorf("told %d, totals %+v", len(*told), s.Totals())
	}
}
