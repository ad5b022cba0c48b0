package pcap

import (
	"time"

	"mongoadvisor/internal/op"
	"mongoadvisor/internal/session"
)

// Config says what a capture is read for.
type Config struct {
	// Ports are the servers' ports. With any, no other connection is looked at. Without, it is
	// those of mongod and mongos, and every connection that turns out to speak MongoDB.
	Ports []uint16
	// VXLAN are the UDP ports on which mirrored packets come in tunnels; none takes
	// port 4789.
	VXLAN []uint16
	// Emit takes each operation, on the goroutine that feeds packets. It is not used
	// with Live.
	Emit func(*op.Operation)
	// Live gives the messages to a queue, which leaves out what there is no time for.
	Live *Live
}

// Live is where the messages of live traffic go.
type Live struct {
	Queue    *session.Queue
	Sessions session.Config // its Stats are those of the queue
	// MaxRequest and MaxReply bound what is kept of one message, in bytes.
	MaxRequest, MaxReply int
	// Opened and Closed are told of connections. They are optional.
	Opened, Closed func()
}

// usual are the ports servers listen on unless they are told otherwise: mongod and
// mongos, shard servers, config servers.
var usual = map[uint16]bool{27017: true, 27018: true, 27019: true}

// DefaultVXLAN is the port VXLAN was given.
const DefaultVXLAN = 4789

// maxPending are the bytes of requests that wait for their replies.
const maxPending = 16 << 20

// maxCursors is how many open cursors are remembered.
const maxCursors = 10_000

// Capture turns packets into operations, in the order they are fed. Not safe for
// concurrent use, except Stats.
type Capture struct {
	ports    map[uint16]bool
	strict   bool // only ports
	decoder  decoder
	lanes    []*Lane
	stats    *session.Stats
	sessions session.Config
	packets  op.PacketCoverage
	live     *Live
	limits   [2]int // what is kept of a request, and of a reply
	held     int64  // bytes of all streams that wait for others before them
	partial  int64  // bytes of messages that are not complete

	connections uint64 // of ours
	messages    int64
	elsewhere   map[uint16]int64 // connections that are not ours, by port
}

// Lane is one place where packets were captured: the same addresses in two lanes
// are two connections.
type Lane struct {
	*Capture
	table table
	now   time.Time // of the latest packet
}

// New makes a capture.
func New(c Config) *Capture {
	t := &Capture{
		ports: usual, stats: &session.Stats{}, elsewhere: map[uint16]int64{},
		packets: op.PacketCoverage{Skipped: map[string]int64{}},
	}
	if len(c.Ports) > 0 {
		t.ports, t.strict = set(c.Ports), true
	}
	t.decoder.vxlan = set(c.VXLAN)
	if len(c.VXLAN) == 0 {
		t.decoder.vxlan = set([]uint16{DefaultVXLAN})
	}
	t.sessions = session.Config{
		Source: op.SourcePcap, Has: op.HasTraffic, Stats: t.stats, Cursors: session.NewCursors(maxCursors, t.stats),
		Pending: session.NewPending(maxPending), Emit: c.Emit,
	}
	t.limits = [2]int{session.DefaultRequestLimit, session.DefaultReplyLimit}
	if c.Live != nil {
		t.live, t.sessions, t.stats = c.Live, c.Live.Sessions, c.Live.Sessions.Stats
		t.limits = [2]int{c.Live.MaxRequest, c.Live.MaxReply}
	}
	return t
}

// Lane adds a place where packets were captured.
func (t *Capture) Lane() *Lane {
	l := &Lane{Capture: t, table: newTable()}
	t.lanes = append(t.lanes, l)
	return l
}

func set(ports []uint16) map[uint16]bool {
	out := map[uint16]bool{}
	for _, p := range ports {
		out[p] = true
	}
	return out
}

func (t *Capture) server(port uint16) bool { return t.ports[port] }

// take makes what takes the messages of a connection.
func (t *Capture) take(c op.Conn) taker {
	s := session.New(t.sessions, c)
	if t.live == nil {
		t.stats.Connections.Add(1)
		return s
	}
	if t.live.Opened != nil {
		t.live.Opened()
	}
	return session.NewStream(t.live.Queue, s, t.limits[0], t.limits[1])
}

