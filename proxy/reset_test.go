package proxy

import (
	"bytes"
	"errors"
	"io"
	"net"
	"os"
	"syscall"
	"testing"
	"time"
)

// An upstream killed in the middle of a reply: the client gets what was sent
// before, then an end of the same kind. It never hangs, never gets other bytes,
// never takes a cut stream for a finished one.
func TestUpstreamDiesMidStream(t *testing.T) {
	u := newUpstream(t, "127.0.0.1:0")
	s := start(t, &Server{Upstream: u.address()})
	part := noise(3, 100_000)

	t.Run("FIN", func(t *testing.T) {
		client, server := pair(t, s, u)
		mustWrite(t, server, part)
		server.Close()
		mustRead(t, client, part)
		mustEOF(t, client)
	})
	t.Run("reset", func(t *testing.T) {
		client, server := pair(t, s, u)
		mustWrite(t, server, part)
		mustRead(t, client, part)
		resetConn(server)
		if _, err := client.Read(make([]byte, 1)); !errors.Is(err, syscall.ECONNRESET) {
			t.Fatalf("want a reset, got %v", err)
		}
	})
	eventually(t, "no connection is left", func() bool { return s.Connections() == 0 })
}

// The kernel reports a reset once. If the proxy's write to the upstream meets
// it, the proxy's read meets EOF, which must not become a FIN for the client.
func TestResetMetByWriteIsNoFIN(t *testing.T) {
	u := newUpstream(t, "127.0.0.1:0")
	s := start(t, &Server{Upstream: u.address()})
	for range 300 {
		client, server := pair(t, s, u)
		wrote := make(chan error, 1)
		go func() { // keeps the proxy writing while the reset comes
			b := make([]byte, 512)
			for {
				if _, err := client.Write(b); err != nil {
					wrote <- err
					return
				}
			}
		}()
		part := []byte("the beginning of a reply")
		if _, err := io.ReadFull(server, make([]byte, 2000)); err != nil {
			t.Fatal(err)
		}
		mustWrite(t, server, part)
		mustRead(t, client, part)
		resetConn(server)
		_, readErr := client.Read(make([]byte, 1))
		writeErr := <-wrote
		// The client's own kernel does the same: its write may have taken the
		// reset. Then, and only then, is EOF no sign of a FIN.
		if readErr == io.EOF && !errors.Is(writeErr, syscall.ECONNRESET) {
			t.Fatalf("a reset of the upstream reached the client as FIN (its write: %v)", writeErr)
		}
		if errors.Is(readErr, os.ErrDeadlineExceeded) {
			t.Fatal("the client hangs")
		}
		client.Close()
	}
	eventually(t, "no connection is left", func() bool { return s.Connections() == 0 })
}

func TestClientResetReachesUpstream(t *testing.T) {
	u := newUpstream(t, "127.0.0.1:0")
	s := start(t, &Server{Upstream: u.address()})
	client, server := pair(t, s, u)
	mustWrite(t, client, []byte("request"))
	mustRead(t, server, []byte("request"))
	resetConn(client)
	if _, err := server.Read(make([]byte, 1)); !errors.Is(err, syscall.ECONNRESET) {
		t.Fatalf("want a reset, got %v", err)
	}
	eventually(t, "no connection is left", func() bool { return s.Connections() == 0 })
}

// A server that answers, closes, and is written to after that: the answer
// reaches a client that reads only after it has written everything, and the
// connection ends.
func TestAnswerOutlivesFailedWrite(t *testing.T) {
	u := newUpstream(t, "127.0.0.1:0")
	s := start(t, &Server{Upstream: u.address()})
	client, server := pair(t, s, u)
	answer := noise(5, 64_000)
	mustWrite(t, client, []byte("request"))
	mustRead(t, server, []byte("request"))
	mustWrite(t, server, answer)
	server.Close()
	rest := make([]byte, 256<<10)
	for range 16 { // more than the socket buffers hold
		if _, err := client.Write(rest); err != nil {
			break // the proxy may have ended the connection already
		}
	}
	got := make([]byte, len(answer))
	if _, err := io.ReadFull(client, got); err != nil || !bytes.Equal(got, answer) {
		t.Fatalf("the answer was lost: %v", err)
	}
	if n, err := client.Read(make([]byte, 1)); n != 0 || err != io.EOF && !isReset(err) {
		t.Fatalf("want the end, got %d bytes and %v", n, err)
	}
	eventually(t, "no connection is left", func() bool { return s.Connections() == 0 })
}

// A client that only writes (unacknowledged writes) and never reads must learn
// that its server has closed, by a failing write.
func TestWriterThatNeverReads(t *testing.T) {
	u := newUpstream(t, "127.0.0.1:0")
	s := start(t, &Server{Upstream: u.address()})
	client, server := pair(t, s, u)
	mustWrite(t, client, []byte("request"))
	mustRead(t, server, []byte("request"))
	server.Close()
	b := make([]byte, 1000)
	for {
		if _, err := client.Write(b); err != nil {
			if !isReset(err) {
				t.Fatalf("want a reset, got %v", err)
			}
			break
		}
		time.Sleep(time.Millisecond)
	}
	eventually(t, "no connection is left", func() bool { return s.Connections() == 0 })
}

// A client that leaves in the middle of a stream from the server (an exhaust
// cursor, say) ends that stream.
func TestClientLeavesMidStream(t *testing.T) {
	for _, tt := range []struct {
		name  string
		leave func(*net.TCPConn)
	}{
		{"close", func(c *net.TCPConn) { c.Close() }},
		{"reset", resetConn},
	} {
		t.Run(tt.name, func(t *testing.T) {
			u := newUpstream(t, "127.0.0.1:0")
			s := start(t, &Server{Upstream: u.address()})
			client, server := pair(t, s, u)
			failed := make(chan error, 1)
			go func() {
				b := make([]byte, 10_000)
				for {
					if _, err := server.Write(b); err != nil {
						failed <- err
						return
					}
				}
			}()
			if _, err := io.ReadFull(client, make([]byte, 1_000_000)); err != nil {
				t.Fatal(err)
			}
			tt.leave(client)
			if err := <-failed; !isReset(err) {
				t.Fatalf("want a reset, got %v", err)
			}
			eventually(t, "no connection is left", func() bool { return s.Connections() == 0 })
		})
	}
}

// A client that neither reads its answer nor stops writing, while the server
// has closed: both legs are full or dead, and only the limit on discarding ends
// it.
func TestDiscardingIsBounded(t *testing.T) {
	u := newUpstream(t, "127.0.0.1:0")
	s := start(t, &Server{Upstream: u.address(), drainTime: 100 * time.Millisecond})
	client, server := pair(t, s, u)
	server.SetWriteDeadline(time.Now().Add(300 * time.Millisecond))
	b := make([]byte, 64<<10)
	for {
		if _, err := server.Write(b); err != nil {
			break // all buffers up to the client are full
		}
	}
	server.Close()
	for {
		if _, err := client.Write(b); err != nil {
			if !isReset(err) {
				t.Fatalf("want a reset, got %v", err)
			}
			break
		}
		time.Sleep(time.Millisecond)
	}
	eventually(t, "no connection is left", func() bool { return s.Connections() == 0 })
}
