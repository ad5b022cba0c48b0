package e2e

import (
	"io"
	"net"
	"sync"
	"testing"
)

// recorder stands before a proxy and keeps what both sides say of each connection.
type recorder struct {
	l    net.Listener
	to   string
	work sync.WaitGroup

	mu      sync.Mutex
	streams [][]byte
	open    []net.Conn
}

func newRecorder(t *testing.T, to string) *recorder {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	r := &recorder{l: l, to: to}
	r.work.Go(r.accept)
	t.Cleanup(func() { r.end() })
	return r
}

func (r *recorder) accept() {
	for {
		client, err := r.l.Accept()
		if err != nil {
			return
		}
		server, err := net.Dial("tcp", r.to)
		if err != nil {
			client.Close()
			continue
		}
		r.mu.Lock()
		up, down := len(r.streams), len(r.streams)+1
		r.streams = append(r.streams, nil, nil)
		r.open = append(r.open, client, server)
		r.mu.Unlock()
		r.work.Go(func() { r.move(server, client, up) })
		r.work.Go(func() { r.move(client, server, down) })
	}
}

func (r *recorder) move(dst, src net.Conn, stream int) {
	_, _ = io.Copy(dst, io.TeeReader(src, writerFunc(func(b []byte) {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.streams[stream] = append(r.streams[stream], b...)
	})))
	_ = dst.(*net.TCPConn).CloseWrite()
}

type writerFunc func([]byte)

func (w writerFunc) Write(b []byte) (int, error) {
	w(b)
	return len(b), nil
}

// end closes what is open and returns what was said.
func (r *recorder) end() [][]byte {
	_ = r.l.Close()
	r.mu.Lock()
	for _, c := range r.open {
		c.Close()
	}
	r.mu.Unlock()
	r.work.Wait()
	return r.streams
}
