//go:build unix

package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

func fifo(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "fifo")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestPipeByName: a pipe with a name, as <(zcat FILE) of a shell is, is read once and
// from its beginning.
func TestPipeByName(t *testing.T) {
	for _, name := range []string{"../../internal/session/testdata/mongoose.pcap", "../../internal/source/mongolog/testdata/slowlab_6.0.5.log"} {
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		var want, got, complaints bytes.Buffer
		if code := run([]string{"analyze", name}, &want, &complaints); code != 0 {
			t.Fatal(code, complaints.String())
		}
		pipe := fifo(t)
		go func() { _ = os.WriteFile(pipe, b, 0o600) }()
		if code := run([]string{"analyze", pipe}, &got, &complaints); code != 0 {
			t.Error(code, complaints.String())
		}
		if got.String() != want.String() {
			t.Errorf("%s: read from a pipe it is another:\n%s", name, got.String())
		}
	}
}

// TestInterruptedBeforeItBegins: nobody waits for a pipe into which nobody writes.
func TestInterruptedBeforeItBegins(t *testing.T) {
	ctx, stop := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer stop()
	pipe := fifo(t)
	_, err := examineUntil(ctx, []string{pipe}, nil)
	if exitCode(err) != exitInput {
		t.Error(err)
	}
	w, err := os.OpenFile(pipe, os.O_WRONLY, 0) // lets the reader go
	if err != nil {
		t.Fatal(err)
	}
	_ = w.Close()
}

// TestWritableKeepsLinks: a link to a report that is not there yet is not taken away.
func TestWritableKeepsLinks(t *testing.T) {
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink("report", link); err != nil {
		t.Fatal(err)
	}
	if err := writable("output", link); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Readlink(link); err != nil {
		t.Error(err)
	}
}
