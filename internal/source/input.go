// Package source opens what is to be analysed beside live traffic. The packages
// below it read one kind each.
package source

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"sync/atomic"
	"time"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// Stdin is the name standard input goes by.
const Stdin = "-"

// headSize is how much of an input can be looked at before it is read, in bytes.
const headSize = 64 << 10

// Input is a file, or standard input, out of its compression.
type Input struct {
	Name string // as it was given
	Size int64  // of the file in bytes, compressed if it is; 0 when unknown
	// Once says that it cannot be opened again to be read from the start: standard
	// input, a pipe.
	Once bool

	raw         io.Reader // what the bytes come from
	position    atomic.Int64
	interrupted atomic.Bool
	r           *bufio.Reader
	close       func()
}

// Open opens a file, or stdin for the name "-". gzip and zstd are unpacked; each of
// them may hold the other once.
func Open(name string, stdin io.Reader) (*Input, error) {
	in := &Input{Name: name, close: func() {}}
	if name == Stdin {
		in.raw, in.Once = pollable(stdin), true
	} else {
		f, err := os.Open(name)
		if err != nil {
			return nil, err
		}
		info, err := f.Stat()
		if err == nil && info.IsDir() {
			err = &os.PathError{Op: "read", Path: name, Err: errors.New("is a directory")}
		}
		if err != nil {
			_ = f.Close()
			return nil, err
		}
		in.Once = !info.Mode().IsRegular()
		if !in.Once {
			in.Size = info.Size()
		}
		in.raw = f
	}
	in.r = bufio.NewReaderSize(&counting{in}, headSize)
	for range 2 {
		if err := in.unpack(); err != nil {
			in.Close()
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	return in, nil
}

// counting counts what is read of the file.
type counting struct{ in *Input }

func (c *counting) Read(b []byte) (int, error) {
	if c.in.interrupted.Load() {
		return 0, io.EOF
	}
	n, err := c.in.raw.Read(b)
	c.in.position.Add(int64(n))
	if errors.Is(err, os.ErrDeadlineExceeded) && c.in.interrupted.Load() {
		err = io.EOF
	}
	return n, err
}

// Interrupt ends the input where it stands: what was read is all there is. It may be
// called while the input is read, and ends a read that waits for a pipe.
func (in *Input) Interrupt() {
	in.interrupted.Store(true)
	if f, ok := in.raw.(*os.File); ok {
		_ = f.SetReadDeadline(time.Now()) // files cannot, and need not
	}
}

// maxWindow is the most memory that a zstd file makes its reader take, in bytes; the
// command line's --long=27 makes files that want it.
const maxWindow = 128 << 20

// unpack takes a layer of compression off.
func (in *Input) unpack() error {
	head, _ := in.r.Peek(4)
	var inner io.Reader
	switch {
	case bytes.HasPrefix(head, []byte{0x1f, 0x8b}):
		z, err := gzip.NewReader(in.r)
		if err != nil {
			return fmt.Errorf("gzip: %w", err)
		}
		inner = z
	case bytes.HasPrefix(head, []byte{0x28, 0xb5, 0x2f, 0xfd}):
		z, err := zstd.NewReader(in.r, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(maxWindow))
		if err != nil {
			return fmt.Errorf("zstd: %w", err)
		}
		outer := in.close
		in.close = func() { z.Close(); outer() }
		inner = z
	default:
		return nil
	}
	in.r = bufio.NewReaderSize(inner, headSize)
	return nil
}

// Head is the first n bytes, as many as there are, at most 64 KiB. They are read
// again afterwards.
func (in *Input) Head(n int) []byte {
	b, _ := in.r.Peek(min(n, headSize))
	return b
}

// Read reads what is unpacked.
func (in *Input) Read(b []byte) (int, error) { return in.r.Read(b) }

// Position is how many bytes of the file were read, at most Size. It may be called
// while the input is read.
func (in *Input) Position() int64 { return in.position.Load() }

// Close closes the file.
func (in *Input) Close() {
	in.close()
	if f, ok := in.raw.(*os.File); ok && in.Name != Stdin {
		_ = f.Close()
	}
}
