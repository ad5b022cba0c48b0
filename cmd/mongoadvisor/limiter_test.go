package main

import (
	"testing"
	"time"
)

// TestLimiterOfWhatComesAndGoes: an upstream that refuses every other connection
// is told once in an interval, and so is that it is back.
func TestLimiterOfWhatComesAndGoes(t *testing.T) {
	now := time.Unix(1_700_000_000, 0)
	l := newLimiter(10 * time.Second)
	l.now = func() time.Time { return now }
	for interval := range 3 {
		down, back := 0, 0
		for range 50 {
			if l.allow("upstream") {
				down++
			}
			if l.was("upstream") {
				back++
			}
		}
		if down != 1 || back != 1 {
			t.Errorf("interval %d: %d lines that it is down, %d that it is back", interval, down, back)
		}
		now = now.Add(l.interval)
	}
	if !l.allow("another") || !l.allow("upstream") {
		t.Error("keys are not apart")
	}
}
