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
	n, err := syscall.Read(int(fd), buf[:])
	for err == syscall.EINTR {
		n, err = syscall.Read(int(fd), buf[:])
	}
	if err != nil {
		chunks.Put(buf)
		if err == syscall.EAGAIN {
			return false
		}
		r.err = err
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
