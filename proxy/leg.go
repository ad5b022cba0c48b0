package proxy

import (
	"crypto/tls"
	"errors"
	"net"
	"sync"
	"syscall"
	"time"
)

// socket is a connection of the kernel's: a *net.TCPConn or a *net.UnixConn.
type socket interface {
	net.Conn
	CloseWrite() error
	SyscallConn() (syscall.RawConn, error)
}

// leg is one of the two sockets of a connection. One goroutine reads it,
// another one writes it.
type leg struct {
	sock socket
	tls  *tls.Conn // above sock, or nil
	read reader
	out  writer

	// writing is held during a write, so that endedByReset can wait for its
	// outcome.
	writing  sync.Mutex
	writeErr error
}

func newLeg(sock socket) (*leg, error) {
	r, err := newSocketReader(sock)
	if err != nil {
		return nil, err
	}
	w, err := newSocketWriter(sock)
	if err != nil {
		return nil, err
	}
	return &leg{sock: sock, read: r, out: w}, nil
}

// secure puts TLS, whose handshake is over, above the socket.
func (l *leg) secure(conn *tls.Conn) {
	l.tls, l.read, l.out = conn, &streamReader{conn: conn}, conn
}

// write writes all of b or fails; n is what the kernel took. b stays the
// caller's.
func (l *leg) write(b []byte) (n int, err error) {
	l.writing.Lock()
	defer l.writing.Unlock()
	if n, err = l.out.Write(b); err != nil {
		l.writeErr = err
	}
	return n, err
}

// endedByReset is asked when a read has met EOF: was that a FIN? The kernel
// reports a reset once, to whichever call comes first. If that is a write, the
// read that follows is told EOF. EPIPE says that a FIN was there before.
func (l *leg) endedByReset() bool {
	if !gone(l.sock) {
		return false // half-closed; a write may be blocked for long and is not waited for
	}
	l.writing.Lock() // not for long: a write to a connection that is over fails
	defer l.writing.Unlock()
	return l.writeErr != nil && !errors.Is(l.writeErr, syscall.EPIPE)
}

// closeWrite sends FIN, for TLS after its own farewell. An error means that the
// peer has gone, which the reader of this leg finds out.
func (l *leg) closeWrite() {
	if l.tls != nil {
		_ = l.tls.CloseWrite()
	}
	_ = l.sock.CloseWrite()
}

// finish is closeWrite once a write that is under way is over.
func (l *leg) finish() {
	l.writing.Lock()
	defer l.writing.Unlock()
	l.closeWrite()
}

// close lets the kernel deliver what was written. The socket below TLS is
// closed directly: closing TLS could wait for a peer that does not read.
func (l *leg) close() { _ = l.sock.Close() }

// reset drops what was written and not yet delivered, and tells the peer so. A
// Unix socket has no reset: its peer is told one if it had sent what was not
// read, else EOF.
func (l *leg) reset() {
	if tcp, ok := l.sock.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0)
	}
	_ = l.sock.Close()
}

func (l *leg) setDeadline(in time.Duration)     { _ = l.sock.SetDeadline(time.Now().Add(in)) }
func (l *leg) setReadDeadline(in time.Duration) { _ = l.sock.SetReadDeadline(time.Now().Add(in)) }
