package store

import (
	"cmp"
	"time"

	"mongoadvisor/internal/analysis"
)

// Configure changes how findings are reported from now on: profile, times and baseline.
// MaxFindings and Announce stay as New was given them. What was counted stays, and what
// was announced is not announced again.
func (s *Store) Configure(c Config) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.config.Profile, s.config.Baseline = c.Profile, c.Baseline
	s.config.Remind, s.config.FixedAfter = cmp.Or(c.Remind, time.Hour), cmp.Or(c.FixedAfter, 24*time.Hour)
	s.known = map[string]Known{}
	for _, k := range c.Baseline {
		s.known[k.Fingerprint] = k
	}
	s.crowded = 0 // what is shown may have changed
}

// Mute mutes the findings of which reason says why, and no others of those it was told
// of before: what a configuration silences although it occurred without it, in an earlier
// process or before a reload. reason is asked with a report of rule, namespace, shape, and
// the time of the traffic, and gives "" for not at all. The next occurrence that nothing
// silences shows the finding again.
func (s *Store) Mute(reason func(*analysis.Report) string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, e := range s.entries {
		why := reason(&analysis.Report{Rule: e.rule, NS: e.space, Shape: e.shape, Time: s.now})
		e.quiet, e.quietAt = Printable(why), e.loud
	}
}
