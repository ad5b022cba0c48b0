//go:build unix

package proxy

import (
	"io"
	"os"
	"syscall"
)

// rawReader takes a buffer only once the socket is readable, so that an idle
// connection holds none.
type rawReader struct {
	raw   syscall.RawConn
	ready func(fd uintptr) bool // r.fill, bound once: a method value made for each read would be an allocation
	buf   *[chunkSize]byte
	n     int
	err   error
}

func newSocketReader(c socket) (reader, error) {
	raw, err := c.SyscallConn()
	if err != nil {
		return nil, err
	}
	r := &rawReader{raw: raw}
	r.ready = r.fill
	return r, nil
}

// rawWriter is the other half.
type rawWriter struct {
	raw   syscall.RawConn
	ready func(fd uintptr) bool // w.drain
	rest  []byte
	err   error
}

func newSocketWriter(c socket) (writer, error) {
	raw, err := c.SyscallConn()
	if err != nil {
		return nil, err
	}
	w := &rawWriter{raw: raw}
	w.ready = w.drain
	return w, nil
}

// Write writes all of b, or says how much was written before the error.
func (w *rawWriter) Write(b []byte) (n int, err error) {
	if len(b) == 0 {
		return 0, nil
	}
	w.rest, w.err = b, nil
	if err = w.raw.Write(w.ready); err == nil {
		err = w.err
	}
	n, w.rest = len(b)-len(w.rest), nil
	return n, err
}

// drain reports whether all is written, or cannot be. If not, the runtime calls it
// again when there is room.
func (w *rawWriter) drain(fd uintptr) bool {
	for len(w.rest) > 0 {
		n, errno := writeNow(fd, w.rest)
		if errno == syscall.EAGAIN {
			return false
		}
		if errno != 0 {
			w.err = os.NewSyscallError("write", errno)
			return true
		}
		w.rest = w.rest[n:]
	}
	return true
}

func (r *rawReader) next() ([]byte, error) {
	r.n, r.err = 0, nil
	if err := r.raw.Read(r.ready); err != nil {
		return nil, err // closed, or past the deadline: fill got nothing
	}
	switch {
	case r.err != nil:
		return nil, os.NewSyscallError("read", r.err)
	case r.n == 0:
		return nil, io.EOF
	}
	return r.buf[:r.n:r.n], nil
}

// fill reports whether it has got something: bytes, EOF or an error. If not,
// the runtime calls it again when the socket has become readable.
func (r *rawReader) fill(fd uintptr) bool {
	buf := chunks.Get().(*[chunkSize]byte)
	n, errno := readNow(fd, buf[:])
	if errno != 0 {
		chunks.Put(buf)
		if errno == syscall.EAGAIN {
			return false
		}
		r.err = errno
		return true
	}
	r.buf, r.n = buf, n
	return true
}

func (r *rawReader) release() {
	if r.buf != nil {
		chunks.Put(r.buf)
		r.buf = nil
	}
}
