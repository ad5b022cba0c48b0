package store

import "time"

// status is where an entry is in its life.
func (s *Store) status(e *entry) Status {
	switch {
	case e.muted(), s.inBaseline(e):
		return Muted
	case s.fixed(e):
		return Fixed
	case !e.regressedAt.IsZero():
		return Regressed
	}
	return Open
}

// fixed reports whether a pattern is gone: its namespace has been in use for so long
// without it, in front of somebody's eyes.
func (s *Store) fixed(e *entry) bool {
	if e.fixedAt.After(e.last) {
		return true
	}
	ns := s.namespaces[e.space]
	return ns != nil && ns.last.After(e.last) && s.gone(e, s.now)
}

// gone reports whether a pattern has not been seen for long enough. Time in which no
// process looked does not count.
func (s *Store) gone(e *entry, now time.Time) bool {
	return now.Sub(later(e.last, s.watching)) >= s.config.FixedAfter
}

// wasFixed reports whether an entry counted as fixed until now: its namespace,
// whose use at this very time does not count, went on without it.
func (s *Store) wasFixed(e *entry, now time.Time) bool {
	if !s.shown(e) || e.muted() || s.inBaseline(e) {
		return false
	}
	if e.fixedAt.After(e.last) {
		return true
	}
	ns := s.namespaces[e.space]
	return ns != nil && ns.before.After(e.last) && s.gone(e, now)
}

// Sweep tells the sinks of findings that they know and that are fixed since. To be
// called now and then: what is fixed is not seen, so that nothing else notices.
func (s *Store) Sweep() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, e := range s.entries {
		if e.toldFixed || !e.announced || !s.shown(e) || s.status(e) != Fixed {
			continue
		}
		e.toldFixed = true
		// Just after it was last seen, and not now: a clock that is ahead would make
		// of everything that others see one that is fixed.
		e.fixedAt = later(e.fixedAt, e.last.Add(time.Millisecond).UTC())
		if s.config.Announce != nil {
			s.config.Announce(s.view(e))
		}
	}
}

// back notes that a pattern that was fixed has occurred.
func (e *entry) back(at time.Time) {
	e.regressedAt, e.toldFixed = at.UTC(), false
}
