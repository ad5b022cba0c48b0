package session

import (
	"testing"

	"mongoadvisor/internal/op"
	"mongoadvisor/wire"
)

// A connection is idle between messages when every request that wants a reply
// has had it: pipelined, unacknowledged and exhaust ones included.
func TestIdle(t *testing.T) {
	request := func(id int32, flags wire.MsgFlags) []byte { return opMsg(id, 0, flags, find("orders")) }
	reply := func(id, to int32, flags wire.MsgFlags) []byte {
		return opMsg(id, to, flags, cursorReply("firstBatch", 0))
	}
	type step struct {
		from  Direction
		bytes []byte
		idle  bool
	}
	for name, steps := range map[string][]step{
		"a request":       {{FromClient, request(1, 0), false}, {FromServer, reply(9, 1, 0), true}},
		"half a request":  {{FromClient, request(1, 0)[:20], false}, {FromClient, request(1, 0)[20:], false}},
		"half a reply":    {{FromClient, request(1, 0), false}, {FromServer, reply(9, 1, 0)[:30], false}, {FromServer, reply(9, 1, 0)[30:], true}},
		"two at once":     {{FromClient, request(1, 0), false}, {FromClient, request(2, 0), false}, {FromServer, reply(9, 1, 0), false}, {FromServer, reply(10, 2, 0), true}},
		"unacknowledged":  {{FromClient, request(1, wire.MoreToCome), true}, {FromClient, request(2, 0), false}, {FromClient, request(3, wire.MoreToCome), false}, {FromServer, reply(9, 2, 0), true}},
		"exhaust":         {{FromClient, request(1, 0), false}, {FromServer, reply(9, 1, wire.MoreToCome), false}, {FromServer, reply(10, 9, 0), true}},
		"another's reply": {{FromClient, request(1, 0), false}, {FromServer, reply(9, 77, 0), false}},
		"unreadable":      {{FromClient, []byte("GET / HTTP/1.1\r\n\r\n"), false}},
	} {
		s := newLive(1<<20, func(*op.Operation) {}).stream(1)
		if !s.Idle() {
			t.Errorf("%s: not idle before anything was sent", name)
		}
		for i, step := range steps {
			s.feed(step.from, step.bytes)
			if s.Idle() != step.idle {
				t.Errorf("%s, step %d: idle is %v", name, i, s.Idle())
			}
		}
	}
}
