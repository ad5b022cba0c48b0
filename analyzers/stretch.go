package analyzers

import (
	"time"

	"mongoadvisor/internal/analysis"
)

// stretch is the stretch of traffic that a state was shown last, see op.Sample:
// between two of them operations may have been left out, so that what did not
// come may have come.
type stretch struct {
	number uint64
	begun  bool
	gap    time.Time // when the newest began after another one; zero for never
}

// broken takes an operation in. It reports whether others may be missing between
// it and the one before. A state that several rules share asks once.
func (s *stretch) broken(p *analysis.Pass) bool {
	n := p.Op.Sample.Stretch
	if s.begun && s.number == n {
		return false
	}
	again := s.begun
	s.number, s.begun = n, true
	if again {
		s.gap = p.Now
	}
	return again
}

// gapTime is how long after a gap it still counts that something was not seen.
// After that the unbroken traffic says as much as that of a new start.
const gapTime = time.Hour

// gaps reports whether there was a gap of late: that nothing of a kind was ever
// seen says little then.
func (s *stretch) gaps(now time.Time) bool {
	return !s.gap.IsZero() && now.Sub(s.gap) < gapTime
}
