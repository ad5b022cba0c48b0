package topology

import (
	"sync"
	"sync/atomic"
)

// maxPending is how many requests of one connection may wait for a reply that
// is to be rewritten. Drivers have one: hello on a monitor.
const maxPending = 64

// pending are the requests whose replies name members. The client's side adds,
// the server's takes.
type pending struct {
	n atomic.Int32 // len(waiting), so that a connection without any takes no lock

	mu      sync.Mutex
	waiting []request // oldest first
}

type request struct {
	id      int32
	command command
}

// add notes a request before it is written to the server. When too many wait,
// the oldest is forgotten: its reply is the least likely to come still.
func (p *pending) add(id int32, c command) (forgot bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.waiting) == maxPending {
		p.waiting = append(p.waiting[:0], p.waiting[1:]...)
		forgot = true
	}
	p.waiting = append(p.waiting, request{id, c})
	p.n.Store(int32(len(p.waiting)))
	return forgot
}

// take finds the request that a reply answers and forgets it.
func (p *pending) take(id int32) command {
	if p.n.Load() == 0 {
		return uninteresting
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for i, r := range p.waiting {
		if r.id == id {
			p.waiting = append(p.waiting[:i], p.waiting[i+1:]...)
			p.n.Store(int32(len(p.waiting)))
			return r.command
		}
	}
	return uninteresting
}
