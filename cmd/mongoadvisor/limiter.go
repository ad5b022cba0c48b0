package main

import (
	"sync"
	"time"
)

// limiter lets one log line per key through in each interval.
type limiter struct {
	interval time.Duration
	mu       sync.Mutex
	last     map[string]time.Time
}

func newLimiter(interval time.Duration) *limiter {
	return &limiter{interval: interval, last: map[string]time.Time{}}
}

// allow reports whether a line may be written now. Keys come from closed sets.
func (l *limiter) allow(key string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := time.Now()
	if now.Sub(l.last[key]) < l.interval {
		return false
	}
	l.last[key] = now
	return true
}

// was forgets a key and reports whether a line was written for it.
func (l *limiter) was(key string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	_, ok := l.last[key]
	delete(l.last, key)
	return ok
}
