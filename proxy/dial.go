package proxy

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"time"
)

var errGivenUp = errors.New("the client went away while the upstream was dialled")

// dialFor dials the upstream for a client. It ends early, without blaming the
// upstream, when the client resets its connection. A client's FIN is no reason
// to give up: it may have sent a request and half-closed.
func (s *Server) dialFor(client *leg) (*leg, error) {
	ctx, cancel := context.WithTimeout(s.dialing, s.dialTimeout())
	defer cancel()
	left := make(chan bool, 1)
	go watchClient(client, cancel, left)
	upstream, err := s.dial(ctx)
	// A deadline in the past ends the watch; forwarding needs it lifted again.
	_ = client.tcp.SetReadDeadline(time.Unix(1, 0))
	clientLeft := <-left
	_ = client.tcp.SetReadDeadline(time.Time{})
	if err != nil && (clientLeft || s.dialing.Err() != nil) {
		return nil, errGivenUp
	}
	s.Hooks.upstreamUp(err == nil, err)
	return upstream, err
}

// watchClient cancels the dial when the client is gone and tells left whether
// it is.
func watchClient(client *leg, cancel context.CancelFunc, left chan<- bool) {
	isGone := waitGone(client.tcp)
	if isGone {
		cancel()
	}
	left <- isGone
}

// dial resolves the upstream's name anew: after a failover or a restart it may
// mean another address.
func (s *Server) dial(ctx context.Context) (*leg, error) {
	d := net.Dialer{KeepAlive: -1, KeepAliveConfig: s.keepAlive()}
	d.SetMultipathTCP(false)
	conn, err := d.DialContext(ctx, "tcp", s.Upstream)
	if err != nil {
		return nil, fmt.Errorf("dial upstream %s: %w", s.Upstream, err)
	}
	tcp := conn.(*net.TCPConn) // what network "tcp" gives
	if s.upstreamTLS == nil {
		return newLeg(tcp)
	}
	secure := tls.Client(tcp, s.upstreamTLS)
	if err := secure.HandshakeContext(ctx); err != nil {
		_ = tcp.Close()
		return nil, fmt.Errorf("TLS handshake with upstream %s: %w", s.Upstream, err)
	}
	return newTLSLeg(tcp, secure), nil
}

// namedTLS adds the upstream's host as the name to verify, unless the
// configuration has one.
func namedTLS(c *tls.Config, host string) *tls.Config {
	if c == nil {
		return nil
	}
	c = c.Clone() // the caller's stays untouched
	if c.ServerName == "" {
		c.ServerName = host
	}
	return c
}
