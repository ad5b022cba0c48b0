package pcap

import (
	"slices"
	"time"
)

// early holds segments that acknowledge what the other side was not yet seen to send:
// the capture has them in the wrong order, as it happens when each direction is
// captured on its own. A reply would be seen before its request. They wait until the
// other side has come as far, for a few packets at most.
type early struct {
	waiting []earlySegment
	packets int // of the connection, since the first of them
}

type earlySegment struct {
	sender  int
	segment segment // with a payload of its own
	at      time.Time
}

// hold takes a segment of sender i, if it is early. What follows it of the same sender
// may pass: its stream knows the order.
func (e *early) hold(c *conn, i int, s *segment, at time.Time) bool {
	if !ahead(c, i, s) {
		return false
	}
	own := *s
	own.payload = append([]byte(nil), s.payload...)
	e.waiting = append(e.waiting, earlySegment{i, own, at})
	c.t.held += int64(len(own.payload) + earlySize)
	return true
}

// earlySize is what a waiting segment costs beside its payload.
const earlySize = 160

// ahead reports whether a segment acknowledges what was not seen.
func ahead(c *conn, i int, s *segment) bool {
	other := &c.streams[1-i]
	return s.flags&flagACK != 0 && s.flags&flagSYN == 0 && len(s.payload) > 0 && other.started && int32(s.ack-other.next) > 0 && int32(s.ack-other.next) < maxJump &&
		!(other.hasFin && s.ack == other.fin+1)
}

// release gives on what need not wait any more. It is called with each packet of the
// connection.
func (e *early) release(c *conn) {
	if len(e.waiting) == 0 {
		e.packets = 0
		return
	}
	if e.packets++; e.packets > holePackets+1 || c.t.held > maxHeldTotal {
		e.flush(c)
		return
	}
	for k := 0; k < len(e.waiting); {
		if w := &e.waiting[k]; ahead(c, w.sender, &w.segment) {
			k++
			continue
		}
		e.take(c, k)
		k = 0 // it may be what another one waited for
	}
}

// flush gives on all.
func (e *early) flush(c *conn) {
	for len(e.waiting) > 0 && c.state != closed && c.state != other {
		e.take(c, 0)
	}
}

// take gives on number k.
func (e *early) take(c *conn, k int) {
	w := e.waiting[k]
	e.waiting = slices.Delete(e.waiting, k, k+1)
	c.t.held -= int64(len(w.segment.payload) + earlySize)
	c.take(w.sender, &w.segment, w.at)
}

// drop forgets what waits.
func (e *early) drop(c *conn) {
	for i := range e.waiting {
		c.t.held -= int64(len(e.waiting[i].segment.payload) + earlySize)
	}
	e.waiting = nil
}
