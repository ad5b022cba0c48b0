package store

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
	"time"

	"mongoadvisor/internal/op"
)

// place is a shared place that does what the database does.
type place struct {
	findings   map[string]Saved
	namespaces map[op.Namespace]Workload
	workload   Workload
	began      time.Time
}

func newPlace() *place {
	return &place{findings: map[string]Saved{}, namespaces: map[op.Namespace]Workload{}}
}

// add takes changes.
func (p *place) add(c Changes) {
	for _, x := range c.Findings {
		f, known := p.findings[x.Fingerprint]
		if !known {
			f = x.Saved
			f.Figures, f.Clients = Figures{}, nil
		}
		f.Figures = f.Figures.Plus(x.Delta)
		for _, app := range x.Apps {
			i := slices.IndexFunc(f.Clients, func(c Client) bool { return c.App == app.App && c.Driver == app.Driver })
			if i < 0 {
				f.Clients = append(f.Clients, app.Client)
				continue
			}
			f.Clients = slices.Clone(f.Clients)
			f.Clients[i].Count += app.Count
		}
		if x.First.Before(f.First) {
			f.First = x.First
		}
		f.ToldSeverity = max(f.ToldSeverity, x.ToldSeverity)
		f.Last, f.Severity = later(f.Last, x.Last), max(f.Severity, x.Severity)
		f.Slowest, f.MaxReply, f.Documents = max(f.Slowest, x.Slowest), max(f.MaxReply, x.MaxReply), max(f.Documents, x.Documents)
		f.ToldAt, f.FixedAt, f.RegressedAt = later(f.ToldAt, x.ToldAt), later(f.FixedAt, x.FixedAt), later(f.RegressedAt, x.RegressedAt)
		p.findings[x.Fingerprint] = f
	}
	for _, n := range c.Namespaces {
		name := op.Namespace{DB: n.Database, Coll: n.Collection}
		w := p.namespaces[name]
		p.namespaces[name] = Workload{w.Operations + n.Operations, w.Latency + n.Latency, later(w.Last, n.Last)}
	}
	p.workload = Workload{p.workload.Operations + c.Workload.Operations, p.workload.Latency + c.Workload.Latency, later(p.workload.Last, c.Workload.Last)}
	if p.began.IsZero() || c.Began.Before(p.began) {
		p.began = c.Began
	}
}

func (p *place) state() State {
	out := State{Workload: p.workload, Began: p.began}
	for _, f := range p.findings {
		out.Findings = append(out.Findings, f)
	}
	for name, w := range p.namespaces {
		out.Namespaces = append(out.Namespaces, SavedNamespace{name.DB, name.Coll, w})
	}
	return out
}

// numbers are those of findings that must be equal wherever they are counted.
func numbers(s *Store) map[string]string {
	out := map[string]string{}
	for _, e := range s.Findings() {
		clients := map[string]int64{}
		for _, c := range e.Clients {
			clients[c.App+c.Driver] = c.Count
		}
		out[e.Fingerprint] = fmt.Sprint(e.Count, e.FirstSeen, e.LastSeen, e.LatencyMS, e.Severity, e.Impact, e.Namespace, clients)
	}
	return out
}

// However processes take turns, and with those that end and begin anew, in the end all
// have what one would have seen.
func TestProcessesAddUp(t *testing.T) {
	for seed := range uint64(40) {
		r := rand.New(rand.NewPCG(seed, 2))
		shared, alone := newPlace(), New(Config{Profile: CI})
		stores := []*Store{New(Config{Profile: CI}), New(Config{Profile: CI}), New(Config{Profile: CI})}
		sync := func(s *Store) {
			shared.add(s.Changes())
			s.Merge(shared.state())
		}
		for i := range 300 {
			k := r.IntN(len(stores))
			switch r.IntN(8) {
			case 0:
				sync(stores[k])
			case 1:
				if r.IntN(4) == 0 { // it ends in good order, and another comes
					shared.add(stores[k].Changes())
					stores[k] = New(Config{Profile: CI})
				}
			default:
				x := sight{ns: fmt.Sprintf("shop.c%c", 'a'+r.IntN(3)), app: fmt.Sprintf("app%c", 'a'+r.IntN(4)), latency: time.Duration(1 + r.IntN(int(time.Second)))}
				at := start.Add(time.Duration(i) * time.Minute)
				see(stores[k], at, x)
				see(alone, at, x)
			}
		}
		for range 2 {
			for _, s := range stores {
				sync(s)
			}
		}
		want := numbers(alone)
		for k, s := range stores {
			if got := numbers(s); !reflect.DeepEqual(got, want) {
				t.Fatalf("seed %d, store %d:\n%v\nwant\n%v", seed, k, got, want)
			}
			if c := s.Changes(); !c.Empty() {
				t.Errorf("seed %d: nothing has happened since, and it says %+v", seed, c)
			}
		}
	}
}

