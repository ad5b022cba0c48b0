package pcap

import (
	"bytes"
	"time"

	"mongoadvisor/internal/op"
	"mongoadvisor/internal/session"
	"mongoadvisor/wire"
)

// state is what is known of a TCP connection.
type state uint8

const (
	unsure state = iota // whether it speaks MongoDB
	ours
	other
	closed // kept for a while, so that late repeats do not make another one
)

// conn is one TCP connection. streams[i] is what ends[i] sent.
type conn struct {
	t       *Lane
	key     key
	ends    [2]endpoint
	streams [2]stream
	halves  [2]half
	client  int // which of the ends; -1 while nobody knows
	state   state
	tries   int // chunks that were looked at in vain
	session taker
	lost    bool
	tls     bool
	last    time.Time
	over    bool // it is in the list of those
	early   early

	newer, older *conn // by the last packet
}

// taker takes the messages of a connection: a session at once, or a stream that puts
// them into a queue.
type taker interface {
	Take(d session.Direction, at time.Time, m wire.Message)
	Unreadable(at time.Time, why wire.Lost)
	Close()
}

// half is one direction of a connection, from bytes to messages.
type half struct {
	c       *conn
	i       int
	syn     bool   // its SYN was seen
	initial uint32 // number of its first byte, with syn
	framer  *wire.Framer
	kept    int    // bytes of the message under way
	prefix  []byte // the first bytes, too few to tell
	seen    int64
	lost    bool
}

func newConn(t *Lane, k key, from, to endpoint) *conn {
	c := &conn{t: t, key: k, ends: [2]endpoint{from, to}, client: -1}
	for i := range c.halves {
		c.halves[i].c, c.halves[i].i = c, i
		c.streams[i].out, c.streams[i].total = &c.halves[i], &t.held
	}
	if t.server(to.port) {
		c.client = 0
	} else if t.server(from.port) {
		c.client = 1
	}
	return c
}

// known tells whether one end has a port that is MongoDB's whatever is sent.
func (c *conn) known() bool { return c.t.server(c.ends[0].port) || c.t.server(c.ends[1].port) }

// bytes takes what the stream delivers.
func (h *half) bytes(b []byte, at time.Time) {
	switch h.c.state {
	case unsure:
		h.c.judge(h, b, at)
	case ours:
		h.feed(b, at)
	}
}

// gap takes what the stream lost.
func (h *half) gap(n int, at time.Time) {
	switch h.c.state {
	case unsure:
		h.prefix, h.syn = nil, false
	case ours:
		h.c.t.lost(n)
		if m, ok := h.framer.Gap(n); ok {
			h.message(m, at)
		}
		h.hold()
	}
}

// judge looks at the first bytes of a connection.
func (c *conn) judge(h *half, b []byte, at time.Time) {
	if c.known() {
		c.begin()
		h.feed(b, at)
		return
	}
	if len(h.prefix) > 0 {
		b = append(h.prefix, b...)
		h.prefix = nil
	}
	if len(b) < wire.PlausibleSize && h.syn {
		h.prefix = bytes.Clone(b)
		return
	}
	start := 0
	if !wire.Plausible(b, wire.SideUnknown) {
		start = -1
		if !h.syn {
			start = wire.FindHeader(b, wire.SideUnknown)
		}
	}
	if start < 0 {
		if c.tries++; h.syn || c.tries > maxTries {
			c.foreign(b)
		}
		return
	}
	client := h.i
	if isReply(b[start:]) {
		client = 1 - h.i
	}
	if c.client >= 0 && c.client != client {
		c.foreign(b)
		return
	}
	c.client = client
	c.begin()
	if early := &c.halves[1-h.i]; len(early.prefix) > 0 {
		early.feed(early.prefix, at)
		early.prefix = nil
	}
	h.feed(b, at)
}

// maxTries is how many chunks of a connection that was not seen from its start are
// searched for a message.
const maxTries = 32

// isReply reads responseTo.
func isReply(header []byte) bool {
	return header[8]|header[9]|header[10]|header[11] != 0
}

// begin takes the connection for one of MongoDB's.
func (c *conn) begin() {
	c.state = ours
	c.t.connections++
	if !c.halves[c.client].syn {
		c.t.stats.MidStream.Add(1)
	}
	c.session = c.t.take(op.Conn{
		ID: c.t.connections, Client: c.ends[c.client].String(), Server: c.ends[1-c.client].String(),
	})
	for i := range c.halves {
		f := &wire.Framer{Limit: c.t.limits[0], Side: wire.SideClient, Borrow: true, Recover: true}
		if i != c.client {
			f.Limit, f.Side = c.t.limits[1], wire.SideServer
		}
		if !c.halves[i].syn {
			f.Gap(-1)
		}
		c.halves[i].framer = f
	}
}

