package proxy

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"time"
)

// welcomeTime bounds what a client must send before it is forwarded: a PROXY
// header, a TLS handshake. Without either there is no such limit.
const welcomeTime = 10 * time.Second

// welcome reads the PROXY header and does the TLS handshake, as far as they are
// configured. The reason goes with the error.
func (s *Server) welcome(ctx context.Context, r *relay) (Reason, error) {
	if !s.ProxyProtocol && s.ListenTLS == nil {
		return "", nil
	}
	sock := r.client.sock
	r.client.setDeadline(welcomeTime)
	defer func() { _ = sock.SetDeadline(time.Time{}) }()
	var rest []byte
	if s.ProxyProtocol {
		var err error
		if r.header, rest, err = readProxyHeader(sock); err != nil {
			return RefusedProxyHeader, err
		}
	}
	if s.ListenTLS == nil {
		if len(rest) > 0 {
			r.client.read = &prefixReader{prefix: rest, reader: r.client.read}
		}
		return "", nil
	}
	conn := tls.Server(&prefixConn{Conn: sock, prefix: rest}, s.ListenTLS)
	if err := conn.HandshakeContext(ctx); err != nil {
		return RefusedTLS, handshakeError(err)
	}
	r.client.secure(conn)
	return "", nil
}

// handshakeError words what went wrong. A peer that sends nothing is a probe.
func handshakeError(err error) error {
	var record tls.RecordHeaderError
	switch {
	case errors.Is(err, io.EOF):
		return errLeft
	case errors.As(err, &record):
		return fmt.Errorf("the client does not speak TLS, which this listener wants: %w", err)
	}
	return fmt.Errorf("TLS handshake: %w", err)
}

// prefixReader hands out what was read too far, and then the socket.
type prefixReader struct {
	prefix []byte
	reader
}

func (r *prefixReader) next() ([]byte, error) {
	if b := r.prefix; len(b) > 0 {
		r.prefix = nil
		return b, nil
	}
	return r.reader.next()
}

// prefixConn does the same below TLS.
type prefixConn struct {
	net.Conn
	prefix []byte
}

func (c *prefixConn) Read(b []byte) (int, error) {
	if len(c.prefix) > 0 {
		n := copy(b, c.prefix)
		c.prefix = c.prefix[n:]
		return n, nil
	}
	return c.Conn.Read(b)
}
