package disk

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"time"

	"mongoadvisor/internal/analysis"
	"mongoadvisor/internal/store"
)

const (
	historyName = "history.jsonl"
	olderName   = "history.1.jsonl"
)

// History is a sink that appends a line for each announcement: when a finding was new,
// got worse, was fixed, came back, and the reminders between.
type History struct {
	dir  *Dir
	size int64
	now  func() time.Time
}

// History keeps lines in the directory while it is locked, in two files that take size
// bytes together at most; the oldest lines go.
func (d *Dir) History(size int64) *History {
	return &History{dir: d, size: size, now: time.Now}
}

// Name of the sink in metrics.
func (h *History) Name() string { return "history" }

// Close does nothing.
func (h *History) Close() error { return nil }

// line is one announcement. Time is the wall's, the others the traffic's.
type line struct {
	Time        time.Time         `json:"time"`
	Fingerprint string            `json:"fingerprint"`
	Rule        string            `json:"rule"`
	Reason      string            `json:"reason"`
	Severity    analysis.Severity `json:"severity"`
	Status      store.Status      `json:"status"`
	Namespace   string            `json:"namespace"`
	Message     string            `json:"message"`
	Count       int64             `json:"count"`
	FirstSeen   time.Time         `json:"first_seen"`
	LastSeen    time.Time         `json:"last_seen"`
}

// errNotHeld is the error of a line that would go into the history of another process.
var errNotHeld = errors.New("the directory is not this process's to write to")

// Emit appends findings.
func (h *History) Emit(_ context.Context, entries []store.Entry) error {
	if !h.dir.held.Load() {
		return errNotHeld
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	for _, e := range entries {
		err := enc.Encode(line{
			h.now().UTC(), e.Fingerprint, e.Rule, e.Reason, e.Severity, e.Status, e.Namespace, e.Message, e.Count, e.FirstSeen, e.LastSeen,
		})
		if err != nil {
			return err
		}
	}
	if err := h.rotate(int64(b.Len())); err != nil {
		return err
	}
	f, err := os.OpenFile(h.dir.file(historyName), os.O_APPEND|os.O_CREATE|os.O_RDWR, 0o640)
	if err != nil {
		return err
	}
	text := b.Bytes()
	if cut(f) {
		text = append([]byte{'\n'}, text...)
	}
	_, err = f.Write(text)
	return errors.Join(err, f.Close())
}

// cut reports whether a file ends inside a line, as one does whose writer was killed
// or found the disk full.
func cut(f *os.File) bool {
	info, err := f.Stat()
	if err != nil || info.Size() == 0 {
		return false
	}
	last := make([]byte, 1)
	_, err = f.ReadAt(last, info.Size()-1)
	return err == nil && last[0] != '\n'
}

// rotate makes room for n bytes: the file becomes the older one when it would take more
// than its half.
func (h *History) rotate(n int64) error {
	info, err := os.Stat(h.dir.file(historyName))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil || info.Size()+n <= h.size/2 {
		return err
	}
	return os.Rename(h.dir.file(historyName), h.dir.file(olderName))
}
