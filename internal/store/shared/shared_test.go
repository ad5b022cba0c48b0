package shared

import (
	"fmt"
	"io"
	"net"
	"reflect"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"mongoadvisor/internal/analysis"
	"mongoadvisor/internal/demo/mongod/mongodtest"
	"mongoadvisor/internal/op"
	"mongoadvisor/internal/store"
)

var rule = &analysis.Analyzer{ID: "Q01", Name: "test", Severity: analysis.Medium}

// see is one occurrence of a finding, now.
func see(s *store.Store, collection, app string, latency time.Duration) {
	o := &op.Operation{
		Time: time.Now(), Command: "find", NS: op.Namespace{DB: "shop", Coll: collection}, Latency: latency,
		Conn: &op.Conn{ID: 1, App: app, Driver: "driver"}, Reply: op.Reply{Bytes: 100, Returned: 2},
	}
	s.Observe(o)
	s.Record(analysis.Report{
		Rule: rule, Op: o, Time: o.Time, NS: o.NS, Shape: op.TextShape("{filter: {a: <number>}}"), Command: "find", Severity: rule.Severity,
		Finding:   analysis.Finding{Reason: "seen", Message: "m", Evidence: []analysis.Evidence{{Name: "figure", Value: 7, Limit: 5}}},
		Confident: analysis.Observed,
	})
}

func connect(t *testing.T, uri string) *Client {
	t.Helper()
	c, err := Connect(uri)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close(t.Context()) })
	return c
}

var self = Process{Version: "test", Source: op.SourceProxy, Profile: store.CI, Coverage: op.Coverage{Messages: 3, Ratio: 1}, NotJudged: map[string]string{"I05": "switched off"}}

func newStore() *store.Store { return store.New(store.Config{Profile: store.CI}) }

func sync1(t *testing.T, c *Client, s *store.Store) {
	t.Helper()
	if err := c.Sync(t.Context(), s, self); err != nil {
		t.Fatal(err)
	}
}

// TestAddsUp: processes that write at the same time, some of which end and begin anew,
// have the sum of all in the end, and so has whoever only reads.
func TestAddsUp(t *testing.T) {
	server := mongodtest.Start(t)
	uri := "mongodb://" + server.Addr() + "/findings_here"
	const each, rounds = 50, 6
	apps := [4]int64{}
	var mu sync.Mutex
	var wg sync.WaitGroup
	for p := range 4 {
		wg.Go(func() {
			c, s := connect(t, uri), newStore()
			for round := range rounds {
				for i := range each {
					app := (p + i) % 4
					see(s, fmt.Sprintf("c%c", 'a'+i%5), fmt.Sprintf("app%d", app), time.Duration(1+i)*time.Millisecond)
					mu.Lock()
					apps[app]++
					mu.Unlock()
				}
				if err := c.Sync(t.Context(), s, self); err != nil {
					t.Error(err)
					return
				}
				if p == 0 && round == 2 { // this one ends, and another comes
					c, s = connect(t, uri), newStore()
				}
			}
		})
	}
	wg.Wait()
	last := newStore()
	reader := connect(t, uri)
	sync1(t, reader, last)
	total, byApp := int64(0), [4]int64{}
	for _, f := range last.Findings() {
		total += f.Count
		for _, c := range f.Clients {
			if c.Driver != "driver" {
				t.Errorf("%s: client %+v", f.Namespace, c)
				continue
			}
			byApp[c.App[3]-'0'] += c.Count
		}
		if f.Count != 4*rounds*each/5 || f.LatencyMS == nil || f.LatencyMS.Max < 46 || f.Evidence[len(f.Evidence)-1].Value != 7 || f.Confidence != analysis.Observed {
			t.Errorf("%+v", f)
		}
	}
	if total != 4*rounds*each || byApp != apps {
		t.Errorf("%d occurrences, by application %v; want %d, %v", total, byApp, 4*rounds*each, apps)
	}
	if n := last.Totals().Operations; n != total {
		t.Errorf("%d operations", n)
	}
	state, processes, err := connect(t, uri).Load(t.Context())
	if err != nil || len(processes) != 6 || !reflect.DeepEqual(processes[0], self) {
		t.Fatalf("%d processes, %+v, %v", len(processes), processes, err)
	}
	again := newStore()
	again.Merge(state)
	if !reflect.DeepEqual(again.Findings(), last.Findings()) {
		t.Errorf("loaded\n%+v\nwant\n%+v", again.Findings(), last.Findings())
	}
}

// relay stands before a server. While deaf it passes requests on and no replies, and ends
// connections that had one.
type relay struct {
	net.Listener
	deaf atomic.Bool
}

func newRelay(t *testing.T, server string) *relay {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	r := &relay{Listener: l}
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			client, err := l.Accept()
			if err != nil {
				return
			}
			up, err := net.Dial("tcp", server)
			if err != nil {
				_ = client.Close()
				continue
			}
			go func() { _, _ = io.Copy(up, client); _ = up.Close() }()
			go r.answer(client, up)
		}
	}()
	return r
}

func (r *relay) answer(client, up net.Conn) {
	defer client.Close()
	buf := make([]byte, 64<<10)
	for {
		n, err := up.Read(buf)
		if err != nil || r.deaf.Load() {
			return // the server has done it, and nobody learns of it
		}
		if _, err := client.Write(buf[:n]); err != nil {
			return
		}
	}
}

