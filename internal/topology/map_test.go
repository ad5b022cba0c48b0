package topology

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"
)

// tell has a member say hello on a connection of its own.
func tell(t *testing.T, m *Map, reply bson.D) {
	t.Helper()
	r := m.Rewriter(nil)
	exchange(r, msg(t, 1, 0, 0, hi("hello")), msg(t, 2, 1, 0, reply))
}

func view3(version int32, primary bool, me string, hosts, passives, arbiters []string) bson.D {
	return bson.D{
		{Key: "setName", Value: "rs0"},
		{Key: "setVersion", Value: version},
		{Key: "isWritablePrimary", Value: primary},
		{Key: "me", Value: me},
		{Key: "arbiters", Value: arbiters},
		{Key: "passives", Value: passives},
		{Key: "hosts", Value: hosts},
	}
}

func TestMapLearns(t *testing.T) {
	var r recorded
	m := threeMembers("127.0.0.1", &r)
	tell(t, m, view3(1, false, "db3:27017", []string{"db3:27017", "zz:1", "DB2:27017", "yy:1", "db1:27017"}, []string{"pp:1"}, []string{"aa:1"}))
	tell(t, m, view3(1, true, "db1:27017", []string{"db3:27017", "zz:1", "DB2:27017", "yy:1", "db1:27017"}, []string{"pp:1"}, []string{"aa:1"}))
	tell(t, m, view3(2, true, "db1:27017", []string{"db1:27017", "db2:27017"}, nil, nil))
	tell(t, m, view3(1, false, "db3:27017", []string{"db1:27017", "db2:27017", "db3:27017"}, nil, nil)) // lags behind
	tell(t, m, view3(3, true, "db1:27017", []string{"db1:27017", "db2:27017", "db3:27017"}, nil, nil))
	want := `joined db1:27017 127.0.0.1:27217
joined DB2:27017 127.0.0.1:27218
joined db3:27017 127.0.0.1:27219
joined yy:1 127.0.0.1:27220
joined zz:1 127.0.0.1:27221
joined pp:1 127.0.0.1:27222
joined aa:1 127.0.0.1:27223
primary db1:27017 127.0.0.1:27217
left db3:27017 127.0.0.1:27219
left yy:1 127.0.0.1:27220
left zz:1 127.0.0.1:27221
left pp:1 127.0.0.1:27222
left aa:1 127.0.0.1:27223
joined db3:27017 127.0.0.1:27219`
	if got := r.String(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if got, want := m.ConnectionString(), "mongodb://127.0.0.1:27217,127.0.0.1:27218,127.0.0.1:27219/?replicaSet=rs0"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// A member without a configuration says nothing of the set.
func TestMapIgnoresTheUninitiated(t *testing.T) {
	var r recorded
	m := threeMembers("127.0.0.1", &r)
	before := r.String()
	tell(t, m, bson.D{{Key: "isreplicaset", Value: true}, {Key: "hosts", Value: []string{"x:1"}}})
	if got := r.String(); got != before {
		t.Errorf("got %s", got)
	}
}

func TestMapIsBounded(t *testing.T) {
	var r recorded
	m := NewMap(Config{Max: 2, Report: r.report, Listen: func(_ string, i int) (string, error) { return fmt.Sprintf("h:%d", i+1), nil }}, Fixed{"127.0.0.1:9", "DB1"})
	for range 2 {
		m.Add("db4", "db1:27017", "db2", "db3", "not a name", "")
	}
	got := strings.Split(r.String(), "\n")
	slices.Sort(got)
	want := []string{"joined db2 h:2", "no_room  ", "no_room db3 ", "no_room db4 ", "no_room not a name "}
	if !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
	if got := m.Members(); len(got) != 2 || got[0] != (Member{Name: "DB1", Addr: "127.0.0.1:9"}) {
		t.Errorf("members %v", got)
	}
	for i := range 2 * maxRefused {
		m.Add(fmt.Sprintf("x%d", i))
	}
	if n := len(m.refused); n != maxRefused {
		t.Errorf("%d names are kept", n)
	}
}

// A listener that cannot be had is asked for again, but not at once, on the same
// place; the name stays meanwhile.
func TestMapListenFails(t *testing.T) {
	var r recorded
	calls := 0
	m := NewMap(Config{Report: r.report, Listen: func(_ string, i int) (string, error) {
		if i != 0 {
			t.Errorf("index %d", i)
		}
		if calls++; calls < 3 {
			return "", errors.New("taken")
		}
		return "h:1", nil
	}})
	m.Add("db1")
	m.Add("db1")
	if _, ok := m.outer("db1", nil); ok || calls != 1 {
		t.Errorf("%d calls", calls)
	}
	for range 2 {
		m.members[0].failed = m.members[0].failed.Add(-retryListen)
		m.Add("db1")
	}
	if addr, ok := m.outer("DB1:27017", nil); !ok || addr != "h:1" || calls != 3 {
		t.Errorf("%s, %d calls", addr, calls)
	}
	if got := r.String(); got != "listen_failed db1 \njoined db1 h:1" {
		t.Errorf("got %s", got)
	}
}

// A member cut off from the others still thinks it is primary: it does not win
// over the one that was elected after it.
func TestMapPrimary(t *testing.T) {
	var r recorded
	m := threeMembers("127.0.0.1", &r)
	before := r.String() + "\n"
	hosts := []string{"db1:27017", "db2:27017", "db3:27017"}
	elected := func(me string, n byte) bson.D {
		return append(view3(1, true, me, hosts, nil, nil), bson.E{Key: "electionId", Value: bson.ObjectID{0x7f, 11: n}})
	}
	for _, reply := range []bson.D{elected("db1:27017", 1), elected("db2:27017", 2), elected("db1:27017", 1), elected("db2:27017", 2)} {
		tell(t, m, reply)
	}
	if got := strings.TrimPrefix(r.String(), before); got != "primary db1:27017 127.0.0.1:27217\nprimary DB2:27017 127.0.0.1:27218" {
		t.Errorf("got %s", got)
	}
}

// A member that was given under an alias keeps its one listener; its own name
// is what the map knows from the first hello through it on.
func TestMapAlias(t *testing.T) {
	var r recorded
	m := NewMap(Config{Report: r.report}, Fixed{"p:1", "127.0.0.1"}, Fixed{"p:2", "db2"})
	hosts := []string{"db1:27017", "db2:27017"}
	reply := msg(t, 2, 1, 0, view3(1, false, "db1:27017", hosts, nil, nil))
	_, got := exchange(m.RewriterTo("127.0.0.1", nil), msg(t, 1, 0, 0, hi("hello")), reply)
	if want := msg(t, 2, 1, 0, view3(1, false, "p:1", []string{"p:1", "p:2"}, nil, nil)); !bytes.Equal(got, want) {
		t.Errorf("got %q", got)
	}
	if got, want := m.Members(), []Member{{Name: "db1:27017", Addr: "p:1"}, {Name: "db2", Addr: "p:2"}}; !slices.Equal(got, want) {
		t.Errorf("members %v", got)
	}
	// the alias of one that is known already is no reason to take its place
	_, got = exchange(m.RewriterTo("db2", nil), msg(t, 1, 0, 0, hi("hello")), reply)
	if len(m.Members()) != 2 || m.Members()[1].Name != "db2" || r.String() != "" {
		t.Errorf("members %v, events %s, reply %q", m.Members(), r.String(), got)
	}
}
