package sketch

import (
	"testing"
	"time"

	"pgregory.net/rapid"
)

func TestSetStopsAtItsBound(t *testing.T) {
	s := NewSet(3)
	for h := range uint64(10) {
		if s.Add(h) != (h < 3) {
			t.Errorf("%d: new is %v", h, h >= 3)
		}
	}
	if s.Add(1) || s.Len() != 3 || !s.Full() || !s.Has(2) || s.Has(9) {
		t.Errorf("%d hashes, full %v", s.Len(), s.Full())
	}
}

// TestTopKeepsWhatIsFrequent: what space-saving promises, for any stream.
func TestTopKeepsWhatIsFrequent(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		limit := rapid.IntRange(1, 8).Draw(t, "limit")
		top, truth := NewTop[int](limit), map[uint64]int64{}
		for _, k := range rapid.SliceOf(rapid.Uint64Range(0, 20)).Draw(t, "keys") {
			truth[k]++
			it := top.Add(k, 1)
			if it.Key != k || it.Count < truth[k] || it.Count-it.Over > truth[k] {
				t.Fatalf("key %d: %d over by at most %d, in truth %d", k, it.Count, it.Over, truth[k])
			}
		}
		if top.Len() > limit {
			t.Fatalf("%d keys are kept", top.Len())
		}
		for k, n := range truth {
			if n > top.Total()/int64(limit) && top.Get(k) == nil {
				t.Fatalf("key %d with %d of %d is missing", k, n, top.Total())
			}
		}
	})
}

func TestTopForgetsTheValueWithTheKey(t *testing.T) {
	top := NewTop[string](1)
	if top.Least() != nil {
		t.Error("an empty one has a least item")
	}
	top.Add(1, 5).Value = "one"
	if top.Least().Key != 1 {
		t.Errorf("%+v is the least", top.Least())
	}
	if it := top.Add(2, 1); it.Value != "" || it.Count != 6 || it.Over != 5 || top.Get(1) != nil {
		t.Errorf("%+v", it)
	}
}

func TestRate(t *testing.T) {
	start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	r := NewRate(time.Minute)
	for i := range 600 { // ten a second
		n := r.Add(start.Add(time.Duration(i)*100*time.Millisecond), 1)
		if n != int64(i+1) {
			t.Fatalf("call %d: %d in the window", i, n)
		}
	}
	for _, c := range []struct {
		after     time.Duration
		low, high int64
	}{{59 * time.Second, 600, 600}, {90 * time.Second, 300, 351}, {3 * time.Minute, 0, 0}} {
		if n := r.Count(start.Add(c.after)); n < c.low || n > c.high {
			t.Errorf("after %v: %d in the window, want %d to %d", c.after, n, c.low, c.high)
		}
	}
	if n := r.Add(start, 1); n != 0 || r.Total() != 601 || !r.First().Equal(start) {
		t.Errorf("an old time: %d in the window, %d in all", n, r.Total())
	}
}

func TestRateAtTheEnds(t *testing.T) {
	at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	r := NewRate(12 * time.Second)
	r.Add(at, 1)
	if n := r.Count(at.Add(13 * time.Second)); n != 0 {
		t.Errorf("a slot beyond the window counts %d", n)
	}
	r = NewRate(12 * time.Second)
	r.Add(at.Add(12*time.Second), 1)
	if n := r.Add(at, 1); n != 2 {
		t.Errorf("out of order, within the window: %d", n)
	}
}

func TestRateBefore1970(t *testing.T) {
	r := NewRate(time.Minute)
	for n := range int64(3) {
		if got := r.Add(time.Unix(-30+n*30, 0), 1); got != n+1 {
			t.Errorf("count %d after %d", got, n+1)
		}
	}
	if got := NewRate(time.Minute).Add(time.Unix(-3, 0), 1); got != 1 {
		t.Errorf("alone it counts %d", got)
	}
}
