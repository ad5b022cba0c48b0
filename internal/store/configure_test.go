package store

import (
	"path"
	"sync"
	"testing"
	"time"

	"mongoadvisor/internal/analysis"
)

// TestConfigure: another profile, baseline and other times hold for what was found
// before, too; what was counted stays.
func TestConfigure(t *testing.T) {
	var told []string
	c := Config{Profile: Staging, Announce: func(e Entry) { told = append(told, e.Namespace) }}
	s := New(c)
	for i := range 5 {
		see(s, start.Add(time.Duration(i)*time.Second), sight{})
	}
	if len(s.Findings()) != 0 {
		t.Fatal("shown below its floor")
	}
	s.Configure(Config{Profile: CI})
	found := s.Findings()
	if len(found) != 1 || found[0].Count != 5 || found[0].Status != Open || len(told) != 0 {
		t.Fatalf("%+v, told %q", found, told)
	}
	see(s, start.Add(5*time.Second), sight{})
	if len(told) != 1 {
		t.Errorf("told %d times with the floor reached", len(told))
	}
	s.Configure(Config{Profile: CI, Baseline: []Known{{Fingerprint: found[0].Fingerprint, Severity: analysis.Medium}}})
	if f := s.Findings()[0]; f.Status != Muted || f.MutedBy != "baseline" || len(s.Gone()) != 0 {
		t.Errorf("%s by %q, gone %v", f.Status, f.MutedBy, s.Gone())
	}
	s.Configure(Config{Profile: CI, Remind: time.Minute, FixedAfter: time.Hour})
	see(s, start.Add(3*time.Minute), sight{})
	if len(told) != 2 {
		t.Errorf("told %d times, the reminder of a minute included", len(told))
	}
	use(s, start.Add(2*time.Hour), "shop.orders", 0)
	if f := s.Findings()[0]; f.Status != Fixed {
		t.Errorf("%s two hours after it was seen, with an hour asked for", f.Status)
	}
	s.Configure(Config{Profile: CI})
	if f := s.Findings()[0]; f.Status != Open || f.Count != 7 {
		t.Errorf("%s with the usual day, count %d", f.Status, f.Count)
	}
}

// TestMute: an open finding is muted at once, and shown again when it occurs unsilenced.
func TestMute(t *testing.T) {
	s := New(Config{Profile: CI})
	see(s, start, sight{ns: "shop.orders"})
	see(s, start, sight{ns: "shop.items"})
	s.Mute(func(r *analysis.Report) string {
		if ok, _ := path.Match("shop.o*", r.NS.String()); ok && r.Rule == usual && r.Time.Equal(start) && !r.Shape.IsZero() {
			return "known"
		}
		return ""
	})
	status := func() map[string]Status {
		out := map[string]Status{}
		for _, e := range s.Findings() {
			out[e.Namespace] = e.Status
			if e.Status == Muted && e.MutedBy != "known" {
				t.Errorf("muted by %q", e.MutedBy)
			}
		}
		return out
	}
	if got := status(); got["shop.orders"] != Muted || got["shop.items"] != Open {
		t.Errorf("%v", got)
	}
	see(s, start, sight{ns: "shop.orders", silenced: "known"})
	if got := status(); got["shop.orders"] != Muted {
		t.Errorf("%v after a silenced occurrence", got)
	}
	again := New(Config{Profile: CI})
	again.Merge(s.Save())
	if f := again.Findings(); f[0].Status != Open || f[1].Status != Open {
		t.Error("what a configuration mutes is muted under another one, too")
	}
	see(s, start, sight{ns: "shop.orders"})
	if got := status(); got["shop.orders"] != Open {
		t.Errorf("%v after one that nothing silenced", got)
	}
	s.Mute(func(*analysis.Report) string { return "known" })
	s.Mute(func(*analysis.Report) string { return "" })
	if got := status(); got["shop.orders"] != Open || got["shop.items"] != Open {
		t.Errorf("%v when no reason is left", got)
	}
}

func TestConfigureBesideRecording(t *testing.T) {
	s := New(Config{Profile: CI, Announce: func(Entry) {}})
	var wg sync.WaitGroup
	wg.Go(func() {
		for i := range 500 {
			see(s, start.Add(time.Duration(i)*time.Second), sight{})
		}
	})
	wg.Go(func() {
		for i := range 500 {
			s.Configure(Config{Profile: []Profile{CI, Staging, Production}[i%3], Baseline: []Known{{Fingerprint: "00"}}})
			s.Mute(func(*analysis.Report) string { return "" })
			s.Findings()
			s.Gone()
		}
	})
	wg.Wait()
	if n := s.Totals().Occurrences; n != 500 {
		t.Errorf("%d occurrences", n)
	}
}
