package proxy

import (
	"bytes"
	"io"
	"net"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// side is what one end of a connection does: it sends its chunks, then FIN.
type side struct {
	data   []byte
	chunks []int // lengths; data is cut by them
	// waits: send only after the other side's FIN has arrived.
	waits bool
}

func drawSide(t *rapid.T, name string) side {
	sizes := rapid.OneOf(rapid.IntRange(1, 64), rapid.IntRange(1, 5000), rapid.IntRange(30_000, 140_000))
	s := side{chunks: rapid.SliceOfN(sizes, 0, 12).Draw(t, name+" chunks")}
	total := 0
	for _, n := range s.chunks {
		total += n
	}
	s.data = noise(rapid.Uint64().Draw(t, name+" seed"), total)
	return s
}

// play sends what s says and returns all that arrived.
func (s side) play(c *net.TCPConn) (got []byte, err error) {
	if s.waits {
		if got, err = io.ReadAll(c); err != nil {
			return got, err
		}
		return got, s.send(c)
	}
	sent := make(chan error, 1)
	go func() { sent <- s.send(c) }()
	got, err = io.ReadAll(c)
	if sendErr := <-sent; err == nil {
		err = sendErr
	}
	return got, err
}

func (s side) send(c *net.TCPConn) error {
	rest := s.data
	for _, n := range s.chunks {
		if _, err := c.Write(rest[:n]); err != nil {
			return err
		}
		rest = rest[n:]
	}
	return c.CloseWrite()
}

// Bytes pass unchanged, in order, both ways, whatever they are and however they
// are cut, whichever side sends its FIN first, and whatever the tap does.
func TestBytesPassUnchanged(t *testing.T) {
	t.Run("no tap", func(t *testing.T) { checkIdentity(t, nil, nil) })
	t.Run("recording tap", func(t *testing.T) {
		taps := make(chan *recorder, 1)
		newTap := func(c Conn) Tap {
			r := newRecorder(c)
			taps <- r
			return r
		}
		checkIdentity(t, newTap, func(t *rapid.T, client, server []byte) {
			r := <-taps
			select {
			case <-r.closed:
			case <-time.After(guard):
				t.Fatal("the tap was not closed")
			}
			r.mu.Lock()
			defer r.mu.Unlock()
			if !bytes.Equal(r.client.Bytes(), client) || !bytes.Equal(r.server.Bytes(), server) {
				t.Fatal("the tap saw other bytes than were sent")
			}
			if r.closes != 1 {
				t.Fatalf("the tap was closed %d times", r.closes)
			}
		})
	})
	t.Run("panicking tap", func(t *testing.T) {
		checkIdentity(t, func(Conn) Tap { return &bomb{after: 3} }, nil)
	})
	t.Run("panicking NewTap", func(t *testing.T) {
		checkIdentity(t, func(Conn) Tap { panic("no tap today") }, nil)
	})
}

// bomb panics at its n-th call and in Close.
type bomb struct {
	after int32
	calls atomic.Int32
}

func (b *bomb) Client([]byte) { b.call() }
func (b *bomb) Server([]byte) { b.call() }
func (b *bomb) Close()        { panic("close") }
func (b *bomb) call() {
	if b.calls.Add(1) >= b.after {
		panic("bytes")
	}
}

func checkIdentity(t *testing.T, newTap func(Conn) Tap, also func(t *rapid.T, client, server []byte)) {
	u := newUpstream(t, "127.0.0.1:0")
	s := start(t, &Server{Upstream: u.address(), NewTap: newTap})
	rapid.Check(t, func(rt *rapid.T) {
		client, server := drawSide(rt, "client"), drawSide(rt, "server")
		switch rapid.SampledFrom([]string{"nobody", "client", "server"}).Draw(rt, "who waits for the other's FIN") {
		case "client":
			client.waits = true
		case "server":
			server.waits = true
		}
		c, err := net.Dial("tcp", s.Addrs()[0].String())
		if err != nil {
			rt.Fatal(err)
		}
		defer c.Close()
		sc := <-u.conns
		defer sc.Close()
		c.SetDeadline(time.Now().Add(guard))
		sc.SetDeadline(time.Now().Add(guard))

		var atClient, atServer []byte
		var clientErr, serverErr error
		var both sync.WaitGroup
		both.Go(func() { atClient, clientErr = client.play(c.(*net.TCPConn)) })
		both.Go(func() { atServer, serverErr = server.play(sc) })
		both.Wait()
		if clientErr != nil || serverErr != nil {
			rt.Fatalf("client: %v, server: %v", clientErr, serverErr)
		}
		if !bytes.Equal(atServer, client.data) {
			rt.Fatal("the server got other bytes than the client sent")
		}
		if !bytes.Equal(atClient, server.data) {
			rt.Fatal("the client got other bytes than the server sent")
		}
		if also != nil {
			also(rt, client.data, server.data)
		}
	})
	eventually(t, "no connection is left", func() bool { return s.Connections() == 0 })
}
