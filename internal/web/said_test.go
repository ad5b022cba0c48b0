package web

import (
	"bytes"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"
)

// buffer is written to by a server and read by a test.
type buffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (b *buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(p)
}

func (b *buffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.String()
}

// TestSparing: one line of a kind in ten seconds, whoever caused it, and how many
// there would have been.
func TestSparing(t *testing.T) {
	var out buffer
	now := time.Unix(1_700_000_000, 0)
	l := spare(slog.New(slog.NewTextHandler(&out, nil)), func() time.Time { return now })
	std := slog.NewLogLogger(l.Handler(), slog.LevelWarn)
	lines := func(what string, want int) {
		t.Helper()
		if n := strings.Count(out.String(), "\n"); n != want {
			t.Errorf("%s: %d lines, want %d:\n%s", what, n, want, out.String())
		}
	}
	for i := range 100 {
		std.Printf("http: TLS handshake error from 192.0.2.%d:%d: EOF", i, 1000+i)
		std.Printf("http2: server: error reading preface from client 192.0.2.%d:%d", i, 1000+i)
		std.Printf("http: something new about 192.0.2.%d", i)
		l.With("a", i).WithGroup("g").Error("constant", "err", i)
	}
	lines("at once", 4)
	now = now.Add(saidEvery)
	std.Printf("http: TLS handshake error from 192.0.2.1:1: EOF")
	lines("later", 5)
	if !strings.Contains(out.String(), "left_out=99") {
		t.Errorf("nobody says how many were left out:\n%s", out.String())
	}
	for i := range 10 * maxKinds {
		l.Error(fmt.Sprint("not constant ", i))
	}
	if n := strings.Count(out.String(), "\n"); n > 5+maxKinds {
		t.Errorf("%d lines of messages that are not constant", n)
	}
}

func TestLongLinesAreCut(t *testing.T) {
	var out buffer
	l := spare(slog.New(slog.NewTextHandler(&out, nil)), time.Now)
	l.Warn(strings.Repeat("ä", maxSaid))
	l.Warn("first\nsecond")
	if s := out.String(); len(s) > 2*maxSaid || strings.Contains(s, "second") || strings.Contains(s, "\\x") {
		t.Errorf("%d bytes: %s", len(s), s)
	}
}

// TestPanicOfARequest: it ends that request, is named by its kind, and what it
// says is not repeated.
func TestPanicOfARequest(t *testing.T) {
	var out buffer
	c := Config{Logger: slog.New(slog.NewTextHandler(&out, nil)), API: map[string]func() any{
		"findings": func() any { panic("a literal of somebody's") }, "coverage": func() any { return 1 },
	}}
	s := started(t, c)
	for range 20 {
		if resp, err := http.Get("http://" + s.Addr() + "/api/v1/findings"); err == nil {
			resp.Body.Close()
			t.Errorf("it was answered with %s", resp.Status)
		}
	}
	if n := strings.Count(out.String(), "panic=string"); n < 1 || n > 5 || !strings.Contains(out.String(), "/api/v1/findings") || strings.Contains(out.String(), "literal") {
		t.Errorf("%d lines: %s", n, out.String())
	}
	if code, _ := get(t, s.Addr(), "/api/v1/coverage"); code != http.StatusOK {
		t.Errorf("the next request: %d", code)
	}
}
