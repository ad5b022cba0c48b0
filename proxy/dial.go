package proxy

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"time"

	"github.com/pires/go-proxyproto"
)

var errGivenUp = errors.New("the client went away while the upstream was dialled")

// watchAfter is how long a dial may take before the client is watched meanwhile:
// most are over by then, and a watch costs a goroutine and four system calls.
const watchAfter = 20 * time.Millisecond

// dialFor dials the upstream for a client. It ends early, without blaming the
// upstream, when the client resets its connection. A client's FIN is no reason
// to give up: it may have sent a request and half-closed.
func (s *Server) dialFor(r *relay) (*leg, error) {
	ctx, cancel := context.WithTimeout(s.dialing, s.dialTimeout())
	defer cancel()
	left := make(chan bool, 1)
	client := r.client.sock
	watch := time.AfterFunc(watchAfter, func() { watchClient(client, cancel, left) })
	upstream, err := s.dial(ctx, r)
	clientLeft := false
	if !watch.Stop() {
		// A deadline in the past ends the watch; forwarding needs it lifted again.
		_ = client.SetReadDeadline(time.Unix(1, 0))
		clientLeft = <-left
		_ = client.SetReadDeadline(time.Time{})
	}
	if err != nil && (clientLeft || s.dialing.Err() != nil) {
		return nil, errGivenUp
	}
	s.Hooks.upstreamUp(err == nil, err)
	return upstream, err
}

// watchClient cancels the dial when the client is gone and tells left whether
// it is.
func watchClient(client socket, cancel context.CancelFunc, left chan<- bool) {
	isGone := waitGone(client)
	if isGone {
		cancel()
	}
	left <- isGone
}

// dial resolves the upstream's name anew: after a failover or a restart it may
// mean another address.
func (s *Server) dial(ctx context.Context, r *relay) (*leg, error) {
	d := net.Dialer{KeepAlive: -1, KeepAliveConfig: s.keepAlive()}
	d.SetMultipathTCP(false)
	network, address := splitNetwork(s.Upstream)
	conn, err := d.DialContext(ctx, network, address)
	if err != nil {
		return nil, fmt.Errorf("dial upstream %s: %w", s.Upstream, err)
	}
	upstream, err := newLeg(conn.(socket)) // what both networks give
	if err == nil {
		err = s.introduce(r, conn)
	}
	if err == nil && s.UpstreamTLS != nil {
		err = upstream.handshake(ctx, namedTLS(s.UpstreamTLS(), s.upstreamHost))
	}
	if err != nil {
		_ = conn.Close()
		return nil, fmt.Errorf("upstream %s: %w", s.Upstream, err)
	}
	return upstream, nil
}

// introduce sends the PROXY header, if one is to be sent: the one the client
// came with, or one about the client's socket. The kernel's buffer takes it.
func (s *Server) introduce(r *relay, upstream net.Conn) error {
	if s.SendProxyProtocol == 0 {
		return nil
	}
	h := proxyproto.HeaderProxyFromAddrs(s.SendProxyProtocol, r.client.sock.RemoteAddr(), r.client.sock.LocalAddr())
	if came := r.header; came != nil {
		passed := *came
		passed.Version = s.SendProxyProtocol
		h = &passed
	}
	if _, err := h.WriteTo(upstream); err != nil {
		return fmt.Errorf("PROXY header: %w", err)
	}
	return nil
}

// handshake is the client's side of TLS.
func (l *leg) handshake(ctx context.Context, config *tls.Config) error {
	conn := tls.Client(l.sock, config)
	if err := conn.HandshakeContext(ctx); err != nil {
		return fmt.Errorf("TLS handshake: %w", err)
	}
	l.secure(conn)
	return nil
}

// namedTLS adds the upstream's host as the name to verify, unless the
// configuration has one.
func namedTLS(c *tls.Config, host string) *tls.Config {
	if c.ServerName != "" {
		return c
	}
	c = c.Clone() // the caller's stays untouched
	c.ServerName = host
	return c
}
