package disk

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"mongoadvisor/internal/store"
)

// lines reads both files, the older first. Each line must be whole.
func lines(t *testing.T, path string) (out []line, size int64) {
	t.Helper()
	for _, name := range []string{olderName, historyName} {
		raw, err := os.ReadFile(filepath.Join(path, name))
		if os.IsNotExist(err) {
			continue
		} else if err != nil {
			t.Fatal(err)
		}
		size += int64(len(raw))
		for s := bufio.NewScanner(bytes.NewReader(raw)); s.Scan(); {
			var l line
			if err := json.Unmarshal(s.Bytes(), &l); err != nil {
				t.Errorf("%s: %q: %v", name, s.Text(), err)
			}
			out = append(out, l)
		}
	}
	return out, size
}

func TestHistory(t *testing.T) {
	path := t.TempDir()
	const limit = 64 << 10
	h := locked(t, path).History(limit)
	for i := range 2000 {
		if err := h.Emit(t.Context(), []store.Entry{{Fingerprint: "0123456789abcdef", Rule: "Q01", Status: store.Open, Count: int64(i)}}); err != nil {
			t.Fatal(err)
		}
		if _, size := lines(t, path); i%100 == 0 && size > limit {
			t.Fatalf("%d bytes after %d lines", size, i)
		}
	}
	got, size := lines(t, path)
	if size > limit || size < limit/4 {
		t.Errorf("%d bytes", size)
	}
	for i, l := range got {
		if want := int64(2000 - len(got) + i); l.Count != want {
			t.Fatalf("line %d is that of %d, want %d: the newest without a gap", i, l.Count, want)
		}
	}
}

// A line that was cut stands by itself, and what follows is whole.
func TestHistoryAfterACutLine(t *testing.T) {
	path := t.TempDir()
	if err := os.WriteFile(filepath.Join(path, historyName), []byte("{}\n{\"time\":\"2026"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := locked(t, path).History(1<<20).Emit(t.Context(), []store.Entry{{Rule: "Q01"}}); err != nil {
		t.Fatal(err)
	}
	raw, err := os.ReadFile(filepath.Join(path, historyName))
	if err != nil {
		t.Fatal(err)
	}
	parts := bytes.Split(bytes.TrimSpace(raw), []byte("\n"))
	if len(parts) != 3 || !json.Valid(parts[2]) {
		t.Errorf("%s", raw)
	}
}

// A directory that another process has gets no line, and one that is gone none either.
func TestHistoryWithoutItsDirectory(t *testing.T) {
	path := t.TempDir()
	first, second := locked(t, path), Open(path)
	if err := second.Lock(); !errors.Is(err, ErrInUse) {
		t.Fatalf("locked twice: %v", err)
	}
	if err := second.History(1<<20).Emit(t.Context(), []store.Entry{{}}); !errors.Is(err, errNotHeld) {
		t.Errorf("without the lock: %v", err)
	}
	if got, _ := lines(t, path); len(got) != 0 {
		t.Errorf("%d lines", len(got))
	}
	if err := os.RemoveAll(path); err != nil {
		t.Fatal(err)
	}
	if err := first.History(1<<20).Emit(t.Context(), []store.Entry{{}}); err == nil {
		t.Error("no error")
	}
}

// locked is a directory that this process has.
func locked(t *testing.T, path string) *Dir {
	t.Helper()
	d := Open(path)
	if err := d.Lock(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = d.Close() })
	return d
}
