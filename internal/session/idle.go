package session

import "mongoadvisor/wire"

// Idle reports that the connection stands between messages and that no reply is
// awaited. It is exact for what is not compressed. Of compressed messages the
// flags cannot be seen here: after an unacknowledged write it stays false until
// the next reply, and a reply of an exhaust cursor counts as the last one.
// Streams that cannot be framed are never idle.
func (s *Stream) Idle() bool {
	return !s.Awaits() && !s.midClient.Load() && !s.half[FromServer].framer.MidMessage()
}

// Awaits reports that a reply is awaited to a message that is complete, as far as
// Idle can know; true where it cannot.
func (s *Stream) Awaits() bool { return s.blind.Load() || s.awaited.Load() != nobody }

// nobody is awaited when every request that wants a reply has had it. Others are
// the id in the responseTo of the reply that is awaited: servers answer in the
// order of requests, so that the last one stands for all.
const nobody = int64(1) << 40

// awaits notes what a message says of replies to come.
func (s *Stream) awaits(d Direction, m *wire.Message) {
	more := m.Flags().Has(wire.MoreToCome)
	switch {
	case d == FromServer && s.awaited.Load() == int64(m.ResponseTo):
		next := nobody
		if more {
			next = int64(m.RequestID) // exhaust: each reply answers the one before
		}
		s.awaited.CompareAndSwap(int64(m.ResponseTo), next)
	case d == FromClient && !more && answered(m.OpCode):
		s.awaited.Store(int64(m.RequestID))
	}
}

// answered tells which requests have a reply.
func answered(c wire.OpCode) bool {
	switch c {
	case wire.OpInsert, wire.OpUpdate, wire.OpDelete, wire.OpKillCursors:
		return false
	}
	return true
}
