package main

import (
	"bufio"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"slices"
	"time"
)

// place is where a load connects to.
type place struct {
	addr string
	tls  *tls.Config // nil: plain
}

func (p place) dial() (net.Conn, error) {
	c, err := net.DialTimeout("tcp", p.addr, 10*time.Second)
	if err != nil || p.tls == nil {
		return c, err
	}
	return tls.Client(c, p.tls), nil
}

// client sends prepared requests on one connection.
type client struct {
	conn net.Conn
	r    *bufio.Reader
	id   uint32
	buf  []byte // requests of one turn
}

func (p place) open() (*client, error) {
	c, err := p.dial()
	if err != nil {
		return nil, err
	}
	return &client{conn: c, r: bufio.NewReaderSize(c, 64<<10)}, nil
}

// turn sends n copies of a request at once and reads their replies, in order.
// It returns the bytes of the replies.
func (c *client) turn(request []byte, n int) (size int64, err error) {
	c.buf = slices.Grow(c.buf[:0], n*len(request))
	first := c.id + 1
	for range n {
		c.id++
		at := len(c.buf)
		c.buf = append(c.buf, request...)
		setRequestID(c.buf[at:], c.id)
	}
	if _, err := c.conn.Write(c.buf); err != nil {
		return 0, err
	}
	for i := range n {
		header, err := c.r.Peek(headerSize)
		if err != nil {
			return size, err
		}
		if want := first + uint32(i); responseTo(header) != want {
			return size, fmt.Errorf("a reply to request %d, want %d", responseTo(header), want)
		}
		whole := int64(length(header))
		if _, err := io.CopyN(io.Discard, c.r, whole); err != nil {
			return size, err
		}
		size += whole
	}
	return size, nil
}

func (c *client) close() { _ = c.conn.Close() }
