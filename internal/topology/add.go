package topology

import (
	"slices"
	"strings"
	"time"
)

// Add gives a listener to each of these members that has none, in the order of
// their names, so that the same members get the same places in every run. Call
// it with what Discover found before the first client comes.
func (m *Map) Add(members ...string) {
	m.adding.Lock()
	defer m.adding.Unlock()
	for _, name := range sorted(members) {
		m.add(name)
	}
}

// sorted are the names in the order in which they get their places.
func sorted(names []string) []string {
	names = slices.Clone(names)
	slices.SortFunc(names, func(a, b string) int { return strings.Compare(canonical(a), canonical(b)) })
	return slices.CompactFunc(names, func(a, b string) bool { return canonical(a) == canonical(b) })
}

// add gives one member its place and listener. adding is held.
func (m *Map) add(name string) {
	key := canonical(name)
	now := time.Now()
	m.mu.Lock()
	i, known := m.byName[key]
	switch {
	case known && m.members[i].left: // it has come back
		m.members[i].left = false
		addr := m.members[i].addr
		m.mu.Unlock()
		m.report(Event{Kind: Joined, Member: name, Addr: addr})
		return
	case known && (m.members[i].addr != "" || now.Sub(m.members[i].failed) < retryListen):
		m.mu.Unlock()
		return
	case !known && (len(m.members) >= m.config.Max || !plausible(name) || m.config.Listen == nil):
		said := m.refused[key] || len(m.refused) >= maxRefused
		if !said {
			m.refused[key] = true
		}
		m.mu.Unlock()
		if !said {
			m.report(Event{Kind: NoRoom, Member: name})
		}
		return
	case !known:
		i = len(m.members)
		m.members = append(m.members, &member{name: name})
		m.byName[key] = i
	}
	again := !m.members[i].failed.IsZero()
	m.mu.Unlock()

	addr, err := m.config.Listen(name, i)

	m.mu.Lock()
	m.members[i].addr = addr
	if err != nil {
		m.members[i].addr, m.members[i].failed = "", now
	}
	m.mu.Unlock()
	switch {
	case err == nil:
		m.report(Event{Kind: Joined, Member: name, Addr: addr})
	case !again:
		m.report(Event{Kind: ListenFailed, Member: name, Err: err})
	}
}
