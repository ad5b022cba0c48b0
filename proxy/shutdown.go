package proxy

import "context"

// Shutdown stops accepting at once. Until ctx is done, connections end by
// themselves, or are ended at a boundary between messages: those whose Tap is an
// Idler, as soon as it says that nothing is under way. Then those that are left
// are reset. In both cases Shutdown returns after every goroutine of the server
// has ended: with nil if no connection had to be reset, with ctx.Err() otherwise.
func (s *Server) Shutdown(ctx context.Context) error {
	if !s.stopAccepting() {
		return nil
	}
	defer s.stopDialing()
	s.drain()
	done := make(chan struct{})
	go s.awaitWork(done)
	select {
	case <-done:
		return nil
	case <-ctx.Done():
	}
	left := s.resetAll()
	<-done
	if left == 0 {
		return nil
	}
	return ctx.Err()
}

// stopAccepting reports whether the server was ever started.
func (s *Server) stopAccepting() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.started {
		s.stopping = true // Start after Shutdown would never be stopped
		return false
	}
	if !s.stopping {
		s.stopping = true
		close(s.stop)
		closeAll(s.listeners)
	}
	return true
}

// drain lets every connection know. Those that are still being opened look when
// they start.
func (s *Server) drain() {
	s.draining.Store(true)
	for _, r := range s.all() {
		r.wake()
	}
}

func (s *Server) awaitWork(done chan<- struct{}) {
	s.work.Wait()
	close(done)
}

// resetAll ends every connection and returns how many there were.
func (s *Server) resetAll() int {
	s.mu.Lock()
	s.forced = true
	s.mu.Unlock()
	left := s.all()
	s.stopDialing()
	for _, r := range left {
		r.reset()
	}
	return len(left)
}

// all lists the connections there are.
func (s *Server) all() []*relay {
	s.mu.Lock()
	defer s.mu.Unlock()
	rs := make([]*relay, 0, len(s.relays))
	for r := range s.relays {
		rs = append(rs, r)
	}
	return rs
}

// stopped reports whether Shutdown has begun.
func (s *Server) stopped() bool {
	select {
	case <-s.stop:
		return true
	default:
		return false
	}
}
