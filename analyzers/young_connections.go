package analyzers

import (
	linked "container/list"
	"time"

	"mongoadvisor/internal/op"
	"mongoadvisor/internal/sketch"
)

// maxYoung bounds the connections of one application that are watched at a time;
// the oldest is judged early when there are more.
const maxYoung = 1024

// youngConnections are the connections that one application opened a moment ago,
// and how those before them were used. A connection that does no work (drivers
// watch each server over two, health checks open one and ping) counts as none.
type youngConnections struct {
	byID  map[uint64]*linked.Element
	order *linked.List // front: newest

	minutes [64]minute   // ring, by number
	hour    *sketch.Rate // the short ones of the last hour
	proved  int64        // short ones that authenticated
	total   int64        // short ones
	first   time.Time    // when the first was opened
	stretch stretch
}

// minute counts the connections that were opened in one minute of the clock.
type minute struct {
	number      int64
	short, long int64 // by how much they did
}

// youngConnection is one of them.
type youngConnection struct {
	id         uint64
	opened     time.Time
	operations int64
	proved     bool
}

func newYoungConnections() *youngConnections {
	return &youngConnections{
		byID: map[uint64]*linked.Element{}, order: linked.New(),
		hour: sketch.NewRate(time.Hour),
	}
}

// get is the connection of an operation, nil when it is none that is watched.
func (y *youngConnections) get(o *op.Operation) *youngConnection {
	e := y.byID[o.Conn.ID]
	if e == nil {
		return nil
	}
	return e.Value.(*youngConnection)
}

// opened takes a new connection in.
func (y *youngConnections) opened(o *op.Operation, few int64) {
	if y.first.IsZero() {
		y.first = o.Time
	}
	if e := y.byID[o.Conn.ID]; e != nil { // it introduces itself again
		y.judge(e, few)
	}
	if y.order.Len() >= maxYoung {
		y.judge(y.order.Back(), few)
	}
	y.byID[o.Conn.ID] = y.order.PushFront(&youngConnection{id: o.Conn.ID, opened: o.Time})
}

// settle judges the connections that were opened up to a time.
func (y *youngConnections) settle(until time.Time, few int64) {
	for e := y.order.Back(); e != nil && !e.Value.(*youngConnection).opened.After(until); e = y.order.Back() {
		y.judge(e, few)
	}
}

// interrupt forgets the connections that are watched: how much they did is not
// known when operations were left out.
func (y *youngConnections) interrupt() {
	clear(y.byID)
	y.order.Init()
}

// judge counts a connection by what it did, and forgets it.
func (y *youngConnections) judge(e *linked.Element, few int64) {
	c := e.Value.(*youngConnection)
	y.order.Remove(e)
	delete(y.byID, c.id)
	m := y.at(c.opened)
	switch {
	case c.operations == 0:
	case c.operations > few:
		m.long++
	default:
		m.short++
		y.hour.Add(c.opened, 1)
		y.total++
		if c.proved {
			y.proved++
		}
	}
}

// at is the minute of a time; one before the ring is counted nowhere.
func (y *youngConnections) at(t time.Time) *minute {
	number := t.Unix() / 60
	m := &y.minutes[uint64(number)%uint64(len(y.minutes))] // a clock may stand before 1970
	if m.number > number {
		return &minute{}
	}
	if m.number < number {
		*m = minute{number: number}
	}
	return m
}

// lately is the busier one of the minute of a time and the minute before.
func (y *youngConnections) lately(t time.Time) minute {
	last, now := *y.at(t.Add(-time.Minute)), *y.at(t)
	if last.short > now.short {
		return last
	}
	return now
}

// lasted reports whether at least n short ones were opened in each of the full
// minutes before a time.
func (y *youngConnections) lasted(t time.Time, minutes, n int64) bool {
	for i := range min(minutes, int64(len(y.minutes)-1)) {
		if y.at(t.Add(-time.Duration(i+1)*time.Minute)).short < n {
			return false
		}
	}
	return true
}
