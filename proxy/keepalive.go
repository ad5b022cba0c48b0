package proxy

import (
	"net"
	"time"
)

const (
	defaultDialTimeout = 10 * time.Second
	// defaultKeepAlive is well under the 120 s MongoDB advises, and under the
	// idle limits of common firewalls and load balancers.
	defaultKeepAlive = 60 * time.Second
	// keepAliveProbes unanswered probes, a quarter of the idle time apart, end
	// a connection: a vanished peer is found after twice the idle time.
	keepAliveProbes = 4
)

func (s *Server) dialTimeout() time.Duration {
	if s.DialTimeout <= 0 {
		return defaultDialTimeout
	}
	return s.DialTimeout
}

// keepAlive is for both legs. Beside it, KeepAlive: -1 is needed: without, a
// disabled KeepAliveConfig means Go's own default, not off.
func (s *Server) keepAlive() net.KeepAliveConfig {
	idle := s.KeepAlive
	if idle == 0 {
		idle = defaultKeepAlive
	}
	if idle < 0 {
		return net.KeepAliveConfig{}
	}
	idle = max(idle, time.Second) // the kernel counts in seconds
	return net.KeepAliveConfig{
		Enable:   true,
		Idle:     idle,
		Interval: max(idle/keepAliveProbes, time.Second),
		Count:    keepAliveProbes,
	}
}
