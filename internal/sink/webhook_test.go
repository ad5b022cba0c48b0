package sink

import (
	"bufio"
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"mongoadvisor/internal/analysis"
	"mongoadvisor/internal/store"
)

func newWebhook(t *testing.T, address, secret string) *Webhook {
	t.Helper()
	w, err := NewWebhook(address, secret, "1.2.3")
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// TestWebhook: findings arrive as the API has them, signed.
func TestWebhook(t *testing.T) {
	var got webhookBody
	var signature, body string
	receiver := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		b, err := io.ReadAll(r.Body)
		if err != nil || r.Method != http.MethodPost || r.Header.Get("Content-Type") != "application/json" || r.UserAgent() != "mongoadvisor/1.2.3" {
			t.Errorf("%s, %v, %v", r.Method, r.Header, err)
		}
		signature, body = r.Header.Get(SignatureHeader), string(b)
		if err := json.Unmarshal(b, &got); err != nil {
			t.Error(err)
		}
	}))
	defer receiver.Close()
	if err := newWebhook(t, receiver.URL+"/hook", "between us").Emit(t.Context(), sample().Findings); err != nil {
		t.Fatal(err)
	}
	mac := hmac.New(sha256.New, []byte("between us"))
	mac.Write([]byte(body))
	if want := "sha256=" + hex.EncodeToString(mac.Sum(nil)); signature != want {
		t.Errorf("signature %s, want %s", signature, want)
	}
	if got.Program != "mongoadvisor" || got.Version != "1.2.3" || len(got.Findings) != len(sample().Findings) || got.Findings[0].Fingerprint != sample().Findings[0].Fingerprint {
		t.Errorf("%+v", got)
	}
	if err := newWebhook(t, receiver.URL, "").Emit(t.Context(), sample().Findings); err != nil || signature != "" {
		t.Errorf("without a secret: signature %q, %v", signature, err)
	}
}

// TestWebhookAddress: what is no address is refused, and not repeated.
func TestWebhookAddress(t *testing.T) {
	for _, address := range []string{"", "localhost:80", "ftp://host/token", "https://", "https:///token", "http://%zz"} {
		if _, err := NewWebhook(address, "", ""); err == nil || strings.Contains(err.Error(), "token") {
			t.Errorf("%q: %v", address, err)
		}
	}
}

// TestWebhookAnswers: which answers are worth another try, and none repeats the address.
func TestWebhookAnswers(t *testing.T) {
	for _, tt := range []struct {
		code      int
		after     string
		permanent bool
		pause     time.Duration
	}{
		{code: 500},
		{code: 502},
		{code: 408},
		{code: 429},
		{code: 503, after: "7", pause: 7 * time.Second},
		{code: 429, after: "86400", pause: longestPause},
		{code: 400, permanent: true},
		{code: 401, permanent: true},
		{code: 404, permanent: true},
		{code: 302, permanent: true},
	} {
		receiver := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			if tt.after != "" {
				w.Header().Set("Retry-After", tt.after)
			}
			w.Header().Set("Location", "http://127.0.0.1:1/elsewhere")
			w.WriteHeader(tt.code)
		}))
		err := newWebhook(t, receiver.URL+"/a-token", "").Emit(t.Context(), sample().Findings)
		receiver.Close()
		var permanent *Permanent
		if err == nil || errors.As(err, &permanent) != tt.permanent || after(err) != tt.pause || strings.Contains(err.Error(), "a-token") {
			t.Errorf("%d: %v, permanent %v, after %v", tt.code, err, permanent != nil, after(err))
		}
	}
	closed := httptest.NewServer(nil)
	closed.Close()
	if err := newWebhook(t, closed.URL+"/a-token", "").Emit(t.Context(), sample().Findings); err == nil || strings.Contains(err.Error(), "a-token") {
		t.Errorf("nobody there: %v", err)
	}
}

