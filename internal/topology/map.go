package topology

import (
	"net"
	"slices"
	"strings"
	"sync"
	"time"
)

// DefaultMax is how many members may have a listener unless told otherwise. A
// set has at most 50; real ones have three to seven.
const DefaultMax = 16

// Config of a Map.
type Config struct {
	// Listen starts a listener for a member and returns the address clients are
	// told. Without a host, or with an unspecified one (":27217",
	// "0.0.0.0:27217"), each client is told the host it reached us under.
	//
	// It is called on the path of the bytes, for one member at a time, so it
	// must only bind; it must not call Add or a Rewriter of the same Map. It is
	// called once for each member, and again with the same index, at most every
	// ten seconds, when it failed.
	Listen func(member string, index int) (addr string, err error)

	// Max is how many members may have a listener, fixed ones included; 0 means
	// DefaultMax. The names of others stay as they are and are reported once.
	Max int

	// Report is told what happens, for the log and metrics; nil: nobody is. It
	// must not block.
	Report func(Event)
}

// Fixed is a listener that exists already: its address for clients, and the
// member behind it.
type Fixed struct{ Addr, Member string }

// Map knows which listener stands for which member. Its methods may be called
// from any goroutine.
type Map struct {
	Stats Stats

	config Config
	adding sync.Mutex // one new member at a time; held while Listen runs

	mu       sync.RWMutex // what follows; never held while a hook runs
	set      string
	members  []*member      // by index
	byName   map[string]int // canonical member address → index
	refused  map[string]bool
	version  int32  // highest setVersion seen
	election string // highest electionId seen
	primary  string // canonical address of the last that said it is
}

// member is one place in the map. index is its place in Map.members for ever.
type member struct {
	name string // as the set spells it
	addr string // as Listen returned it; "" while there is no listener
	left bool   // not in the set any more; its listener stays, since clients keep seed lists

	failed time.Time // when Listen last failed; zero: it did not
}

// Member is what Members tells of one.
type Member struct {
	Name    string // "db1:27017", as the set spells it
	Addr    string // of its listener, as Listen returned it; "" when Listen failed
	Left    bool   // it is no longer in the set
	Primary bool   // it was the last to say so
}

// retryListen is how long a member stays without a listener after Listen failed.
const retryListen = 10 * time.Second

// maxRefused bounds the names remembered only so as to be reported once.
const maxRefused = 256

// NewMap makes a map with the members that have a listener already.
func NewMap(config Config, fixed ...Fixed) *Map {
	if config.Max <= 0 {
		config.Max = DefaultMax
	}
	m := &Map{config: config, byName: map[string]int{}, refused: map[string]bool{}}
	for _, f := range fixed {
		if _, known := m.byName[canonical(f.Member)]; !known {
			m.byName[canonical(f.Member)] = len(m.members)
			m.members = append(m.members, &member{name: f.Member, addr: f.Addr})
		}
	}
	return m
}

// SetName is the name of the replica set, "" until it is known.
func (m *Map) SetName() string {
	m.mu.RLock()
	defer m.mu.RUnlock()
	return m.set
}

// NameSet says what the set is called, as Discover learnt it.
func (m *Map) NameSet(name string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.set = name
}

// Members lists all that were ever given a place, by index.
func (m *Map) Members() []Member {
	m.mu.RLock()
	defer m.mu.RUnlock()
	all := make([]Member, len(m.members))
	for i, e := range m.members {
		all[i] = Member{Name: e.name, Addr: e.addr, Left: e.left, Primary: canonical(e.name) == m.primary}
	}
	return all
}

// States tells how many members have a listener, have none, and have left the
// set: a closed set of states.
func (m *Map) States(each func(state string, n int)) {
	var listening, without, left int
	for _, e := range m.Members() {
		switch {
		case e.Left:
			left++
		case e.Addr == "":
			without++
		default:
			listening++
		}
	}
	each("listening", listening)
	each("without_listener", without)
	each("left", left)
}

// ConnectionString is what clients on this machine use: the listeners of all
// members that are in the set.
func (m *Map) ConnectionString() string {
	var hosts []string
	for _, e := range m.Members() {
		if e.Addr != "" && !e.Left {
			hosts = append(hosts, outward(e.Addr, nil))
		}
	}
	uri := "mongodb://" + strings.Join(hosts, ",") + "/"
	if set := m.SetName(); set != "" {
		uri += "?replicaSet=" + set
	}
	return uri
}

// outer is the address that stands for a member, for a client that reached us
// under local. It is false for a name that has no listener.
func (m *Map) outer(name string, local net.Addr) (string, bool) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	i, ok := m.byName[canonical(name)]
	if !ok || m.members[i].addr == "" {
		return "", false
	}
	return outward(m.members[i].addr, local), true
}

// inner is the member for which an address stands, for a client that reached us
// under local. Real names of members win: they are never taken for another's.
func (m *Map) inner(addr string, local net.Addr) (string, bool) {
	addr = canonical(addr)
	m.mu.RLock()
	defer m.mu.RUnlock()
	if _, real := m.byName[addr]; real {
		return "", false
	}
	i := slices.IndexFunc(m.members, func(e *member) bool {
		return e.addr != "" && canonical(outward(e.addr, local)) == addr
	})
	if i < 0 {
		return "", false
	}
	return m.members[i].name, true
}
