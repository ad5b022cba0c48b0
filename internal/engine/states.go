package engine

import (
	"container/list"
	"strings"
	"sync/atomic"

	"mongoadvisor/internal/analysis"
	"mongoadvisor/internal/op"
)

// maxStates is how many states a rule may have when it does not say.
const maxStates = 1024

// states keeps one rule's state per scope key, the least recently used going
// first when there are too many.
type states struct {
	spec    *analysis.StateSpec
	max     int
	byKey   map[stateKey]*list.Element
	order   *list.List
	evicted *atomic.Int64
}

type stateKey struct {
	ns        op.Namespace
	app, host string
	conn      uint64
}

type stateItem struct {
	key   stateKey
	state any
}

func newStates(spec *analysis.StateSpec, evicted *atomic.Int64) *states {
	s := &states{spec: spec, byKey: map[stateKey]*list.Element{}, order: list.New(), evicted: evicted, max: maxStates}
	if spec != nil && spec.Max > 0 {
		s.max = spec.Max
	}
	return s
}

func (s *states) get(o *op.Operation) any {
	if s.spec == nil {
		return nil
	}
	key := s.key(o)
	if e, ok := s.byKey[key]; ok {
		s.order.MoveToFront(e)
		return e.Value.(*stateItem).state
	}
	if s.order.Len() >= s.max {
		last := s.order.Back()
		delete(s.byKey, last.Value.(*stateItem).key)
		s.order.Remove(last)
		s.evicted.Add(1)
	}
	key.ns = key.ns.Clone() // it may alias a message
	item := &stateItem{key: key, state: s.spec.New()}
	s.byKey[key] = s.order.PushFront(item)
	return item.state
}

func (s *states) key(o *op.Operation) stateKey {
	switch {
	case s.spec.Scope == analysis.ScopeNamespace:
		return stateKey{ns: o.Stored().Cut()}
	case o.Conn == nil: // a source without connections
	case s.spec.Scope == analysis.ScopeConn:
		return stateKey{conn: o.Conn.ID}
	case s.spec.Scope == analysis.ScopeApp:
		return stateKey{app: o.Conn.App}
	case s.spec.Scope == analysis.ScopeClient:
		return stateKey{app: o.Conn.App, host: host(o.Conn.Client)}
	}
	return stateKey{}
}

// host is an address without its port.
func host(address string) string {
	if i := strings.LastIndexByte(address, ':'); i >= 0 {
		return address[:i]
	}
	return address
}
