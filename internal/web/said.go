package web

import (
	"context"
	"log/slog"
	"strings"
	"sync"
	"time"
)

const (
	// saidEvery is the least time between two lines that say the same.
	saidEvery = 10 * time.Second
	// maxSaid bounds a line, in bytes: a certificate that is refused can name
	// what its owner likes.
	maxSaid = 300
	// maxKinds bounds what is remembered, should a message not be constant.
	maxKinds = 64
)

// kinds are the beginnings of what net/http writes of its connections, which go
// on with an address. Whoever reaches the endpoint can cause each of them as often
// as he likes.
var kinds = []string{"http: TLS handshake error", "http: Accept error", "http: panic serving", "http2: "}

// sparing passes on one line of a kind in ten seconds, with how many were left
// out since the one before.
type sparing struct {
	slog.Handler
	said *said
}

type said struct {
	now func() time.Time

	mu   sync.Mutex
	last map[string]line
}

type line struct {
	at   time.Time
	left int64
}

// spare makes a logger that repeats nothing too often.
func spare(l *slog.Logger, now func() time.Time) *slog.Logger {
	return slog.New(sparing{l.Handler(), &said{now: now, last: map[string]line{}}})
}

// Handle implements slog.Handler.
func (s sparing) Handle(ctx context.Context, r slog.Record) error {
	left, ok := s.said.allow(kind(r.Message))
	if !ok {
		return nil
	}
	r.Message = head(r.Message)
	if left > 0 {
		r.AddAttrs(slog.Int64("left_out", left))
	}
	return s.Handler.Handle(ctx, r)
}

// WithAttrs implements slog.Handler; what was said stays known.
func (s sparing) WithAttrs(attrs []slog.Attr) slog.Handler {
	return sparing{s.Handler.WithAttrs(attrs), s.said}
}

// WithGroup implements slog.Handler; what was said stays known.
func (s sparing) WithGroup(name string) slog.Handler {
	return sparing{s.Handler.WithGroup(name), s.said}
}

// kind is what a message is about: without what follows for net/http's, which
// would make a key of each client. Others are the toolkit's and ours, and
// constant.
func kind(message string) string {
	for _, k := range kinds {
		if strings.HasPrefix(message, k) {
			return k
		}
	}
	if strings.HasPrefix(message, "http: ") {
		return "http: "
	}
	return message
}

func (s *said) allow(key string) (left int64, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, known := s.last[key]; !known && len(s.last) >= maxKinds {
		key = ""
	}
	now := s.now()
	l, known := s.last[key]
	if known && now.Sub(l.at) < saidEvery {
		l.left++
		s.last[key] = l
		return 0, false
	}
	s.last[key] = line{at: now}
	return l.left, true
}

// head is the beginning of a message, as one line.
func head(message string) string {
	message, _, _ = strings.Cut(message, "\n")
	if len(message) > maxSaid {
		message = strings.ToValidUTF8(message[:maxSaid], "") + "…"
	}
	return message
}
