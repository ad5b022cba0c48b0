package sink

import (
	"bufio"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"mongoadvisor/internal/store"
)

// behaviour is what a receiver does with one connection, which is closed behind it.
type behaviour func(c net.Conn)

// answers reads a request in full, and says something.
func answers(text string) behaviour {
	return func(c net.Conn) {
		if r, err := http.ReadRequest(bufio.NewReader(c)); err == nil {
			_, _ = io.Copy(io.Discard, r.Body)
			_, _ = io.WriteString(c, text)
		}
	}
}

// heard is how many bytes the most patient listener took of what has no end. The buffers
// of the system are a part of it.
var heard atomic.Int64

// endless goes on as long as somebody listens.
func endless(beginning, rest string) behaviour {
	return func(c net.Conn) {
		answers(beginning)(c)
		for n := int64(0); ; n += int64(len(rest)) {
			if _, err := io.WriteString(c, rest); err != nil {
				return
			}
			if n > heard.Load() {
				heard.Store(n)
			}
		}
	}
}

const (
	fine    = "HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n"
	open200 = "HTTP/1.1 200 OK\r\n"
)

// badReceivers fail a delivery; it is tried again.
var badReceivers = map[string]behaviour{
	"closes at once":                      func(net.Conn) {},
	"resets":                              func(c net.Conn) { _ = c.(*net.TCPConn).SetLinger(0) },
	"hangs up in the middle of a request": func(c net.Conn) { _, _ = io.ReadFull(c, make([]byte, 100)) },
	"answers 500":                         answers("HTTP/1.1 500 Oops\r\nContent-Length: 0\r\n\r\n"),
	"hangs up in the status":              answers("HTTP/1.1 20"),
	"hangs up in the header":              answers(open200 + "Content-Len"),
	"speaks something else":               answers("220 smtp.example ESMTP\r\n"),
	"sends a header without end":          endless(open200, "X-More: "+strings.Repeat("x", 1000)+"\r\n"),
	"hints without end":                   endless("", "HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n"),
}

// goodReceivers have taken what they were sent, whatever comes then.
var goodReceivers = map[string]behaviour{
	"hangs up in the middle of its answer": answers(open200 + "Content-Length: 1000\r\n\r\nthank"),
	"hangs up in a chunk":                  answers(open200 + "Transfer-Encoding: chunked\r\n\r\nffff\r\nthank"),
	"answers without end":                  endless(open200+"\r\n", strings.Repeat("thank you ", 1000)),
}

// receiver does with its first connections as it is told, then takes everything. It
// counts connections.
func receiver(t *testing.T, first ...behaviour) (address string, tries *atomic.Int64) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address, tries = l.Addr().String(), &atomic.Int64{}
	var wg sync.WaitGroup
	t.Cleanup(func() { _ = l.Close(); wg.Wait() })
	wg.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			n := int(tries.Add(1))
			wg.Go(func() {
				defer func() { _ = c.Close() }()
				_ = c.SetDeadline(time.Now().Add(time.Minute))
				if n <= len(first) {
					first[n-1](c)
					return
				}
				answers(fine)(c)
			})
		}
	})
	return address, tries
}

// posted sends a finding and returns what became of it.
func posted(t *testing.T, url string, retry int) map[string]int64 {
	t.Helper()
	var mu sync.Mutex
	var errs []string
	d := NewDispatcher(func(_ string, err error) {
		mu.Lock()
		defer mu.Unlock()
		errs = append(errs, err.Error())
	})
	d.Add(newWebhook(t, url+"/a-token", ""), Options{Retry: retry})
	d.Announce(store.Entry{Rule: "Q01", Message: strings.Repeat("long ", 100)})
	waitFor(t, func() bool { return outcomes(d)["webhook delivered"]+outcomes(d)["webhook failed"] > 0 })
	d.Close()
	mu.Lock()
	defer mu.Unlock()
	for _, e := range errs {
		if strings.Contains(e, "a-token") || len(e) > 500 {
			t.Errorf("the log gets %.600q", e)
		}
	}
	return outcomes(d)
}

// TestBadReceivers: what fails is tried again, and as often as it may; then it is given up.
func TestBadReceivers(t *testing.T) {
	for name, bad := range badReceivers {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			address, tries := receiver(t, bad)
			if got := posted(t, "http://"+address, 1); got["webhook delivered"] != 1 || got["webhook failed"] != 0 || tries.Load() != 2 {
				t.Errorf("%v in %d tries", got, tries.Load())
			}
			address, tries = receiver(t, bad, bad, bad)
			if got := posted(t, "http://"+address, 1); got["webhook delivered"] != 0 || got["webhook failed"] != 1 || tries.Load() != 2 {
				t.Errorf("always: %v in %d tries", got, tries.Load())
			}
		})
	}
}

// TestGoodReceivers: what was taken is not sent again because the answer is a strange one.
func TestGoodReceivers(t *testing.T) {
	t.Cleanup(func() {
		if n := heard.Load(); n == 0 || n > 64<<20 {
			t.Errorf("%d bytes were taken of an answer without end", n)
		}
	})
	for name, good := range goodReceivers {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			address, tries := receiver(t, good)
			if got := posted(t, "http://"+address, 3); got["webhook delivered"] != 1 || got["webhook failed"] != 0 || tries.Load() != 1 {
				t.Errorf("%v in %d tries", got, tries.Load())
			}
		})
	}
}

// TestReceiversBehindTLS: one that ends TLS, speaks none, or shows a certificate that
// nobody knows gets nothing, and that counts as a failure.
func TestReceiversBehindTLS(t *testing.T) {
	greet := func(c net.Conn) { _, _ = io.ReadFull(c, make([]byte, 50)) } // in the ClientHello
	for name, each := range map[string]behaviour{
		"closes in the handshake": greet,
		"speaks plain HTTP":       func(c net.Conn) { greet(c); _, _ = io.WriteString(c, "HTTP/1.1 400 Bad Request\r\n\r\n") },
		"sends an alert":          func(c net.Conn) { greet(c); _, _ = c.Write([]byte{21, 3, 3, 0, 2, 2, 40}) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			address, tries := receiver(t, each, each, each)
			if got := posted(t, "https://"+address, 1); got["webhook delivered"] != 0 || got["webhook failed"] != 1 || tries.Load() != 2 {
				t.Errorf("%v in %d tries", got, tries.Load())
			}
		})
	}
	stranger := httptest.NewUnstartedServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("it got findings") }))
	stranger.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelError) // of the handshake
	stranger.StartTLS()
	defer stranger.Close()
	if got := posted(t, stranger.URL, 1); got["webhook delivered"] != 0 || got["webhook failed"] != 1 {
		t.Errorf("one whose certificate nobody knows: %v", got)
	}
}
