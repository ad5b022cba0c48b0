package topology

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/event"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"mongoadvisor/internal/demo/mongod"
	"mongoadvisor/internal/demo/mongod/mongodtest"
	"mongoadvisor/proxy"
)

// realSet is a replica set with a proxy in front of each member.
type realSet struct {
	*mongod.Set
	m *Map
}

func startRealSet(t *testing.T, opts mongod.SetOptions) realSet {
	t.Helper()
	s := realSet{Set: mongodtest.StartSet(t, opts)}
	s.m = NewMap(Config{
		Listen: func(member string, _ int) (string, error) {
			p := &proxy.Server{Listen: "127.0.0.1:0", Upstream: member, NewRewriter: func(c proxy.Conn) proxy.Rewriter { return s.m.Rewriter(c.Local) }}
			if err := p.Start(); err != nil {
				return "", err
			}
			t.Cleanup(func() {
				ctx, cancel := context.WithCancel(context.Background())
				cancel()
				_ = p.Shutdown(ctx)
			})
			return p.Addrs()[0].String(), nil
		},
		Report: func(e Event) { t.Logf("%s %s %s %v", e.Kind, e.Member, e.Addr, e.Err) },
	})
	found, err := Discover(t.Context(), []string{"127.0.0.1:1", s.Members[1].Addr()}, dial)
	if err != nil {
		t.Fatal(err)
	}
	s.m.NameSet(found.Set)
	s.m.Add(found.Members...)
	return s
}

// dialled notes every address that a driver opens anything to.
type dialled struct {
	mu  sync.Mutex
	all map[string]bool
}

func (d *dialled) note(addr string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.all == nil {
		d.all = map[string]bool{}
	}
	d.all[addr] = true
}

// connect uses the set through its listeners.
func (s realSet) connect(t *testing.T, more string) (*mongo.Client, *dialled) {
	t.Helper()
	d := &dialled{}
	o := options.Client().ApplyURI(s.m.ConnectionString() + more).SetServerSelectionTimeout(30 * time.Second).SetHeartbeatInterval(500 * time.Millisecond)
	o.SetPoolMonitor(&event.PoolMonitor{Event: func(e *event.PoolEvent) { d.note(e.Address) }})
	o.SetServerMonitor(&event.ServerMonitor{ServerOpening: func(e *event.ServerOpeningEvent) { d.note(string(e.Address)) }})
	c, err := mongo.Connect(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Disconnect(context.Background()) })
	return c, d
}

// onlyListeners checks that nothing went round the listeners, and that want of
// them were used.
func (s realSet) onlyListeners(t *testing.T, d *dialled, want int) {
	t.Helper()
	ours := map[string]bool{}
	for _, m := range s.m.Members() {
		ours[m.Addr] = true
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	for addr := range d.all {
		if !ours[addr] {
			t.Errorf("the driver opened a connection to %s, which is none of %v", addr, ours)
		}
	}
	if len(d.all) != want {
		t.Errorf("the driver knows %v, want %d listeners", d.all, want)
	}
}

func admin(t *testing.T, c *mongo.Client, command bson.D) bson.M {
	t.Helper()
	var reply bson.M
	if err := c.Database("admin").RunCommand(t.Context(), command).Decode(&reply); err != nil {
		t.Fatalf("%s: %v", command[0].Key, err)
	}
	return reply
}

// await polls; the minute is only there so that a broken build ends.
func await(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		if ok() {
			return
		}
	}
	t.Fatalf("gave up waiting until %s", what)
}

