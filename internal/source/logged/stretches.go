package logged

import (
	"time"

	"mongoadvisor/internal/op"
)

const (
	// maxHeld is how many operations wait for the first that took less than a
	// millisecond: it shows that all are logged, also those before it.
	maxHeld = 100
	// lapse is after how many operations without such a one that is over: somebody
	// has raised slowms.
	lapse = 200
)

// stretches says which operations others may be missing between. Where the server
// logs slow ones only, that is each of them.
type stretches struct {
	emit    func(*op.Operation)
	held    []*op.Operation
	decided bool
	every   bool // all operations are logged
	since   int  // the last that took less than a millisecond
	number  uint64
	gaps    bool // there was an operation when not all were
}

func (s *stretches) add(o *op.Operation, took time.Duration) {
	quick := took == 0 && (o.Kind == op.KindRead || o.Kind == op.KindWrite || o.Kind == op.KindCursor)
	if !s.decided {
		s.held = append(s.held, o)
		if quick || len(s.held) >= maxHeld {
			s.every = quick
			s.release()
		}
		return
	}
	switch {
	case quick && !s.every:
		s.every, s.since = true, 0
		s.number++
	case quick:
		s.since = 0
	case s.every:
		if s.since++; s.since > lapse {
			s.every = false
		}
	}
	s.send(o)
}

func (s *stretches) send(o *op.Operation) {
	if s.every {
		o.Has |= op.HasEvery
	} else {
		s.number++
		s.gaps = true
	}
	o.Sample.Stretch = s.number
	s.emit(o)
}

// release sends what waited.
func (s *stretches) release() {
	if len(s.held) == 0 {
		return
	}
	s.decided = true
	held := s.held
	s.held = nil
	for _, o := range held {
		s.send(o)
	}
}

// complete reports whether all operations of the run were logged.
func (s *stretches) complete() bool { return s.decided && s.every && !s.gaps }
