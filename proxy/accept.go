package proxy

import (
	"errors"
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
func (s *Server) acceptLoop(l net.Listener) {
	defer s.work.Done()
	delay := minAcceptDelay
	for {
		conn, err := l.Accept()
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

var errNoSocket = errors.New("neither a TCP nor a Unix socket")

func (s *Server) accepted(conn net.Conn) {
	sock, ok := conn.(socket)
	if !ok {
		_ = conn.Close()
		s.Hooks.error(fmt.Errorf("accepted connection of %s: %w", conn.RemoteAddr(), errNoSocket))
		return
	}
	if tcp, ok := conn.(*net.TCPConn); ok && len(s.Listeners) > 0 {
		_ = tcp.SetKeepAliveConfig(s.keepAlive()) // who made the listener has not
	}
	client, err := newLeg(sock)
	if err != nil {
		_ = conn.Close()
		s.Hooks.error(fmt.Errorf("accepted connection of %s: %w", conn.RemoteAddr(), err))
		return
	}
	if !s.Gate.enter() {
		s.refuse(client, RefusedLimit, errFull)
		return
	}
	r := newRelay(s, client)
	if !s.track(r) {
		r.reset()
		s.Gate.leave()
		return
	}
	s.work.Add(1)
	go s.connect(r)
}

// connect does what comes before forwarding: it hears the client out, finds the
// upstream and starts the relay. It is a goroutine of its own, so that the stack
// that handshakes need is not kept while forwarding.
func (s *Server) connect(r *relay) {
	defer s.work.Done()
	reason, err := s.welcome(s.dialing, r)
	if err == nil {
		var upstream *leg
		reason = RefusedUpstream
		if upstream, err = s.dialFor(r); err == nil && !r.attach(upstream) {
			err = errGivenUp
		}
	}
	if err != nil {
		s.refuse(r.client, reason, err)
		s.untrack(r)
		return
	}
	r.start()
}
