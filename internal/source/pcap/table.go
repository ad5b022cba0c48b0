package pcap

import (
	"bytes"
	"time"
)

// Bounds of the table.
const (
	// maxConns is how many connections are known at a time, closed ones included.
	maxConns = 65_536
	// idleTime is after how long without a packet a connection is over.
	idleTime = time.Hour
	// closedTime is how long a closed one stays known.
	closedTime = time.Minute
)

// key names a connection by its ends, the same for both directions.
type key struct{ low, high endpoint }

func keyOf(a, b endpoint) key {
	if less(b, a) {
		a, b = b, a
	}
	return key{a, b}
}

func less(a, b endpoint) bool {
	if d := bytes.Compare(a.ip[:], b.ip[:]); d != 0 {
		return d < 0
	}
	return a.port < b.port
}

// table holds the connections.
type table struct {
	conns  map[key]*conn
	live   list // by their last packets
	done   list // closed and reset ones, by their ends
	others others
}

func newTable() table { return table{conns: map[key]*conn{}, others: others{seen: map[key]bool{}}} }

// list is in the order of time.
type list struct{ oldest, newest *conn }

func (l *list) push(c *conn) {
	c.older, c.newer = l.newest, nil
	if l.newest != nil {
		l.newest.newer = c
	} else {
		l.oldest = c
	}
	l.newest = c
}

func (l *list) take(c *conn) {
	if c.older != nil {
		c.older.newer = c.newer
	} else {
		l.oldest = c.newer
	}
	if c.newer != nil {
		c.newer.older = c.older
	} else {
		l.newest = c.older
	}
}

func (t *table) insert(c *conn, at time.Time) {
	t.conns[c.key] = c
	c.last = at
	t.live.push(c)
}

// touch notes a packet of a connection. One that is over is not kept by it.
func (t *table) touch(c *conn, at time.Time) {
	if c.over {
		return
	}
	c.last = at
	if t.live.newest != c {
		t.live.take(c)
		t.live.push(c)
	}
}

// close ends a connection. It stays in the table for a while, see closed.
func (t *Lane) close(c *conn, at time.Time) {
	if c.state != closed {
		c.end(at)
		t.table.finish(c)
	}
}

// finish moves a connection to those that are over.
func (t *table) finish(c *conn) {
	if !c.over {
		c.over = true
		t.live.take(c)
		t.done.push(c)
	}
}

// forget takes a connection out that is closed.
func (t *table) forget(c *conn) {
	if t.conns[c.key] == c {
		delete(t.conns, c.key)
	}
	t.done.take(c)
}

// expire ends what has been quiet for long.
func (t *Lane) expire() {
	for c := t.table.live.oldest; c != nil && t.now.Sub(c.last) > idleTime; c = t.table.live.oldest {
		t.close(c, t.now)
	}
	for c := t.table.done.oldest; c != nil && t.now.Sub(c.last) > closedTime; c = t.table.done.oldest {
		t.close(c, t.now)
		t.table.forget(c)
	}
}

// makeRoom lets another connection in.
func (t *Lane) makeRoom(at time.Time) {
	for len(t.table.conns) >= maxConns {
		if t.table.done.oldest == nil {
			t.close(t.table.live.oldest, at)
		}
		t.close(t.table.done.oldest, at)
		t.table.forget(t.table.done.oldest)
	}
}

// maxOthers bounds the connections that are told apart where only some ports are
// looked at.
const maxOthers = 4096

// others counts connections that nobody asked for.
type others struct {
	seen map[key]bool
}

func (o *others) note(t *Lane, s *segment) {
	k := keyOf(s.from, s.to)
	if o.seen[k] || len(o.seen) >= maxOthers {
		return
	}
	o.seen[k] = true
	if isTLS(s.payload) {
		t.packets.TLS++
	}
	t.foreign(min(s.from.port, s.to.port))
}