// TestWebhookReceiverThatHangsUp: a connection that ends in the middle of the request, or
// of the answer, is a failure that is tried again, and is delivered then.
func TestWebhookReceiverThatHangsUp(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	go func() {
		for n := 0; ; n++ {
			c, err := l.Accept()
			if err != nil {
				return
			}
			switch n {
			case 0: // in the middle of the request
				_, _ = io.ReadFull(c, make([]byte, 100))
			default: // after the request
				if r, err := http.ReadRequest(bufio.NewReader(c)); err == nil {
					_, _ = io.Copy(io.Discard, r.Body)
					_, _ = io.WriteString(c, "HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n")
				}
			}
			_ = c.Close()
		}
	}()
	d := NewDispatcher(nil)
	d.Add(newWebhook(t, "http://"+l.Addr().String(), ""), Options{Retry: 3})
	d.Announce(store.Entry{Rule: "Q01"})
	for deadline := time.Now().Add(30 * time.Second); outcomes(d)["webhook delivered"] == 0 && time.Now().Before(deadline); {
		time.Sleep(10 * time.Millisecond)
	}
	d.Close()
	if got := outcomes(d); got["webhook delivered"] != 1 || got["webhook failed"] != 0 {
		t.Errorf("%v", got)
	}
}

// TestRetriesEnd: a receiver that is always down costs each finding a bounded number of
// tries; what is refused for good costs one; what is not severe is not sent at all.
func TestRetriesEnd(t *testing.T) {
	var tries atomic.Int64
	status := atomic.Int64{}
	status.Store(http.StatusBadRequest)
	receiver := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		tries.Add(1)
		w.WriteHeader(int(status.Load()))
	}))
	defer receiver.Close()
	var mu sync.Mutex
	var told []string
	d := NewDispatcher(func(name string, err error) {
		mu.Lock()
		defer mu.Unlock()
		told = append(told, name+": "+err.Error())
	})
	d.Add(newWebhook(t, receiver.URL, ""), Options{Retry: 1, MinSeverity: analysis.High})
	d.Announce(store.Entry{Severity: analysis.Medium})
	d.Announce(store.Entry{Severity: analysis.High})
	waitFor(t, func() bool { return outcomes(d)["webhook failed"] == 1 })
	if n := tries.Load(); n != 1 {
		t.Errorf("%d tries of what is refused for good", n)
	}
	status.Store(http.StatusBadGateway)
	d.Announce(store.Entry{Severity: analysis.Critical})
	waitFor(t, func() bool { return outcomes(d)["webhook failed"] == 2 })
	if n := tries.Load(); n != 3 {
		t.Errorf("%d tries, want 1 and 2", n)
	}
	d.Close()
	mu.Lock()
	defer mu.Unlock()
	if len(told) != 2 || !strings.Contains(told[1], "502 Bad Gateway") {
		t.Errorf("%q", told)
	}
}

// TestBatches: findings that come together go together.
func TestBatches(t *testing.T) {
	var mu sync.Mutex
	var sizes []int
	receiver := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		var body webhookBody
		if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
			t.Error(err)
		}
		mu.Lock()
		defer mu.Unlock()
		sizes = append(sizes, len(body.Findings))
	}))
	defer receiver.Close()
	d := NewDispatcher(nil)
	d.Add(newWebhook(t, receiver.URL, ""), Options{Batch: 50})
	for i := range 120 {
		d.Announce(store.Entry{Fingerprint: strconv.Itoa(i)})
	}
	waitFor(t, func() bool { return outcomes(d)["webhook delivered"] == 120 })
	d.Close()
	mu.Lock()
	defer mu.Unlock()
	if len(sizes) != 3 || sizes[0] != 50 || sizes[2] != 20 {
		t.Errorf("%v", sizes)
	}
}

// TestFileSink: a line of JSON for each finding, also into a file that was rotated away.
func TestFileSink(t *testing.T) {
	path := filepath.Join(t.TempDir(), "findings.jsonl")
	f, err := NewFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := f.Emit(t.Context(), sample().Findings[:2]); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(path, path+".old"); err != nil {
			t.Fatal(err)
		}
	}
	b, err := os.ReadFile(path + ".old")
	if err != nil {
		t.Fatal(err)
	}
	lines := bytes.Split(bytes.TrimSuffix(b, []byte("\n")), []byte("\n"))
	for _, line := range lines {
		var e store.Entry
		if err := json.Unmarshal(line, &e); err != nil || e.Rule == "" {
			t.Errorf("%s: %v", line, err)
		}
	}
	if len(lines) != 2 {
		t.Errorf("%d lines", len(lines))
	}
	if _, err := NewFile(filepath.Join(t.TempDir(), "nowhere", "f")); err == nil {
		t.Error("a file in a folder that is not there")
	}
}

func waitFor(t *testing.T, ok func() bool) {
	t.Helper()
	for deadline := time.Now().Add(30 * time.Second); !ok(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("gave up waiting")
		}
	}
}