// Stats are the counters of the sessions. They may be read while packets are fed.
func (t *Capture) Stats() *session.Stats { return t.stats }

// Feed takes a packet. It keeps nothing of p.Data.
func (t *Lane) Feed(p *Packet) {
	t.packets.Packets++
	t.packets.Bytes += int64(len(p.Data))
	if p.Size > len(p.Data) {
		t.packets.Truncated++
	}
	s, skip := t.decoder.decode(p)
	if skip != "" {
		t.packets.Skipped[skip]++
		return
	}
	if p.Time.After(t.now) {
		t.now = p.Time
		t.expire()
	}
	t.segment(&s, p.Time)
}

// segment gives a TCP segment to its connection.
func (t *Lane) segment(s *segment, at time.Time) {
	if t.strict && !t.ports[s.from.port] && !t.ports[s.to.port] {
		t.table.others.note(t, s)
		return
	}
	k := keyOf(s.from, s.to)
	c := t.table.conns[k]
	i := 0
	if c != nil && c.ends[0] != s.from {
		i = 1
	}
	if s.flags&flagSYN != 0 {
		c, i = t.synchronize(c, k, i, s, at)
	}
	if c == nil {
		if len(s.payload)+s.missing <= 1 { // of a connection that nobody knows; 1 is what keep-alives have
			return
		}
		c = t.open(k, s, at)
	}
	t.table.touch(c, at)
	if c.state == closed || c.state == other {
		if s.flags&(flagFIN|flagRST) != 0 {
			t.close(c, at)
		}
		return
	}
	if s.flags&flagACK != 0 {
		c.streams[1-i].acknowledged(s.ack)
	}
	if !c.early.hold(c, i, s, at) {
		c.take(i, s, at)
	}
	for j := range c.streams {
		c.streams[j].tick(at)
	}
	c.early.release(c)
	switch {
	case c.state == other:
	case c.streams[0].ended() && c.streams[1].ended():
		t.close(c, at)
	case s.flags&flagRST != 0:
		t.table.finish(c) // what was captured late may still come
	}
}

// take gives a segment to its stream.
func (c *conn) take(i int, s *segment, at time.Time) {
	stream, length := &c.streams[i], len(s.payload)+s.missing
	seq := s.seq
	if s.flags&flagSYN != 0 {
		seq++
	}
	if !stream.started && length > 1 {
		stream.start(seq)
	}
	if !stream.started {
		return
	}
	if s.flags&flagFIN != 0 && !stream.hasFin {
		stream.fin, stream.hasFin = seq+uint32(length), true
	}
	if length > 0 {
		stream.add(piece{seq: seq, data: s.payload, missing: s.missing, at: at})
	}
}

// synchronize handles a SYN: of a new connection, or repeated.
func (t *Lane) synchronize(c *conn, k key, i int, s *segment, at time.Time) (*conn, int) {
	first := s.seq + 1
	if c != nil && c.state != closed {
		h := &c.halves[i]
		other := !h.syn && !c.streams[i].started && c.halves[1-i].syn         // the other side's, in either order
		late := !h.syn && c.streams[i].started && c.streams[i].first == first // its data came before it
		if h.syn && h.initial == first || other || late {
			h.syn, h.initial = true, first
			if !c.streams[i].started {
				c.streams[i].start(first)
			}
			return c, i
		}
	}
	if c != nil { // the addresses are used again
		t.close(c, at)
		t.table.forget(c)
	}
	c = t.open(k, s, at)
	if c.client < 0 || !c.known() {
		c.client = 0
		if s.flags&flagACK != 0 {
			c.client = 1
		}
	}
	h := &c.halves[0]
	h.syn, h.initial = true, first
	c.streams[0].start(first)
	return c, 0
}

// open makes a connection of the segment's sender.
func (t *Lane) open(k key, s *segment, at time.Time) *conn {
	t.makeRoom(at)
	c := newConn(t, k, s.from, s.to)
	t.table.insert(c, at)
	return c
}

// Close ends all connections, the oldest of each lane first.
func (t *Capture) Close() {
	for _, l := range t.lanes {
		for c := l.table.done.oldest; c != nil; c = c.newer {
			l.close(c, l.now)
		}
		for l.table.live.oldest != nil {
			l.close(l.table.live.oldest, l.now)
		}
	}
}
