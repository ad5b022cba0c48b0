package store

import (
	"testing"
	"time"

	"mongoadvisor/internal/analysis"
)

func TestFloors(t *testing.T) {
	second := func(i int) time.Time { return start.Add(time.Duration(i) * time.Second) }
	for name, c := range map[string]struct {
		profile Profile
		sight   sight
		floor   int // the occurrence that shows it
	}{
		"ci":                        {CI, sight{}, 1},
		"ci, min-count":             {CI, sight{minCount: 3}, 3},
		"staging":                   {Staging, sight{}, 20},
		"staging, high":             {Staging, sight{severity: analysis.High}, 3},
		"staging, correctness":      {Staging, sight{rule: correct}, 1},
		"staging, min-count":        {Staging, sight{minCount: 50}, 50},
		"staging, low min-count":    {Staging, sight{minCount: 2}, 20},
		"production":                {Production, sight{latency: 20 * time.Millisecond}, 100},
		"production, high":          {Production, sight{severity: analysis.High}, 100},
		"production, correctness":   {Production, sight{rule: correct}, 1},
		"correctness and min-count": {Production, sight{rule: correct, minCount: 5}, 5},
	} {
		s := New(Config{Profile: c.profile})
		for i := 1; i <= c.floor; i++ {
			if n := len(s.Findings()); n != 0 {
				t.Errorf("%s: shown after %d, floor %d", name, i-1, c.floor)
				break
			}
			see(s, second(i), c.sight)
		}
		got := s.Findings()
		if len(got) != 1 || got[0].Evidence[0].Limit != int64(c.floor) || got[0].Evidence[0].Value != int64(c.floor) || s.Totals().Suppressed != 0 {
			t.Errorf("%s: %d findings at the floor %d", name, len(got), c.floor)
		}
	}
}

// In production a finding also needs one a minute, or one percent of the time.
func TestProductionWantsARateOrAShare(t *testing.T) {
	for name, c := range map[string]struct {
		every   time.Duration
		latency time.Duration // of each occurrence
		others  time.Duration // of the rest of the namespace, each time
		shown   bool
	}{
		"one a minute":             {time.Minute - time.Second, 0, 0, true},
		"too seldom":               {5 * time.Minute, 10 * time.Millisecond, 10 * time.Second, false},
		"seldom and a large share": {5 * time.Minute, 200 * time.Millisecond, 10 * time.Second, true},
		"seldom, no latencies":     {5 * time.Minute, 0, 0, false},
	} {
		s := New(Config{Profile: Production})
		for i := range 150 {
			at := start.Add(time.Duration(i) * c.every)
			see(s, at, sight{latency: c.latency})
			use(s, at, "shop.orders", c.others)
		}
		if got := len(s.Findings()) == 1; got != c.shown {
			t.Errorf("%s: shown %v", name, got)
		}
	}
}

func TestRareFindingsAreNotShown(t *testing.T) {
	for name, c := range map[string]struct {
		sight sight
		every time.Duration
		n     int
		shown bool
	}{
		"once":               {sight{}, 0, 1, true},
		"one an hour":        {sight{latency: time.Millisecond}, time.Hour, 5, false},
		"one an hour, slow":  {sight{latency: 2 * time.Second}, time.Hour, 5, true},
		"two an hour":        {sight{}, 30 * time.Minute, 5, true},
		"correctness":        {sight{rule: correct}, 3 * time.Hour, 5, true},
		"a burst and a gap":  {sight{}, 0, 30, true},
		"unknown, every day": {sight{}, 24 * time.Hour, 3, false},
	} {
		s := New(Config{Profile: CI})
		for i := range c.n {
			see(s, start.Add(time.Duration(i)*c.every), c.sight)
		}
		if got := len(s.Findings()) == 1; got != c.shown {
			t.Errorf("%s: shown %v", name, got)
		}
	}
}

func TestSmallDataLowersTheSeverity(t *testing.T) {
	small, slow, large := sight{latency: time.Millisecond, reply: 500}, sight{latency: 50 * time.Millisecond}, sight{latency: time.Millisecond, reply: 20 << 10}
	for name, c := range map[string]struct {
		profile Profile
		sight   sight
		want    analysis.Severity
	}{
		"small":              {Staging, small, analysis.Low},
		"small, ci":          {CI, small, analysis.Medium},
		"slow":               {Staging, slow, analysis.Medium},
		"large reply":        {Staging, large, analysis.Medium},
		"no latencies":       {Staging, sight{}, analysis.Medium},
		"small, correctness": {Staging, sight{rule: correct, latency: time.Millisecond}, analysis.Critical},
	} {
		s := New(Config{Profile: c.profile})
		for i := range 25 {
			see(s, start.Add(time.Duration(i)*time.Second), c.sight)
		}
		if got := s.Findings()[0].Severity; got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
	if analysis.Info.Lower() != analysis.Info {
		t.Error("below info")
	}
}

func TestParseProfile(t *testing.T) {
	for _, name := range Profiles {
		if p, err := ParseProfile(name); err != nil || string(p) != name {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := ParseProfile("prod"); err == nil {
		t.Error("prod is a profile")
	}
}
