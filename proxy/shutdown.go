package proxy

import "context"

// Shutdown stops accepting at once and waits for the connections to end by
// themselves until ctx is done; then it resets those that are left. In both
// cases it returns after every goroutine of the server has ended: with nil if
// all connections ended by themselves, with ctx.Err() otherwise.
func (s *Server) Shutdown(ctx context.Context) error {
	if !s.stopAccepting() {
		return nil
	}
	defer s.stopDialing()
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

func (s *Server) awaitWork(done chan<- struct{}) {
	s.work.Wait()
	close(done)
}

// resetAll ends every connection and returns how many there were.
func (s *Server) resetAll() int {
	s.mu.Lock()
	s.forced = true
	left := make([]*relay, 0, len(s.relays))
	for r := range s.relays {
		left = append(left, r)
	}
	s.mu.Unlock()
	s.stopDialing()
	for _, r := range left {
		r.reset()
	}
	return len(left)
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