// The floor is reached by all together, and what one has told the others do not tell
// again.
func TestFloorsAndNewsAreShared(t *testing.T) {
	var told [2]int
	shared := newPlace()
	var stores [2]*Store
	for i := range stores {
		stores[i] = New(Config{Profile: Staging, Announce: func(Entry) { told[i]++ }})
	}
	sync := func() {
		for range 2 {
			for _, s := range stores {
				shared.add(s.Changes())
				s.Merge(shared.state())
			}
		}
	}
	for i := range 18 {
		see(stores[i%2], start.Add(time.Duration(i)*time.Second), sight{latency: time.Second})
	}
	sync()
	if told != [2]int{} {
		t.Fatalf("18 times are below the floor: told %v", told)
	}
	see(stores[0], start.Add(time.Minute), sight{latency: time.Second})
	sync()
	see(stores[1], start.Add(2*time.Minute), sight{latency: time.Second})
	sync()
	see(stores[0], start.Add(3*time.Minute), sight{latency: time.Second})
	if told != [2]int{0, 1} {
		t.Errorf("told %v, want once, by the one that saw the twentieth", told)
	}
}

// What one finds to be fixed is fixed for all, until any sees it again.
func TestFixedForAll(t *testing.T) {
	shared := newPlace()
	a, b := New(Config{Profile: CI}), New(Config{Profile: CI})
	sync := func(s *Store) {
		shared.add(s.Changes())
		s.Merge(shared.state())
	}
	see(a, start, sight{latency: time.Second})
	a.Sweep()
	sync(a)
	sync(b)
	use(a, start.Add(2*day), "shop.orders", 0)
	a.config.Announce = func(Entry) {}
	a.entries[a.Findings()[0].Fingerprint].announced = true
	a.Sweep()
	sync(a)
	sync(b)
	if got := status(t, b); got != Fixed {
		t.Errorf("at the other process it is %s", got)
	}
	see(b, start.Add(3*day), sight{latency: 2 * time.Second})
	sync(b)
	sync(a)
	if got := status(t, a); got != Regressed {
		t.Errorf("back at one, at the other it is %s", got)
	}
}

// TestFixedOnceMore: what others have seen come back is told as fixed again, also by a
// process that had told so before.
func TestFixedOnceMore(t *testing.T) {
	fixed := 0
	s := New(Config{Profile: CI, FixedAfter: time.Hour, Announce: func(e Entry) {
		if e.Status == Fixed {
			fixed++
		}
	}})
	at := time.Unix(1_700_000_000, 0)
	f := kept()
	f.First, f.Last, f.ToldAt = at, at, at
	use := func(hours int) State {
		last := at.Add(time.Duration(hours) * time.Hour)
		w := Workload{Operations: int64(10 + hours), Last: last}
		return State{Findings: []Saved{f}, Workload: w, Namespaces: []SavedNamespace{{"shop", "orders", w}}}
	}
	s.Merge(use(0))
	s.Merge(use(2))
	s.Sweep()
	f.Last, f.RegressedAt, f.FixedAt = at.Add(3*time.Hour), at.Add(3*time.Hour), at.Add(2*time.Hour)
	s.Merge(use(3))
	s.Merge(use(6))
	s.Sweep()
	s.Sweep()
	if fixed != 2 {
		t.Errorf("told %d times that it is fixed", fixed)
	}
}

// TestClockOfOthers: one that runs ahead, or a time that was none, makes nothing fixed
// here, now or later.
func TestClockOfOthers(t *testing.T) {
	ahead := New(Config{Profile: CI, Announce: func(Entry) {}})
	see(ahead, start, sight{ns: "shop.orders"})
	use(ahead, start.AddDate(1, 0, 0), "shop.orders", 0)
	ahead.Sweep()
	if f := ahead.Findings(); f[0].Status != Fixed {
		t.Fatalf("a year later it is %s", f[0].Status)
	}
	var told []Status
	s := New(Config{Profile: CI, Announce: func(e Entry) { told = append(told, e.Status) }})
	s.Merge(ahead.Save())
	for i := range 5 {
		see(s, start.Add(time.Duration(i)*10*time.Minute), sight{ns: "shop.orders"})
		see(s, start.Add(time.Duration(i)*10*time.Minute), sight{ns: "shop.items"})
		s.Sweep()
	}
	for _, f := range s.Findings() {
		if want := map[string]Status{"shop.orders": Regressed, "shop.items": Open}[f.Namespace]; f.Status != want {
			t.Errorf("%s is %s, want %s", f.Namespace, f.Status, want)
		}
	}
	if !slices.Equal(told, []Status{Regressed, Open}) {
		t.Errorf("told of %v", told)
	}
}
