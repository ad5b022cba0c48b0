package proxy

import (
	"bytes"
	"strings"
	"sync/atomic"
	"testing"
)

// upper holds everything back to the end of a line and gives it in capitals.
type upper struct{ up, down bytes.Buffer }

func (u *upper) Client(b []byte) []byte { return hold(&u.up, b) }
func (u *upper) Server(b []byte) []byte { return hold(&u.down, b) }
func (u *upper) ClientEnd() []byte      { return u.up.Bytes() }
func (u *upper) ServerEnd() []byte      { return u.down.Bytes() }

func hold(held *bytes.Buffer, b []byte) []byte {
	held.Write(b)
	i := bytes.LastIndexByte(held.Bytes(), '\n')
	return bytes.ToUpper(held.Next(i + 1))
}

// What a rewriter gives is what is written and what the tap sees; what it holds
// back comes out before FIN.
func TestRewriter(t *testing.T) {
	u := newUpstream(t, "127.0.0.1:0")
	taps := make(chan *recorder, 1)
	s := start(t, &Server{
		Upstream: u.address(), NewRewriter: func(Conn) Rewriter { return &upper{} },
		NewTap: func(c Conn) Tap { r := newRecorder(c); taps <- r; return r },
	})
	client, server := pair(t, s, u)
	mustWrite(t, client, []byte("he"))
	mustWrite(t, client, []byte("llo\nwor"))
	mustRead(t, server, []byte("HELLO\n"))
	client.CloseWrite()
	mustRead(t, server, []byte("wor"))
	mustEOF(t, server)
	mustWrite(t, server, []byte("answer\nrest"))
	server.Close()
	mustRead(t, client, []byte("ANSWER\nrest"))
	mustEOF(t, client)
	r := <-taps
	r.awaitClose(t)
	if got := r.client.String() + "|" + r.server.String(); got != "HELLO\nwor|ANSWER\nrest" {
		t.Errorf("the tap saw %q", got)
	}
}

// broken panics.
type broken struct{ upper }

func (*broken) Server([]byte) []byte { panic("no") }

// A rewriter that panics ends its connection, in words, and nothing else.
func TestRewriterPanics(t *testing.T) {
	u := newUpstream(t, "127.0.0.1:0")
	var said atomic.Value
	s := start(t, &Server{
		Upstream: u.address(), NewRewriter: func(Conn) Rewriter { return &broken{} },
		Hooks: Hooks{Error: func(err error) { said.Store(err.Error()) }},
	})
	client, server := pair(t, s, u)
	mustWrite(t, server, []byte("x"))
	mustReset(t, client)
	mustReset(t, server)
	if text, _ := said.Load().(string); !strings.Contains(text, "rewriter") {
		t.Errorf("said %q", text)
	}
}
