package session

import (
	"sync/atomic"
	"time"

	"mongoadvisor/internal/op"
	"mongoadvisor/wire"
)

// Limits of what is kept of one message, in bytes. Requests carry what rules
// judge (long $in lists, pipelines, batches); of replies the head is enough,
// and the fields behind the batch are found in the tail.
const (
	DefaultRequestLimit = 256 << 10
	DefaultReplyLimit   = 64 << 10
)

// Stream watches one live connection. Client and Server may run concurrently
// with each other. They frame the bytes, and put whole messages into the queue that
// are to be decoded: one copy. Of the others they recognise the shape.
type Stream struct {
	queue   *Queue
	stats   *Stats
	session *Session
	half    [2]half
	blind   atomic.Bool           // one of the directions was given up
	skips   atomic.Pointer[skips] // nil until a request is left out
	// midClient and awaited are for Idle, which runs beside Client.
	midClient atomic.Bool
	awaited   atomic.Int64
}

type half struct {
	framer wire.Framer
	limit  int
	held   int
	lost   bool
	proxy  bool
}

// NewStream watches a connection and feeds its session through the queue.
// requestLimit and replyLimit bound what is kept of one message.
func NewStream(q *Queue, s *Session, requestLimit, replyLimit int) *Stream {
	q.stats.Connections.Add(1)
	st := &Stream{queue: q, stats: q.stats, session: s}
	st.half[FromClient].limit = requestLimit
	st.half[FromServer].limit = replyLimit
	st.half[FromClient].framer.Borrow = true
	st.half[FromServer].framer.Borrow = true
	st.half[FromServer].framer.Unwanted = func(h wire.Header) bool {
		left, _ := st.skips.Load().has(h.ResponseTo)
		return left
	}
	st.awaited.Store(nobody)
	return st
}

// Take takes a message that was framed elsewhere, at its time. For captures of live
// traffic; it is not to be mixed with Client and Server.
func (s *Stream) Take(d Direction, at time.Time, m wire.Message) { s.message(d, at, m) }

// Unreadable says that a direction cannot be framed, for the reason its framer gives.
func (s *Stream) Unreadable(at time.Time, why wire.Lost) {
	if s.blind.CompareAndSwap(false, true) {
		s.stats.Uninspected.Add(1)
	}
	s.notice(at, s.stats.lost(why))
}

// Client takes bytes of the client before they are written to the server: a
// reply can then never be seen before its request.
func (s *Stream) Client(b []byte) { s.feed(FromClient, b) }

// Server takes bytes of the server.
func (s *Stream) Server(b []byte) { s.feed(FromServer, b) }

// Close ends the connection.
func (s *Stream) Close() {
	for d := range s.half {
		s.queue.partial.Add(int64(-s.half[d].held))
		s.half[d].held = 0
	}
	s.queue.put(event{session: s.session, kind: eventClose, at: time.Now()})
}

func (s *Stream) feed(d Direction, b []byte) {
	h := &s.half[d]
	s.stats.Bytes[d].Add(int64(len(b)))
	if h.lost {
		s.stats.BytesLost.Add(int64(len(b)))
		return
	}
	h.framer.Limit = s.room(h)
	now := time.Now()
	for rest := b; ; {
		m, left, ok := h.framer.Next(rest)
		if !ok {
			break
		}
		rest = left
		s.message(d, now, m)
	}
	if d == FromClient {
		s.midClient.Store(h.framer.MidMessage())
	}
	held := h.framer.Buffered()
	s.queue.partial.Add(int64(held - h.held))
	h.held = held
	if h.framer.Proxied() && !h.proxy {
		h.proxy = true
		s.notice(now, op.NoticeProxyHeader)
	}
	if why := h.framer.Lost(); why != "" {
		s.lose(d, now, why, len(b))
	}
}

// leastKept is what is kept of a message whatever the pressure: most requests
// are shorter and stay whole.
const leastKept = 1 << 10

// room is how much of a message may be kept now. When unfinished messages of
// all streams fill a quarter of the budget, no more of them is buffered: their
// heads are kept as they are, and the messages count as cut.
func (s *Stream) room(h *half) int {
	if s.queue.partial.Load() > s.queue.max/4 {
		return min(h.limit, max(h.held-wire.HeaderSize, leastKept))
	}
	return h.limit
}

func (s *Stream) message(d Direction, now time.Time, m wire.Message) {
	s.stats.message(d, m.OpCode)
	s.awaits(d, &m)
	if d == FromServer {
		s.reply(now, m)
	} else {
		s.request(now, m)
	}
}

// request puts a request into the queue, or leaves it out.
func (s *Stream) request(now time.Time, m wire.Message) {
	e := event{session: s.session, kind: eventRequest, at: now}
	if m.OpCode != wire.OpCompressed { // or the session decides when it is unpacked
		replied := answered(m.OpCode) && !m.Flags().Has(wire.MoreToCome)
		pressed := s.queue.pressed()
		v := s.queue.sampler.admit(&m, pressed, replied && !s.skips.Load().free(m.RequestID))
		if !v.decode {
			s.stats.leaveOut(pressed)
			if replied {
				s.skip(m.RequestID, pressed)
			}
			return
		}
		e.sample = v.sample
	}
	e.message = owned(m)
	if !s.queue.put(e) && s.skips.Load().free(m.RequestID) {
		s.skip(m.RequestID, true)
	}
}

// skip notes that the reply to a request is not to be decoded.
func (s *Stream) skip(id int32, pressed bool) {
	k := s.skips.Load()
	if k == nil {
		k = new(skips)
		s.skips.Store(k)
	}
	k.note(id, pressed)
}

// reply puts a reply into the queue, unless its request was left out.
func (s *Stream) reply(now time.Time, m wire.Message) {
	k := s.skips.Load()
	if left, pressed := k.has(m.ResponseTo); left {
		if !m.Flags().Has(wire.MoreToCome) {
			k.end(m.ResponseTo)
		}
		s.stats.leaveOutMessage(pressed)
		return
	}
	s.queue.put(event{session: s.session, kind: eventReply, at: now, message: owned(m)})
}

// owned is the message with a body of its own.
func owned(m wire.Message) wire.Message {
	if m.Borrowed {
		m.Body, m.Borrowed = append([]byte(nil), m.Body...), false
	}
	return m
}

func (s *Stream) notice(now time.Time, kind op.NoticeKind) {
	s.queue.put(event{session: s.session, kind: eventNotice, at: now, notice: kind})
}

// lose gives a direction up: what comes now is forwarded and counted, not read.
func (s *Stream) lose(d Direction, now time.Time, why wire.Lost, n int) {
	s.half[d].lost = true
	s.stats.BytesLost.Add(int64(n))
	s.Unreadable(now, why)
}
