package main

import (
	"sync"
	"time"
)

// limiter lets one log line per key through in each interval.
type limiter struct {
	interval time.Duration
	now      func() time.Time
	mu       sync.Mutex
	last     map[string]time.Time
	open     map[string]bool // a line was written, and nobody has asked since
}

func newLimiter(interval time.Duration) *limiter {
	return &limiter{interval: interval, now: time.Now, last: map[string]time.Time{}, open: map[string]bool{}}
}

// allow reports whether a line may be written now. Keys come from closed sets.
func (l *limiter) allow(key string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := l.now()
	if last, ok := l.last[key]; ok && now.Sub(last) < l.interval {
		return false
	}
	l.last[key], l.open[key] = now, true
	return true
}

// was reports, once, whether a line was written for a key. The next one still has
// to wait: what comes and goes all the time is not told each time.
func (l *limiter) was(key string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	open := l.open[key]
	delete(l.open, key)
	return open
}
