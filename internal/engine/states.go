package engine

import (
	"container/list"
	"hash/maphash"
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
	byKey   map[uint64]*list.Element
	order   *list.List
	evicted *atomic.Int64
	newest  *stateItem // the one at the front of order
}

type stateItem struct {
	key   uint64
	state any
}

func newStates(spec *analysis.StateSpec, evicted *atomic.Int64) *states {
	s := &states{spec: spec, byKey: map[uint64]*list.Element{}, order: list.New(), evicted: evicted, max: maxStates}
	if spec != nil && spec.Max > 0 {
		s.max = spec.Max
	}
	return s
}

func (s *states) get(k *keys) any {
	if s.spec == nil {
		return nil
	}
	key := k.of(s.spec.Scope)
	if s.newest != nil && s.newest.key == key { // mostly the same as for the operation before
		return s.newest.state
	}
	if e, ok := s.byKey[key]; ok {
		s.order.MoveToFront(e)
		s.newest = e.Value.(*stateItem)
		return s.newest.state
	}
	if s.order.Len() >= s.max {
		last := s.order.Back()
		delete(s.byKey, last.Value.(*stateItem).key)
		s.order.Remove(last)
		s.evicted.Add(1)
	}
	item := &stateItem{key: key, state: s.spec.New()}
	s.byKey[key], s.newest = s.order.PushFront(item), item
	return item.state
}

// keys are what the states of one operation are found by, a hash for each scope,
// made when the first rule asks: a dozen rules keep a state per collection. The
// hash is seeded, so that nobody can choose names that meet.
type keys struct {
	op   *op.Operation
	seed maphash.Seed
	hash [analysis.ScopeClient + 1]uint64
	have [analysis.ScopeClient + 1]bool
}

func (k *keys) reset(o *op.Operation) {
	k.op, k.have = o, [analysis.ScopeClient + 1]bool{}
}

func (k *keys) of(scope analysis.Scope) uint64 {
	if !k.have[scope] {
		k.hash[scope], k.have[scope] = k.make(scope), true
	}
	return k.hash[scope]
}

func (k *keys) make(scope analysis.Scope) uint64 {
	switch c := k.op.Conn; {
	case scope == analysis.ScopeNamespace:
		return maphash.Comparable(k.seed, k.op.Stored().Cut())
	case c == nil, scope == analysis.ScopeGlobal: // a source without connections
		return 0
	case scope == analysis.ScopeConn:
		return c.ID
	case scope == analysis.ScopeApp:
		return maphash.String(k.seed, c.App)
	default:
		return maphash.Comparable(k.seed, [2]string{c.App, host(c.Client)})
	}
}

// host is an address without its port.
func host(address string) string {
	if i := strings.LastIndexByte(address, ':'); i >= 0 {
		return address[:i]
	}
	return address
}
