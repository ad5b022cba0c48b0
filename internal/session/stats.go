package session

import (
	"sync/atomic"

	"mongoadvisor/internal/op"
	"mongoadvisor/wire"
)

// Direction of a message.
type Direction uint8

// The directions.
const (
	FromClient Direction = iota
	FromServer
)

// String gives the metric label.
func (d Direction) String() string {
	if d == FromClient {
		return "client"
	}
	return "server"
}

// OpCodes are the opcodes that are counted by name; the last one stands for all
// others.
var OpCodes = [...]wire.OpCode{
	wire.OpMsg, wire.OpCompressed, wire.OpQuery, wire.OpReply, wire.OpInsert, wire.OpUpdate, wire.OpDelete,
	wire.OpGetMore, wire.OpKillCursors, wire.OpCommand, wire.OpCommandReply, 0,
}

// UndecodedReasons are the reasons a message is counted as undecoded.
var UndecodedReasons = [...]string{
	"cut", "malformed", "depth", "elements", "compressor", "size", "section", "legacy", "opcode", "panic", "other",
}

// ShedReasons are the reasons a message was dropped before it was decoded.
var ShedReasons = [...]string{"queue_full"}

// Stats counts what a process saw of its traffic. All fields may be read while
// they move.
type Stats struct {
	Connections atomic.Int64 // ever
	MidStream   atomic.Int64 // connections not seen from their start
	Uninspected atomic.Int64 // connections whose stream cannot be read: TLS, HTTP, bad length
	Bytes       [2]atomic.Int64
	BytesLost   atomic.Int64 // bytes of streams that cannot be read
	Messages    [2][len(OpCodes)]atomic.Int64
	Decoded     atomic.Int64
	Recognised  atomic.Int64 // messages of operations of which the shape was counted, and no more
	Sampled     atomic.Int64 // these operations
	Undecoded   [len(UndecodedReasons)]atomic.Int64
	Shed        [len(ShedReasons)]atomic.Int64
	Operations  atomic.Int64
	Orphans     atomic.Int64 // replies without a request
	Unanswered  atomic.Int64 // requests whose reply was not seen
	CursorsLost atomic.Int64 // cursors forgotten for want of room
}

func (s *Stats) message(d Direction, code wire.OpCode) {
	i := len(OpCodes) - 1
	for j, c := range OpCodes[:i] {
		if c == code {
			i = j
			break
		}
	}
	s.Messages[d][i].Add(1)
}

// leaveOut counts a request of which only the shape was looked at, because more came
// than are decoded, or for want of room.
func (s *Stats) leaveOut(pressed bool) {
	s.Sampled.Add(1)
	s.Operations.Add(1)
	s.leaveOutMessage(pressed)
}

func (s *Stats) leaveOutMessage(pressed bool) {
	if pressed {
		s.Shed[0].Add(1)
	} else {
		s.Recognised.Add(1)
	}
}

func (s *Stats) undecoded(reason string) {
	i := len(UndecodedReasons) - 1
	for j, r := range UndecodedReasons {
		if r == reason {
			i = j
			break
		}
	}
	s.Undecoded[i].Add(1)
}

// Coverage sums the counters up.
func (s *Stats) Coverage() op.Coverage {
	c := op.Coverage{
		Connections: s.Connections.Load(), ConnectionsUninspected: s.Uninspected.Load(),
		ConnectionsMidStream: s.MidStream.Load(),
		Bytes:                s.Bytes[0].Load() + s.Bytes[1].Load(), BytesUninspected: s.BytesLost.Load(),
		Decoded: s.Decoded.Load(), Operations: s.Operations.Load(),
		Recognised: s.Sampled.Load(), SampleRate: 1,
		RepliesUnpaired: s.Orphans.Load(), RequestsUnanswered: s.Unanswered.Load(),
		Undecoded: map[string]int64{}, Shed: map[string]int64{}, Ratio: 1,
	}
	for d := range s.Messages {
		for i := range s.Messages[d] {
			c.Messages += s.Messages[d][i].Load()
		}
	}
	for i, r := range UndecodedReasons {
		if n := s.Undecoded[i].Load(); n > 0 {
			c.Undecoded[r] = n
		}
	}
	for i, r := range ShedReasons {
		if n := s.Shed[i].Load(); n > 0 {
			c.Shed[r] = n
		}
	}
	if c.Messages > 0 {
		c.Ratio = float64(c.Decoded+s.Recognised.Load()) / float64(c.Messages)
	}
	if c.Operations > 0 {
		c.SampleRate = 1 - float64(c.Recognised)/float64(c.Operations)
	}
	if c.Bytes > 0 {
		c.Ratio = min(c.Ratio, 1-float64(c.BytesUninspected)/float64(c.Bytes))
	}
	return c
}
