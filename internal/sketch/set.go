package sketch

// Set counts distinct hashes up to a bound. The zero value with a bound is ready.
type Set struct {
	max  int
	seen map[uint64]struct{}
}

// NewSet keeps at most limit hashes.
func NewSet(limit int) *Set { return &Set{max: limit} }

// Add takes a hash in. It reports whether it is new; beyond the bound nothing is.
func (s *Set) Add(h uint64) bool {
	if _, known := s.seen[h]; known || len(s.seen) >= s.max {
		return false
	}
	if s.seen == nil {
		s.seen = map[uint64]struct{}{}
	}
	s.seen[h] = struct{}{}
	return true
}

// Has reports whether a hash was taken in.
func (s *Set) Has(h uint64) bool {
	_, known := s.seen[h]
	return known
}

// Len is how many distinct hashes were taken in; "at least" when Full.
func (s *Set) Len() int { return len(s.seen) }

// Full reports whether there is no room for more.
func (s *Set) Full() bool { return len(s.seen) >= s.max }
