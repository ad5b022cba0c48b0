package main

import (
	"io"
	"sync/atomic"
	"time"
)

// countingWriter counts the writes that fail: a full disk, a reader that left.
// Whoever logs is not told, for it could only log that.
type countingWriter struct {
	w      io.Writer
	failed atomic.Int64
}

// Write never fails.
func (c *countingWriter) Write(b []byte) (int, error) {
	if _, err := c.w.Write(b); err != nil {
		c.failed.Add(1)
	}
	return len(b), nil
}

// asyncWriter keeps a writer that blocks (a full pipe, a terminal on hold) away
// from whoever logs: lines wait in a bounded queue, and what does not fit is
// dropped and counted.
type asyncWriter struct {
	lines   chan []byte
	flushed chan struct{}
	dropped atomic.Int64
}

// maxLines is how many lines may wait.
const maxLines = 1024

func newAsyncWriter(w io.Writer) *asyncWriter {
	a := &asyncWriter{lines: make(chan []byte, maxLines), flushed: make(chan struct{})}
	go a.drain(w)
	return a
}

func (a *asyncWriter) drain(w io.Writer) {
	defer close(a.flushed)
	for line := range a.lines {
		if line == nil {
			return
		}
		if _, err := w.Write(line); err != nil {
			a.dropped.Add(1)
		}
	}
}

// Write never blocks and never fails; b may be reused.
func (a *asyncWriter) Write(b []byte) (int, error) {
	select {
	case a.lines <- append(make([]byte, 0, len(b)), b...):
	default:
		a.dropped.Add(1)
	}
	return len(b), nil
}

// Close writes what waits, at most for patience.
func (a *asyncWriter) Close(patience time.Duration) {
	select {
	case a.lines <- nil:
	default:
		return // full: nobody reads
	}
	select {
	case <-a.flushed:
	case <-time.After(patience):
	}
}
