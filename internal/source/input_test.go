package source

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

func zipped(t *testing.T, b []byte) []byte {
	t.Helper()
	var out bytes.Buffer
	z := gzip.NewWriter(&out)
	if _, err := z.Write(b); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func packed(t *testing.T, b []byte) []byte {
	t.Helper()
	z, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	return z.EncodeAll(b, nil)
}

// TestOpen: what is in a file comes out of whatever it is compressed with.
func TestOpen(t *testing.T) {
	text := bytes.Repeat([]byte("all of it "), 20_000)
	for name, b := range map[string][]byte{
		"plain": text, "gzip": zipped(t, text), "zstd": packed(t, text), "zstd in gzip": zipped(t, packed(t, text)), "empty": {},
		"two gzip streams": append(zipped(t, text[:1000]), zipped(t, text[1000:])...),
	} {
		path := filepath.Join(t.TempDir(), "input")
		if err := os.WriteFile(path, b, 0o644); err != nil {
			t.Fatal(err)
		}
		in, err := Open(path, nil)
		if err != nil {
			t.Fatal(name, err)
		}
		if head := in.Head(9); len(b) > 0 && string(head) != "all of it" {
			t.Errorf("%s: head %q", name, head)
		}
		got, err := io.ReadAll(in)
		if want := text[:min(len(text), len(b)*len(text))]; err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s: %d bytes, %v", name, len(got), err)
		}
		if in.Position() != int64(len(b)) || in.Size != int64(len(b)) {
			t.Errorf("%s: at %d of %d", name, in.Position(), in.Size)
		}
		in.Close()
	}
}

// TestOpenRefuses: what is damaged says so, at the start or where the damage is.
func TestOpenRefuses(t *testing.T) {
	whole := zipped(t, bytes.Repeat([]byte("x"), 1000))
	for name, b := range map[string][]byte{"gzip header": {0x1f, 0x8b, 9}, "gzip cut": whole[:len(whole)-4], "zstd cut": packed(t, []byte("some text"))[:12]} {
		path := filepath.Join(t.TempDir(), "input")
		if err := os.WriteFile(path, b, 0o644); err != nil {
			t.Fatal(err)
		}
		in, err := Open(path, nil)
		if err == nil {
			_, err = io.ReadAll(in)
			in.Close()
		}
		if err == nil || errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestInterrupt: a read that waits for a pipe ends, as if the pipe had ended.
func TestInterrupt(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	opened := make(chan *Input)
	go func() {
		in, err := Open(Stdin, r)
		if err != nil {
			t.Error(err)
		}
		opened <- in
	}()
	if _, err := w.WriteString("begun"); err != nil {
		t.Fatal(err)
	}
	in := <-opened
	done := make(chan []byte)
	go func() {
		b, err := io.ReadAll(in)
		if err != nil {
			t.Error(err)
		}
		done <- b
	}()
	time.Sleep(20 * time.Millisecond) // it waits, most likely; the outcome is the same if not
	in.Interrupt()
	if b := <-done; string(b) != "begun" {
		t.Errorf("%q", b)
	}
}
