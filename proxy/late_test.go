package proxy

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// phrases is a tap that knows where messages end: of the client's, a request ends
// with a newline and a write that wants no reply with an exclamation mark; a reply
// ends with a full stop.
type phrases struct {
	awaited atomic.Int64
	inside  atomic.Bool
}

func (p *phrases) Client(b []byte) {
	for _, c := range b {
		if c == '\n' {
			p.awaited.Add(1)
		}
	}
	p.inside.Store(!bytes.HasSuffix(b, []byte("\n")) && !bytes.HasSuffix(b, []byte("!")))
}

func (p *phrases) Server(b []byte) { p.awaited.Add(-int64(bytes.Count(b, []byte(".")))) }
func (p *phrases) Close()          {}
func (p *phrases) Idle() bool      { return !p.Awaits() && !p.inside.Load() }
func (p *phrases) Awaits() bool    { return p.awaited.Load() != 0 }

func talking(t *testing.T) (*Server, *testUpstream) {
	u := newUpstream(t, "127.0.0.1:0")
	return start(t, &Server{Upstream: u.address(), NewTap: func(Conn) Tap { return &phrases{} }}), u
}

// What is sent to a connection that is being left is delivered while it wants no
// reply, in whatever pieces it comes. Of a request at least the end is not, and
// nothing behind it.
func TestLateMessages(t *testing.T) {
	long := strings.Repeat("x", 10*chunkSize)
	for name, tt := range map[string]struct {
		pieces    []string
		delivered int // of the pieces
	}{
		"unacknowledged":              {[]string{"one!"}, 1},
		"in pieces":                   {[]string{"o", "n", "e!tw", "o!"}, 4},
		"long":                        {[]string{"one!", long + "!", "two!"}, 3},
		"a request":                   {[]string{"one\n", "two!"}, 0},
		"a request after it":          {[]string{"one!", "two\n", "three!"}, 1},
		"both at once":                {[]string{"one!two\n"}, 0},
		"a request in pieces":         {[]string{"one!", "tw", "o\n", "three!"}, 2},
		"nothing, and it half-closes": {nil, 0},
	} {
		t.Run(name, func(t *testing.T) {
			s, u := talking(t)
			client, server := pair(t, s, u)
			done := shutdown(s)
			mustEOF(t, client)
			for i, piece := range tt.pieces {
				mustWrite(t, client, []byte(piece))
				if i < tt.delivered {
					mustRead(t, server, []byte(piece))
				}
			}
			client.CloseWrite()
			mustEOF(t, server)
			server.Close()
			mustEnd(t, done)
		})
	}
}

// A write that wants no reply is under way when the server drains: the connection
// is left once it is over, although the server has nothing to say.
func TestUnacknowledgedWriteUnderWayWhenDraining(t *testing.T) {
	s, u := talking(t)
	client, server := pair(t, s, u)
	exchange(t, client, server, "the begin")
	done := shutdown(s)
	eventually(t, "it drains", s.draining.Load)
	exchange(t, client, server, "ning of it!")
	mustEOF(t, client)
	mustEOF(t, server)
	mustEnd(t, done)
}

// TestNothingIsLostWhenDraining drains under clients that send without a break.
// They stop when they meet the end. Each write that wants no reply has arrived
// then, and each request has either its reply or was not delivered.
func TestNothingIsLostWhenDraining(t *testing.T) {
	judged := 0
	for i := range 150 {
		s, u := talking(t)
		client, server := pair(t, s, u)
		unacknowledged := i%2 == 0
		var group sync.WaitGroup
		var sent, answered, arrived int
		var ended atomic.Bool
		group.Go(func() { // what the client hears
			n, _ := io.Copy(io.Discard, client)
			answered = int(n)
			ended.Store(true)
		})
		group.Go(func() {
			for ; !ended.Load(); sent++ {
				if message := []byte("!"); unacknowledged {
					_, _ = client.Write(message)
				} else {
					_, _ = client.Write([]byte("\n"))
					time.Sleep(20 * time.Microsecond) // so that there are moments without a request
				}
			}
			_ = client.CloseWrite()
		})
		group.Go(func() {
			arrived = serveRequests(server)
			_ = server.Close()
		})
		time.Sleep(time.Duration(i%10) * 100 * time.Microsecond)
		began := time.Now()
		ctx, cancel := context.WithTimeout(context.Background(), guard)
		if err := s.Shutdown(ctx); err != nil {
			t.Error(err)
		}
		cancel()
		took := time.Since(began)
		client.Close()
		group.Wait()
		if took >= lingerTime {
			continue // so loaded a machine that the client's time was up
		}
		judged++
		if unacknowledged && arrived != sent {
			t.Fatalf("round %d: of %d writes %d arrived", i, sent, arrived)
		}
		if !unacknowledged && arrived != answered {
			t.Fatalf("round %d: of %d requests %d arrived, and %d were answered", i, sent, arrived, answered)
		}
	}
	t.Logf("%d rounds judged", judged)
}

// serveRequests answers each request, and counts messages of both kinds.
func serveRequests(c net.Conn) (n int) {
	for r := bufio.NewReader(c); ; n++ {
		b, err := r.ReadByte()
		if err != nil {
			return n
		}
		if b == '\n' {
			_, _ = io.WriteString(c, ".")
		}
	}
}
