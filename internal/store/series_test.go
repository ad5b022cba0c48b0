package store

import (
	"math"
	"math/rand/v2"
	"reflect"
	"testing"
	"time"
	"unsafe"

	"mongoadvisor/internal/analysis"
)

// seen is one thing counted by a series.
type seen struct {
	at      time.Time
	count   int64
	latency time.Duration
	value   int64
}

func seriesOf(all []seen) *series {
	s := &series{}
	for _, x := range all {
		s.add(x.at, x.count, x.latency, x.value)
	}
	return s
}

// TestSeriesDoesNotDependOnTheOrder: nothing is lost, whatever the span, and what
// comes late is counted as if it had come in time.
func TestSeriesDoesNotDependOnTheOrder(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, span := range []time.Duration{0, time.Second, time.Minute, time.Hour, 30 * day, 20 * 365 * day} {
		var all []seen
		total, slowest, highest := int64(0), time.Duration(0), int64(0)
		for range 500 {
			x := seen{start.Add(time.Duration(r.Int64N(int64(span) + 1))), 1 + r.Int64N(5), time.Duration(r.Int64N(1e6)) * time.Microsecond, r.Int64N(1e12)}
			all = append(all, x)
			total, slowest, highest = total+x.count, max(slowest, x.latency), max(highest, x.value)
		}
		want := seriesOf(all).view(&latencies{})
		r.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
		got := seriesOf(all).view(&latencies{})
		if !reflect.DeepEqual(got, want) {
			t.Errorf("span %s, in another order:\n%+v\n%+v", span, got, want)
		}
		n, most, value := int64(0), time.Duration(0), int64(0)
		for _, p := range got.Points {
			n, most, value = n+p.Count, max(most, p.Slowest), max(value, p.Value)
		}
		if n != total || most != slowest || value != highest {
			t.Errorf("span %s: %d, %s, %d; want %d, %s, %d", span, n, most, value, total, slowest, highest)
		}
		if len(got.Points) > maxBuckets || span > time.Minute && len(got.Points) < maxBuckets/5 {
			t.Errorf("span %s: %d points of %s", span, len(got.Points), got.Width)
		}
		if last := got.Points[len(got.Points)-1]; got.Points[0].Count == 0 || last.Count == 0 {
			t.Errorf("span %s: empty at an end", span)
		}
	}
}

func TestSeriesCountsWhereItHappened(t *testing.T) {
	s := &series{}
	for i := range 120 {
		s.add(start.Add(time.Duration(i)*time.Minute), int64(i/60+1), 0, 0)
	}
	got := s.view(&latencies{})
	if got.Width != 10*time.Minute || !got.Start.Equal(start) || len(got.Points) != 12 || got.Points[5].Count != 10 || got.Points[6].Count != 20 {
		t.Errorf("%+v", got)
	}
	s.add(start.Add(-time.Hour), 3, 0, 0)
	if got = s.view(&latencies{}); len(got.Points) != 18 || got.Points[0].Count != 3 || !got.Start.Equal(start.Add(-time.Hour)) {
		t.Errorf("with one that came late: %+v", got)
	}
}

func TestSeriesOfWrongTimes(t *testing.T) {
	s := &series{}
	for _, at := range []time.Time{{}, time.Unix(0, 0), time.Unix(math.MaxInt64/2, 0), time.UnixMilli(math.MinInt64), time.UnixMilli(math.MaxInt64)} {
		s.add(at, 1, 0, 0)
	}
	if got := s.view(&latencies{}); got != nil {
		t.Errorf("%+v", got)
	}
	s.add(time.Unix(1, 0), math.MaxInt64, math.MaxInt64, math.MaxInt64)
	s.add(time.Unix(end, 0), 1, -1, -1)
	s.add(time.Unix(1, 0), 1, 0, 0)
	got := s.view(&latencies{})
	if len(got.Points) > maxBuckets || got.Points[0].Count != math.MaxUint32 || got.Points[0].Value != math.MaxInt64 {
		t.Errorf("%+v", got)
	}
}

// TestSeriesKeepsToOneFigure: a rule may measure several things, and they are not
// drawn into one line.
func TestSeriesKeepsToOneFigure(t *testing.T) {
	s := New(Config{Profile: CI})
	for i, x := range []analysis.Evidence{{Name: "elements", Value: 10, Limit: 5}, {Name: "percent", Value: 100, Limit: 5}, {Name: "elements", Value: 20, Limit: 5}, {Name: "elements", Value: 1}} {
		evidence := []analysis.Evidence{{Name: "documents", Value: 7}, x, {Name: "second", Value: 1, Limit: 1}}
		see(s, start.Add(time.Duration(i)*time.Second), sight{latency: time.Millisecond, finding: analysis.Finding{Evidence: evidence}})
		if i == 0 {
			see(s, start, sight{ns: "shop.other"})
		}
	}
	totals := s.Totals().Series
	if totals == nil || len(totals.Points) != 31 || totals.Points[0].Count != 2 || totals.Latencies[0] != (Bar{1024 * time.Microsecond, 4}) {
		t.Errorf("all traffic: %+v", totals)
	}
	for _, e := range s.Findings() {
		if e.Series == nil {
			t.Fatal("no series")
		}
		if p := e.Series.Points; e.Namespace == "shop.orders" && (e.Series.Figure != "elements" || p[0].Value != 10 || p[10].Value != 0 || p[20].Value != 20 || p[30].Value != 0) {
			t.Errorf("%+v", e.Series)
		}
		if e.Namespace == "shop.other" && (e.Series.Figure != "" || e.Series.Latencies == nil == (e.LatencyMS != nil)) {
			t.Errorf("%+v", e.Series)
		}
	}
}

func TestBars(t *testing.T) {
	var l latencies
	for _, d := range []time.Duration{3 * time.Microsecond, 900 * time.Microsecond, 901 * time.Microsecond, 1100 * time.Microsecond, 30 * time.Hour} {
		l.add(d, 1)
	}
	got := l.bars()
	n := int64(0)
	for i, b := range got {
		n += b.Count
		if i > 0 && b.UpTo != 2*got[i-1].UpTo {
			t.Errorf("bars %d and %d: %s, %s", i-1, i, got[i-1].UpTo, b.UpTo)
		}
	}
	if n != 5 || got[0] != (Bar{4 * time.Microsecond, 1}) || got[len(got)-1].Count != 1 || got[8] != (Bar{1024 * time.Microsecond, 2}) {
		t.Errorf("%v", got)
	}
	if (&latencies{}).bars() != nil {
		t.Error("bars of nothing")
	}
}

// TestSeriesIsSmall: ten thousand findings have one each.
func TestSeriesIsSmall(t *testing.T) {
	if n := unsafe.Sizeof(series{}) + maxBuckets*unsafe.Sizeof(bucket{}) + unsafe.Sizeof(latencies{}); n > 2048 {
		t.Errorf("%d bytes", n)
	}
	s := &series{}
	for i := range 10_000 {
		s.add(start.Add(time.Duration(i)*time.Second), 1, 0, 0)
		s.add(start.Add(-time.Duration(i)*time.Second), 1, 0, 0)
	}
	if cap(s.buckets) > 2*maxBuckets {
		t.Errorf("room for %d buckets", cap(s.buckets))
	}
}
