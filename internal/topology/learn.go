package topology

import (
	"slices"

	"go.mongodb.org/mongo-driver/v2/x/bsonx/bsoncore"
)

// view is what one hello reply says of the set.
type view struct {
	set      string
	members  []string // hosts, passives, arbiters: each sorted
	me       string
	primary  bool // it speaks of itself
	version  int32
	election string // ObjectID: later elections compare greater
}

// readView reads a validated reply. What a member without a configuration says
// (just started, removed) has no set name.
func readView(doc bsoncore.Document) (v view) {
	lists := map[string][]string{}
	for rest := []byte(doc[4:]); len(rest) > 1; {
		e := next(&rest)
		value := e.Value()
		switch key := e.Key(); key {
		case "hosts", "passives", "arbiters":
			if array, ok := value.ArrayOK(); ok {
				lists[key] = sorted(stringsOf(array))
			}
		case "setName":
			v.set, _ = value.StringValueOK()
		case "me":
			v.me, _ = value.StringValueOK()
		case "isWritablePrimary", "ismaster":
			if is, ok := value.BooleanOK(); ok {
				v.primary = is
			}
		case "setVersion":
			v.version, _ = value.Int32OK()
		case "electionId":
			if id, ok := value.ObjectIDOK(); ok {
				v.election = string(id[:])
			}
		}
	}
	v.members = slices.Concat(lists["hosts"], lists["passives"], lists["arbiters"])
	return v
}

// stringsOf are the strings of a validated array.
func stringsOf(array bsoncore.Array) (all []string) {
	for rest := []byte(array)[4:]; len(rest) > 1; {
		if s, ok := next(&rest).Value().StringValueOK(); ok {
			all = append(all, s)
		}
	}
	return all
}

// learn takes in a hello reply: who is new gets a listener before the reply is
// passed on, who is gone is marked.
func (m *Map) learn(v view) {
	if v.set == "" || len(v.members) == 0 {
		return
	}
	m.adding.Lock()
	defer m.adding.Unlock()
	fresh, left := m.compare(v)
	for _, name := range fresh {
		m.add(name)
	}
	for _, e := range left {
		m.report(e)
	}
	m.elected(v)
}

// compare finds who needs add, and marks who is gone. A member that lags behind
// still shows an old configuration: of those only newcomers are believed.
func (m *Map) compare(v view) (fresh []string, left []Event) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.set == "" {
		m.set = v.set
	}
	current := v.primary || v.version >= m.version
	if current {
		m.version = v.version
	}
	there := map[int]bool{}
	for _, name := range v.members {
		i, known := m.byName[canonical(name)]
		if known {
			there[i] = true
		}
		if !known || m.members[i].addr == "" || m.members[i].left && current {
			fresh = append(fresh, name)
		}
	}
	for i, e := range m.members {
		if current && !there[i] && !e.left {
			e.left = true
			left = append(left, Event{Kind: Left, Member: e.name, Addr: e.addr})
		}
	}
	return fresh, left
}

// elected reports a new primary when it says so itself. One that was cut off
// may still think it is: its election is older.
func (m *Map) elected(v view) {
	m.mu.Lock()
	i, known := m.byName[canonical(v.me)]
	if !v.primary || !known || v.election < m.election || m.primary == canonical(v.me) {
		m.mu.Unlock()
		return
	}
	m.primary, m.election = canonical(v.me), v.election
	e := Event{Kind: Primary, Member: m.members[i].name, Addr: m.members[i].addr}
	m.mu.Unlock()
	m.report(e)
}
