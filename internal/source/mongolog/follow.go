package mongolog

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"
)

// pollEvery is how often a log that is followed is looked at.
const pollEvery = 250 * time.Millisecond

// Follow reads a log and what is written to it until ctx is done, as `tail -F` would
// from its beginning: over rotation by renaming and by truncation, also when the file
// is not there yet. A last line without its end waits for the rest. It returns nil
// when ctx is done.
func Follow(ctx context.Context, path string, l *Log) error {
	f := follower{path: path, log: l}
	defer f.close()
	tick := time.NewTicker(pollEvery)
	defer tick.Stop()
	for {
		if err := f.poll(ctx); err != nil {
			return fmt.Errorf("following the log: %w", err)
		}
		select {
		case <-ctx.Done():
			f.rest()
			l.Flush()
			return nil
		case <-tick.C:
		}
	}
}

// follower is a log that is read while it is written.
type follower struct {
	path   string
	log    *Log
	file   *os.File
	offset int64
	line   []byte // the beginning of one
	size   int    // of it, also when it is too long to be kept
}

// poll reads what has come, and goes on with the file that has taken the place of
// the one that was read.
func (f *follower) poll(ctx context.Context) error {
	if f.file == nil {
		info, err := os.Stat(f.path)
		if err == nil && !info.Mode().IsRegular() { // to open a pipe would wait for its writer
			return &fs.PathError{Op: "follow", Path: f.path, Err: errors.New("is no regular file")}
		}
		if f.file, err = os.Open(f.path); err != nil {
			f.file = nil
			if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) { // not yet
				return nil
			}
			return err
		}
	}
	n, err := f.read(ctx)
	if err != nil {
		return err
	}
	now, err := os.Stat(f.path)
	if err != nil {
		now = nil // renamed, and the next is not there yet
	}
	was, err := f.file.Stat()
	if err != nil {
		return err
	}
	switch {
	case now != nil && !os.SameFile(now, was):
		if _, err := f.read(ctx); err != nil { // what was written before the rename
			return err
		}
		f.rest()
		f.close()
		return f.poll(ctx)
	case was.Size() < f.offset: // truncated in its place
		f.rest()
		f.offset = 0
		if _, err := f.file.Seek(0, io.SeekStart); err != nil {
			return err
		}
		return f.poll(ctx)
	case n == 0:
		f.log.Flush()
	}
	return nil
}

// read takes the lines up to the end of the file, or until ctx is done.
func (f *follower) read(ctx context.Context) (n int64, err error) {
	buf := make([]byte, 64<<10)
	for ctx.Err() == nil {
		got, err := f.file.Read(buf)
		f.offset += int64(got)
		n += int64(got)
		f.take(buf[:got])
		if errors.Is(err, io.EOF) {
			return n, nil
		}
		if err != nil {
			return n, err
		}
	}
	return n, nil
}

func (f *follower) take(part []byte) {
	for len(part) > 0 {
		end := bytes.IndexByte(part, '\n')
		piece := part
		if end >= 0 {
			piece = part[:end]
		}
		if f.size += len(piece); f.size <= maxLine {
			f.line = append(f.line, piece...)
		}
		if end < 0 {
			return
		}
		f.rest()
		part = part[end+1:]
	}
}

// rest ends a line.
func (f *follower) rest() {
	switch {
	case f.size > maxLine:
		f.log.tooLong(f.size)
	case f.size > 0:
		f.log.Line(f.line)
	}
	f.line, f.size = f.line[:0], 0
}

func (f *follower) close() {
	if f.file != nil {
		f.file.Close()
		f.file, f.offset = nil, 0
	}
}
