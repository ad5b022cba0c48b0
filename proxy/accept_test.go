//go:build linux

package proxy

import (
	"errors"
	"os"
	"sync/atomic"
	"syscall"
	"testing"
)

// Without free descriptors accepting fails, is reported, and goes on once there
// are some. The client that waited is served.
func TestAcceptSurvivesMissingDescriptors(t *testing.T) {
	u := newUpstream(t, "127.0.0.1:0")
	var failures atomic.Int32
	var last atomic.Pointer[error]
	s := start(t, &Server{Upstream: u.address(), Hooks: Hooks{Error: func(err error) {
		failures.Add(1)
		last.Store(&err)
	}}})
	// Once through, so that nothing is opened for the first time later on.
	client, server := pair(t, s, u)
	exchange(t, client, server, "warm")
	client.Close()
	server.Close()
	eventually(t, "the first connection ends", func() bool { return s.Connections() == 0 })

	free := useUpDescriptors(t)
	free(1) // for the client's own
	client = dial(t, s.Addrs()[0].String())
	eventually(t, "accepting fails more than once", func() bool { return failures.Load() >= 2 })
	if err := *last.Load(); !errors.Is(err, syscall.EMFILE) {
		t.Errorf("want too many open files, got %v", err)
	}
	free(8)
	server = u.accept(t)
	exchange(t, client, server, "ping")
	exchange(t, server, client, "pong")
}

// useUpDescriptors leaves no free descriptor; free gives n of them back.
func useUpDescriptors(t *testing.T) (free func(n int)) {
	t.Helper()
	var old syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &old); err != nil {
		t.Fatal(err)
	}
	var held []*os.File
	free = func(n int) {
		for ; n > 0 && len(held) > 0; n-- {
			held[len(held)-1].Close()
			held = held[:len(held)-1]
		}
	}
	t.Cleanup(func() {
		free(len(held))
		if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &old); err != nil {
			t.Error(err)
		}
	})
	limit := syscall.Rlimit{Cur: uint64(countFDs(t) + 64), Max: old.Max}
	if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		t.Skipf("the limit of descriptors cannot be set: %v", err)
	}
	for {
		f, err := os.Open(os.DevNull)
		if err != nil {
			return free
		}
		held = append(held, f)
	}
}
