package session

import (
	"testing"

	"mongoadvisor/internal/op"
)

// What is recognised and no more costs no allocation in either direction.
func TestRecognisedOperationsAllocateNothing(t *testing.T) {
	l := newSampled(1<<20, 1, func(*op.Operation) {})
	s := l.stream(1)
	for id := range int32(3) { // the stretch, the first of the gap, and the note of what is left out
		send(s, id, 0, find("orders"))
	}
	request, reply := opMsg(7, 0, 0, find("orders")), opMsg(8, 7, 0, cursorReply("firstBatch", 0))
	if n := testing.AllocsPerRun(1000, func() {
		s.Client(request)
		s.Server(reply)
	}); n > 0 {
		t.Errorf("%v allocations for an operation", n)
	}
	if l.stats.Sampled.Load() < 1000 {
		t.Errorf("%d were left out", l.stats.Sampled.Load())
	}
}
