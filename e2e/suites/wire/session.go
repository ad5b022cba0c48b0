package main

import (
	"crypto/sha256"
	"crypto/tls"
	"encoding/binary"
	"errors"
	"fmt"
	"net"
	"strings"
	"time"
)

// guard ends a case that hangs.
const guard = 60 * time.Second

// server is where cases connect to.
type server struct {
	addr string
	tls  *tls.Config
	set  bool // by the set's name, not one member directly
}

// session is the connections of one case and what they saw.
type session struct {
	server server
	conn   net.Conn
	prev   int32 // requestID of the answer before
	seen   []string
	ended  bool
	err    error
	opened []net.Conn
}

// play runs a case on a connection of its own.
func (s server) play(t test) (string, error) {
	x := &session{server: s}
	x.dial()
	if x.err == nil {
		t.run(x)
	}
	for _, c := range x.opened {
		_ = c.Close()
	}
	text := strings.Join(x.seen, "; ")
	if len(text) > 600 {
		text = fmt.Sprintf("%s… %d bytes, sha256 %.8x", text[:500], len(text), sha256.Sum256([]byte(text)))
	}
	return text, x.err
}

// dial gives the case a new connection.
func (x *session) dial() {
	c, err := net.DialTimeout("tcp", x.server.addr, guard)
	if err != nil {
		x.err = err
		return
	}
	x.opened = append(x.opened, c)
	_ = c.SetDeadline(time.Now().Add(guard))
	x.conn, x.ended = c, false
	if x.server.tls != nil {
		t := tls.Client(c, x.server.tls)
		x.conn, x.err = t, t.Handshake() // without it there is nothing to half-close
	}
}

// send writes bytes in one piece. That nobody reads them any more shows when the
// answer is read.
func (x *session) send(b ...[]byte) {
	for _, p := range b {
		_, _ = x.conn.Write(p)
	}
}

// tell adds a line of the case's own.
func (x *session) tell(format string, args ...any) {
	x.seen = append(x.seen, fmt.Sprintf(format, args...))
}

// answer reads one message, or the end.
func (x *session) answer() []byte {
	if x.ended || x.err != nil {
		return nil
	}
	b, err := readMessage(x.conn)
	if err != nil {
		x.end(b, err)
		return nil
	}
	x.seen = append(x.seen, x.text(b))
	x.prev = int32(binary.LittleEndian.Uint32(b[4:]))
	return b
}

// unread reads one message of which only that it came is the same in every run.
func (x *session) unread() {
	b, err := readMessage(x.conn)
	if err != nil {
		x.end(b, err)
		return
	}
	x.tell("an answer")
}

// end notes how the connection ended. A close and a reset are the same here: which
// of the two it is depends on what the server had read by then.
func (x *session) end(rest []byte, err error) {
	x.ended = true
	var timeout net.Error
	if errors.As(err, &timeout) && timeout.Timeout() {
		x.err = errors.New("hangs")
		x.tell("hangs")
		return
	}
	if len(rest) > 0 {
		x.tell("%q", mask(string(rest)))
	}
	x.tell("ended")
}

// rest reads messages until the connection ends.
func (x *session) rest() {
	for !x.ended && x.err == nil {
		x.answer()
	}
}

// finish says that no more is coming, and reads the rest.
func (x *session) finish() {
	if c, ok := x.conn.(interface{ CloseWrite() error }); ok {
		_ = c.CloseWrite()
	}
	x.rest()
}

// ask sends a message, reads its answer, and asks for a sign of life.
func (x *session) ask(b ...[]byte) {
	x.send(b...)
	x.answer()
	x.alive()
}

// alive asks whether the connection still works.
func (x *session) alive() {
	if x.ended {
		return
	}
	x.send(msg(aliveID, 0, body(ping)))
	x.answer()
}
