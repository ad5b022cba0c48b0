package proxy

import (
	"net"
	"sync"
)

const (
	// chunkSize is the most that is read at once from a socket. Cache size, not
	// the number of system calls, decides: 32 KiB took half the processor time
	// of 8 KiB for a bulk transfer, and less than 64 KiB.
	chunkSize = 32 << 10
	// recordSize is the most that one Read of a TLS connection returns: the
	// largest record, 16 KiB.
	recordSize = 16 << 10
)

var (
	chunks  = sync.Pool{New: func() any { return new([chunkSize]byte) }}
	records = sync.Pool{New: func() any { return new([recordSize]byte) }}
)

// reader hands out what arrives on a leg, chunk by chunk. The buffers belong to
// a pool: a reader that waits for bytes should hold none.
type reader interface {
	// next waits for bytes. The slice is valid until release, and may come
	// together with the error that follows it. io.EOF is the peer's FIN.
	next() ([]byte, error)
	// release gives back the buffer of the last next, if there is one.
	release()
}

// writer writes all of what it is given, or fails.
type writer interface {
	Write(b []byte) (n int, err error)
}

// streamReader reads any connection, at the price of a buffer while it waits:
// bytes that TLS has decrypted but not handed out cannot be waited for below it.
type streamReader struct {
	conn net.Conn
	buf  *[recordSize]byte
}

func (r *streamReader) next() ([]byte, error) {
	r.buf = records.Get().(*[recordSize]byte)
	n, err := r.conn.Read(r.buf[:])
	return r.buf[:n:n], err
}

func (r *streamReader) release() {
	if r.buf != nil {
		records.Put(r.buf)
		r.buf = nil
	}
}
