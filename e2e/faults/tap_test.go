package faults

import (
	"slices"
	"sync"

	"mongoadvisor/proxy"
)

// seen is a tap that keeps what it has seen, and passes it to another.
type seen struct {
	inner proxy.Tap

	mu             sync.Mutex
	client, server []byte
	turns          []turn
	closed         chan struct{}
}

// turn is what one side says before the other one speaks.
type turn struct {
	client bool
	data   []byte
}

func see(inner proxy.Tap) *seen { return &seen{inner: inner, closed: make(chan struct{})} }

// Client keeps what the client sent.
func (s *seen) Client(b []byte) {
	s.mu.Lock()
	s.client = append(s.client, b...)
	s.said(true, b)
	s.mu.Unlock()
	s.inner.Client(b)
}

// Server keeps what the server sent.
func (s *seen) Server(b []byte) {
	s.mu.Lock()
	s.server = append(s.server, b...)
	s.said(false, b)
	s.mu.Unlock()
	s.inner.Server(b)
}

// Close ends the connection.
func (s *seen) Close() {
	s.inner.Close()
	close(s.closed)
}

func (s *seen) said(client bool, b []byte) {
	if n := len(s.turns); n > 0 && s.turns[n-1].client == client {
		s.turns[n-1].data = append(s.turns[n-1].data, b...)
		return
	}
	s.turns = append(s.turns, turn{client, slices.Clone(b)})
}

// all is what was seen so far.
func (s *seen) all() (client, server []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.client), slices.Clone(s.server)
}
