package session

import (
	"time"

	"mongoadvisor/internal/op"
	"mongoadvisor/wire"
)

// Take takes a message of a connection that nobody waits for: from a capture file.
// Nothing is left out for want of time, and a body that is Borrowed is copied. A
// panic in decoding costs the message and is counted.
func (s *Session) Take(d Direction, now time.Time, m wire.Message) {
	s.stats.message(d, m.OpCode)
	defer func() {
		if v := recover(); v != nil {
			s.stats.undecoded("panic")
		}
	}()
	if d == FromServer {
		s.Reply(now, owned(m))
	} else {
		s.Request(now, owned(m))
	}
}

// Unreadable counts a connection that cannot be read, for the reason the framer of
// one of its directions gives, and emits the notice.
func (s *Session) Unreadable(now time.Time, why wire.Lost) {
	s.stats.Uninspected.Add(1)
	s.Notice(now, s.stats.lost(why))
}

// lost counts why a direction was given up, and gives the notice that says so.
func (s *Stats) lost(why wire.Lost) op.NoticeKind {
	switch why {
	case wire.LostTLS:
		return op.NoticeTLS
	case wire.LostHTTP:
		return op.NoticeHTTP
	default:
		s.undecoded("malformed")
		return op.NoticeBadLength
	}
}