// foreign takes the connection for one that is not MongoDB's.
func (c *conn) foreign(b []byte) {
	c.state = other
	port := c.ends[1].port
	if c.client == 1 || c.client < 0 && c.ends[0].port < port {
		port = c.ends[0].port
	}
	if isTLS(b) {
		c.encrypted()
	}
	c.t.foreign(port)
	c.release()
}

// encrypted counts a connection that looks like TLS, once.
func (c *conn) encrypted() {
	if !c.tls {
		c.tls = true
		c.t.packets.TLS++
	}
}

// release drops what only a connection of ours needs.
func (c *conn) release() {
	c.early.drop(c)
	for i := range c.halves {
		c.streams[i].drop()
		c.halves[i].prefix, c.halves[i].framer = nil, nil
		c.halves[i].hold()
	}
	c.session = nil
}

// direction of what a half sends.
func (h *half) direction() session.Direction {
	if h.i == h.c.client {
		return session.FromClient
	}
	return session.FromServer
}

// feed frames bytes.
func (h *half) feed(b []byte, at time.Time) {
	t := h.c.t
	if h.seen == 0 && isTLS(b) && !h.syn {
		h.c.encrypted()
	}
	h.seen += int64(len(b))
	t.stats.Bytes[h.direction()].Add(int64(len(b)))
	if h.lost {
		t.stats.BytesLost.Add(int64(len(b)))
		return
	}
	h.framer.Limit = h.room()
	for m, rest, ok := h.framer.Next(b); ok; m, rest, ok = h.framer.Next(rest) {
		h.message(m, at)
	}
	h.hold()
	if why := h.framer.Lost(); why != "" {
		h.lost = true
		t.stats.BytesLost.Add(int64(len(b)))
		if why == wire.LostTLS {
			h.c.encrypted()
		}
		if !h.c.lost {
			h.c.lost = true
			h.c.session.Unreadable(at, why)
		}
	}
}

// hold counts what the framer keeps of a message that is not complete.
func (h *half) hold() {
	n := 0
	if h.framer != nil {
		n = h.framer.Buffered()
	}
	h.c.t.partial += int64(n - h.kept)
	h.kept = n
}

// maxPartial is how many bytes are kept of messages that are not complete, of all
// connections together; beyond it no more of them is, but for leastKept bytes of each.
const (
	maxPartial = 64 << 20
	leastKept  = 1 << 10
)

// room is how much of a message may be kept now.
func (h *half) room() int {
	limit := h.c.t.limits[0]
	if h.i != h.c.client {
		limit = h.c.t.limits[1]
	}
	if h.c.t.partial > maxPartial {
		return min(limit, max(h.kept-wire.HeaderSize, leastKept))
	}
	return limit
}

func (h *half) message(m wire.Message, at time.Time) {
	h.c.t.messages++
	h.c.session.Take(h.direction(), at, m)
}

// end closes the connection: what waits is delivered, what was counted is added up.
func (c *conn) end(at time.Time) {
	if c.state != ours {
		c.release()
		c.state = closed
		return
	}
	c.early.flush(c)
	for i := range c.streams {
		c.streams[i].finish(at)
	}
	c.session.Close()
	if live := c.t.live; live != nil && live.Closed != nil {
		live.Closed()
	}
	var seen [2]int64
	unread := int64(0)
	for i := range c.halves {
		h := &c.halves[i]
		seen[i] = h.seen
		times, missed := h.framer.Resyncs()
		if !h.syn && times > 0 {
			times-- // the first time it was taken up, and not again
		}
		c.t.packets.Resyncs += int64(times)
		unread += int64(missed)
	}
	c.t.stats.BytesLost.Add(unread)
	if !c.lost && unread > 0 && unread+int64(2*wire.PlausibleSize) >= seen[0]+seen[1] {
		c.t.stats.Uninspected.Add(1) // nothing that could be read in all of it
	}
	if (seen[0] == 0) != (seen[1] == 0) {
		c.t.packets.OneSided++
	}
	c.release()
	c.state = closed
}

// isTLS tells whether b begins like a TLS record of any kind.
func isTLS(b []byte) bool {
	return len(b) >= 5 && b[0] >= 0x14 && b[0] <= 0x17 && b[1] == 3 && b[2] <= 4 && int(b[3])<<8|int(b[4]) <= 1<<14+256
}