// A driver that is told one listener finds the others, with each compressor and
// across a change of primary, and never a member.
func TestRealSet(t *testing.T) {
	s := startRealSet(t, mongod.SetOptions{})
	for _, compressor := range []string{"", "snappy", "zlib", "zstd"} {
		t.Run("compressor "+compressor, func(t *testing.T) {
			c, d := s.connect(t, "&compressors="+compressor)
			things := c.Database("test").Collection("things" + compressor)
			if _, err := things.InsertOne(t.Context(), bson.D{{Key: "x", Value: strings.Repeat("x", 1000)}}); err != nil {
				t.Fatal(err)
			}
			if err := s.StepDown(t.Context()); err != nil {
				t.Fatal(err)
			}
			await(t, "writes pass again", func() bool {
				_, err := things.InsertOne(t.Context(), bson.D{{Key: "x", Value: 1}})
				return err == nil
			})
			status := admin(t, c, bson.D{{Key: "replSetGetStatus", Value: 1}})
			for _, m := range status["members"].(bson.A) {
				if name := m.(bson.D)[1]; name.Key != "name" || !slices.ContainsFunc(s.m.Members(), func(m Member) bool { return m.Addr == name.Value }) {
					t.Errorf("replSetGetStatus says %v", name)
				}
			}
			s.onlyListeners(t, d, 3)
		})
	}
	if s.m.Stats.Panics.Load()+s.m.Stats.Unframed.Load()+s.m.Stats.Undecodable.Load() != 0 {
		t.Error("some traffic was not understood")
	}
}

// A configuration that was read and written through a listener still has the
// members' own names; a member that it adds gets a listener, which the driver
// finds; one that it takes away is marked.
func TestRealReconfig(t *testing.T) {
	s := startRealSet(t, mongod.SetOptions{})
	spare, err := s.Spare(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = spare.Stop() }()
	c, d := s.connect(t, "")
	var want []string
	for _, p := range s.Members {
		want = append(want, p.Addr())
	}
	own := func() (hosts []string) { // asked at a member itself
		primary, err := s.Primary(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		direct, err := mongo.Connect(options.Client().ApplyURI(primary.URI()))
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = direct.Disconnect(context.Background()) }()
		config := admin(t, direct, bson.D{{Key: "replSetGetConfig", Value: 1}})["config"].(bson.D)
		return hostsOf(config)
	}
	reconfig := func(change func(bson.A) bson.A) {
		t.Helper()
		config := admin(t, c, bson.D{{Key: "replSetGetConfig", Value: 1}})["config"].(bson.D)
		for _, host := range hostsOf(config) {
			if slices.Contains(want, host) {
				t.Errorf("the configuration tells %s, a member's own name", host)
			}
		}
		for i, e := range config {
			switch e.Key {
			case "version":
				config[i].Value = e.Value.(int32) + 1
			case "members":
				config[i].Value = change(e.Value.(bson.A))
			}
		}
		admin(t, c, bson.D{{Key: "replSetReconfig", Value: config}})
	}

	reconfig(func(members bson.A) bson.A { return members })
	if got := own(); !slices.Equal(got, want) {
		t.Errorf("the set now has %v, want %v", got, want)
	}
	reconfig(func(members bson.A) bson.A {
		return append(members, bson.D{{Key: "_id", Value: 9}, {Key: "host", Value: spare.Addr()}, {Key: "priority", Value: 0}, {Key: "votes", Value: 0}})
	})
	if got := own(); !slices.Equal(got, append(slices.Clone(want), spare.Addr())) {
		t.Errorf("the set now has %v", got)
	}
	await(t, "the new member has a listener that the driver uses", func() bool {
		d.mu.Lock()
		defer d.mu.Unlock()
		return len(s.m.Members()) == 4 && d.all[s.m.Members()[3].Addr]
	})
	s.onlyListeners(t, d, 4)
	reconfig(func(members bson.A) bson.A { return members[:3] })
	await(t, "it is marked as gone", func() bool { return s.m.Members()[3].Left })
	if s.m.Members()[3].Name != spare.Addr() {
		t.Errorf("members %v", s.m.Members())
	}
}

func hostsOf(config bson.D) (hosts []string) {
	for _, e := range config {
		if e.Key == "members" {
			for _, m := range e.Value.(bson.A) {
				hosts = append(hosts, fmt.Sprint(m.(bson.D)[1].Value))
			}
		}
	}
	return hosts
}
