package faults

import (
	"io"
	"net"
	"sync"
	"testing"
	"time"
)

// relay is the faulty network on one leg: it forwards, with one fault in one
// direction. A library for this (toxiproxy) brings a web server and forty
// modules, and answers a reset with a FIN.
type relay struct {
	l      *net.TCPListener
	to     string
	toxic  func(conn io.Writer) io.Writer
	onUp   bool // the fault is in the direction to the server
	group  sync.WaitGroup
	mu     sync.Mutex
	opened []*net.TCPConn
}

// newRelay forwards to an address; toxic makes the faulty writer of a direction.
func newRelay(t testing.TB, to string, onUp bool, toxic func(io.Writer) io.Writer) *relay {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	r := &relay{l: l.(*net.TCPListener), to: to, toxic: toxic, onUp: onUp}
	r.group.Go(r.accept)
	return r
}

func (r *relay) address() string { return r.l.Addr().String() }

func (r *relay) accept() {
	for {
		near, err := r.l.AcceptTCP()
		if err != nil {
			return
		}
		far, err := net.Dial("tcp", r.to)
		if err != nil {
			reset(near)
			continue
		}
		up := far.(*net.TCPConn)
		r.mu.Lock()
		r.opened = append(r.opened, near, up)
		r.mu.Unlock()
		r.group.Go(func() { r.move(up, near, r.onUp) })
		r.group.Go(func() { r.move(near, up, !r.onUp) })
	}
}

// move passes a FIN as a FIN, and anything else as a reset.
func (r *relay) move(dst, src *net.TCPConn, faulty bool) {
	var w io.Writer = onlyWriter{dst}
	if faulty {
		w = r.toxic(w)
	}
	if _, err := io.Copy(w, onlyReader{src}); err != nil {
		reset(src)
		reset(dst)
		return
	}
	_ = dst.CloseWrite()
}

// end stops the relay and what it holds open.
func (r *relay) end() {
	_ = r.l.Close()
	r.mu.Lock()
	for _, c := range r.opened {
		_ = c.Close()
	}
	r.mu.Unlock()
	r.group.Wait()
}

// The two hide what would let io.Copy splice past the fault.
type (
	onlyWriter struct{ io.Writer }
	onlyReader struct{ io.Reader }
)

// slicer writes pieces of at most n bytes.
type slicer struct {
	io.Writer
	n int
}

func (s slicer) Write(b []byte) (int, error) {
	for done := 0; done < len(b); {
		n, err := s.Writer.Write(b[done:min(done+s.n, len(b))])
		if done += n; err != nil {
			return done, err
		}
	}
	return len(b), nil
}

// late waits before each write: latency, and with small pieces a narrow line.
type late struct {
	io.Writer
	pause time.Duration
}

func (l late) Write(b []byte) (int, error) {
	time.Sleep(l.pause)
	return l.Writer.Write(b)
}

// breaking fails after n bytes, which the relay answers with a reset.
type breaking struct {
	io.Writer
	left int
}

func (b *breaking) Write(p []byte) (int, error) {
	n, err := b.Writer.Write(p[:min(len(p), b.left)])
	b.left -= n
	if err == nil && b.left == 0 {
		err = io.ErrShortWrite
	}
	return n, err
}

// hole lets nothing through until it is opened.
type hole struct {
	io.Writer
	open <-chan struct{}
}

func (h hole) Write(b []byte) (int, error) {
	<-h.open
	return h.Writer.Write(b)
}