// TestWritesOfUnknownOutcome: the server does what it is told, and the answer is lost,
// again and again. Nothing counts twice, and nothing is lost.
func TestWritesOfUnknownOutcome(t *testing.T) {
	server := mongodtest.Start(t)
	r := newRelay(t, server.Addr())
	c, s := connect(t, "mongodb://"+r.Addr().String()+"/?directConnection=true&retryWrites=false"), newStore()
	sync1(t, c, s)
	want := int64(0)
	for range 2 {
		for range 10 {
			see(s, "orders", "app", time.Millisecond)
			want++
		}
		r.deaf.Store(true)
		for range 2 {
			if err := c.Sync(t.Context(), s, self); err == nil {
				t.Fatal("the answer came")
			}
		}
		r.deaf.Store(false)
		see(s, "orders", "app", time.Millisecond) // meanwhile
		want++
		sync1(t, c, s)
		other := newStore()
		sync1(t, connect(t, server.URI()), other)
		f := other.Findings()
		if len(f) != 1 || f[0].Count != want || f[0].Clients[0].Count != want {
			t.Fatalf("%+v, want %d", f, want)
		}
		if f := s.Findings(); f[0].Count != want {
			t.Errorf("the process itself says %d", f[0].Count)
		}
		if n := other.Totals().Operations; n != want {
			t.Errorf("%d operations, want %d", n, want)
		}
	}
}

// TestDroppedCollection: somebody empties the store. What comes is kept, and nothing
// fails.
func TestDroppedCollection(t *testing.T) {
	server := mongodtest.Start(t)
	c, s := connect(t, server.URI()), newStore()
	see(s, "orders", "app", time.Millisecond)
	sync1(t, c, s)
	if err := c.db.Drop(t.Context()); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		see(s, "orders", "app", time.Millisecond)
	}
	sync1(t, c, s)
	other := newStore()
	sync1(t, connect(t, server.URI()), other)
	if f := other.Findings(); len(f) != 1 || f[0].Count != 3 || f[0].Message != "m" {
		t.Errorf("%+v", f)
	}
}

// TestManyApplications: the list stays short, and their occurrences are all counted.
func TestManyApplications(t *testing.T) {
	server := mongodtest.Start(t)
	for p := range 3 {
		c, s := connect(t, server.URI()), newStore()
		for i := range 14 {
			for range 1 + i {
				see(s, "orders", fmt.Sprintf("app%d-%d", p, i), 0)
			}
			sync1(t, c, s)
		}
	}
	s := newStore()
	sync1(t, connect(t, server.URI()), s)
	f := s.Findings()
	sum := int64(0)
	for _, c := range f[0].Clients {
		sum += c.Count
	}
	if want := int64(3 * 14 * 15 / 2); f[0].Count != want || sum != want || len(f[0].Clients) > store.MaxClients+1 {
		t.Errorf("%d clients with %d of %d", len(f[0].Clients), sum, f[0].Count)
	}
}

func TestConnectionStrings(t *testing.T) {
	for uri, want := range map[string]string{
		"mongodb://a:1/": DefaultDatabase, "mongodb://a": DefaultDatabase, "mongodb://u:p@a,b/x?replicaSet=r": "x", "mongodb://a/?x=/y": DefaultDatabase, "mongodb+srv://a.b.c/m%20n": "",
		"mongodb://a/admin": "", "mongodb://a/x.y": "", "http": "", "": "", "mongodb://a/x%2": "",
	} {
		got, err := databaseOf(uri)
		if got != want || (err == nil) != (want != "") {
			t.Errorf("%q: %q, %v", uri, got, err)
		}
	}
	for _, uri := range []string{"mongodb+srv://u:p@a.b.invalid/x?srvMaxHosts=2&replicaSet=r&srvServiceName=y", "mongodb+srv://a.b.invalid", "mongodb://a,b/x"} {
		if err := Check(uri); err != nil {
			t.Errorf("%q, whose names nobody knows: %v", uri, err)
		}
	}
	for _, uri := range []string{
		"mongodb+srv://a.b.c,d.e.f/x", "mongodb+srv://a.b.c:27017/x", "mongodb+srv:///x", "mongodb+srv://a.b.c/?connectTimeoutMS=soon", "mongodb+srv://a.b.c/admin", "mongodb://u:secret@a:b/x",
	} {
		if err := Check(uri); err == nil || strings.Contains(err.Error(), "secret") {
			t.Errorf("%q: %v", uri, err)
		}
	}
	for _, uri := range []string{"", "host:1", "http://a/x", "mongodb://u:secret@a:b/x", "mongodb://a/?connectTimeoutMS=soon"} {
		if c, err := Connect(uri); err == nil {
			_ = c.Close(t.Context())
			t.Errorf("%q was taken", uri)
		}
	}
}

// TestNobodyThere: an error says who was asked and why that failed, and nothing of the
// driver's state.
func TestNobodyThere(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := l.Addr().String()
	_ = l.Close()
	c, err := Connect("mongodb://" + address + "/advice")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = c.Close(t.Context()) }()
	want := "no server can be used: " + address + ": dial tcp " + address + ": connect: connection refused"
	if err := c.Sync(t.Context(), store.New(store.Config{}), Process{}); err == nil || err.Error() != want {
		t.Errorf("it says %v", err)
	}
	if _, _, err := c.Load(t.Context()); err == nil || err.Error() != want {
		t.Errorf("it says %v", err)
	}
}
