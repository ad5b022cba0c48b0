package proxy

import (
	"fmt"
	"net"
	"time"
)

const (
	minAcceptDelay = 5 * time.Millisecond
	maxAcceptDelay = time.Second
)

// acceptLoop accepts until Shutdown. A failure (mostly: no file descriptors
// left) is waited out, for connections that end give theirs back.
func (s *Server) acceptLoop(l *net.TCPListener) {
	defer s.work.Done()
	delay := minAcceptDelay
	for {
		conn, err := l.AcceptTCP()
		if err == nil {
			delay = minAcceptDelay
			s.accepted(conn)
			continue
		}
		if s.stopped() {
			return
		}
		s.Hooks.error(fmt.Errorf("accept on %s: %w", l.Addr(), err))
		select {
		case <-s.stop:
			return
		case <-time.After(delay):
		}
		delay = min(2*delay, maxAcceptDelay)
	}
}

func (s *Server) accepted(conn *net.TCPConn) {
	client, err := newLeg(conn)
	if err != nil {
		_ = conn.Close()
		s.Hooks.error(fmt.Errorf("accepted connection of %s: %w", conn.RemoteAddr(), err))
		return
	}
	r := newRelay(s, client)
	if !s.track(r) {
		r.reset()
		return
	}
	s.work.Add(1)
	go s.connect(r)
}

// connect finds the upstream for a relay and starts it. It is a goroutine of
// its own, so that the stack that dialling needs is not kept while forwarding.
func (s *Server) connect(r *relay) {
	defer s.work.Done()
	upstream, err := s.dialFor(r.client)
	if err != nil || !r.attach(upstream) {
		r.reset()
		s.untrack(r)
		return
	}
	r.start()
}
