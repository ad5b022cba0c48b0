package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"sync"

	"mongoadvisor/internal/source"
	"mongoadvisor/internal/source/mongolog"
	"mongoadvisor/internal/source/pcap"
	"mongoadvisor/internal/source/profiler"
)

// inputKind is what an input holds.
type inputKind string

const (
	kindCapture  inputKind = "packet capture"
	kindLog      inputKind = "mongod log"
	kindProfiler inputKind = "profiler export"
)

// input is one argument of analyze.
type input struct {
	name string
	kind inputKind
	size int64

	once   bool  // it cannot be opened again
	broken error // it could not be read to its end
	stdin  io.Reader
	mu     sync.Mutex
	in     *source.Input // while it is read
	read   int64         // of it, once it was closed
	// interrupted says that it is not to be read any more.
	interrupted bool
}

// unreadable marks an error as one of the input: exit code 3.
func unreadable(err error) error { return &exitError{exitInput, err} }

// examine finds out what an input is.
func examine(name string, stdin io.Reader) (*input, error) {
	x := &input{name: name, stdin: stdin}
	in, err := source.Open(name, stdin)
	if err != nil {
		return nil, unreadable(err)
	}
	x.size = in.Size
	head := in.Head(64 << 10)
	switch {
	case len(head) == 0:
		err = fmt.Errorf("%s is empty", title(name))
	case pcap.Is(head):
		x.kind = kindCapture
	case profiler.Is(head):
		x.kind = kindProfiler
	case mongolog.Is(head):
		x.kind = kindLog
	default:
		err = fmt.Errorf("%s is none of what can be analysed: a packet capture (pcap, pcapng), a mongod log, or documents of system.profile", title(name))
	}
	if err != nil {
		in.Close()
		return nil, unreadable(err)
	}
	if in.Once {
		x.in, x.once = in, true
		return x, nil
	}
	in.Close()
	return x, nil
}

func title(name string) string {
	if name == source.Stdin {
		return "standard input"
	}
	return name
}

// open opens it for reading.
func (x *input) open() (*source.Input, error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.in != nil {
		return x.in, nil
	}
	in, err := source.Open(x.name, x.stdin)
	if err != nil {
		return nil, unreadable(err)
	}
	if x.interrupted {
		in.Interrupt()
	}
	x.in = in
	return in, nil
}

func (x *input) close() {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.in != nil {
		x.read = x.in.Position()
		x.in.Close()
		x.in = nil
	}
}

// interrupt ends it where it is read now.
func (x *input) interrupt() {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.interrupted = true
	if x.in != nil {
		x.in.Interrupt()
	}
}

// stopped reports whether it was interrupted.
func (x *input) stopped() bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.interrupted
}

// position is how many bytes of it were read.
func (x *input) position() int64 {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.in != nil {
		return x.in.Position()
	}
	return x.read
}

// examineUntil is examineAll, as long as ctx allows: a pipe into which nobody writes
// makes it wait.
func examineUntil(ctx context.Context, names []string, stdin io.Reader) ([]*input, error) {
	type result struct {
		inputs []*input
		err    error
	}
	done := make(chan result, 1)
	go func() {
		inputs, err := examineAll(names, stdin)
		done <- result{inputs, err}
	}()
	select {
	case r := <-done:
		return r.inputs, r.err
	case <-ctx.Done():
		return nil, unreadable(errors.New("interrupted before anything was read"))
	}
}

// examineAll looks at all inputs. They must be of one kind: the same operation stands
// in a log and in a capture, and would count twice.
func examineAll(names []string, stdin io.Reader) ([]*input, error) {
	var out []*input
	seen := map[string]bool{}
	var files []os.FileInfo
	for _, name := range names {
		if seen[name] {
			return nil, usage("%s is given twice", title(name))
		}
		seen[name] = true
		if info, err := os.Stat(name); err == nil && name != source.Stdin {
			if slices.ContainsFunc(files, func(other os.FileInfo) bool { return os.SameFile(info, other) }) {
				return nil, usage("%s is given twice, under two names", title(name))
			}
			files = append(files, info)
		}
		x, err := examine(name, stdin)
		if err != nil {
			return nil, err
		}
		if len(out) > 0 && out[0].kind != x.kind {
			return nil, usage("%s is a %s, and %s is a %s: analyse them one after the other, the same operations would count twice", title(out[0].name), out[0].kind, title(name), x.kind)
		}
		out = append(out, x)
	}
	if len(out) == 0 {
		return nil, errors.New("no input")
	}
	return out, nil
}
