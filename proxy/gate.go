package proxy

import "sync/atomic"

// Gate bounds the connections of one or several servers together.
type Gate struct {
	max  int64
	open atomic.Int64
}

// NewGate lets at most limit connections through at a time; 0 or less: any number.
func NewGate(limit int) *Gate { return &Gate{max: int64(limit)} }

// enter reports whether there is room, and takes it. A nil gate is open.
func (g *Gate) enter() bool {
	if g == nil {
		return true
	}
	if n := g.open.Add(1); g.max > 0 && n > g.max {
		g.open.Add(-1)
		return false
	}
	return true
}

// leave gives the room back.
func (g *Gate) leave() {
	if g != nil {
		g.open.Add(-1)
	}
}
