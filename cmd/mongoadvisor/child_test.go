//go:build unix

package main

import (
	"bufio"
	"bytes"
	"io"
	"os"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// child runs a script, and calls ready once the script has said so. It returns exit
// code and output.
func child(t *testing.T, script string, grace time.Duration, ready func()) (int, string) {
	t.Helper()
	r, w := io.Pipe()
	var out bytes.Buffer
	read := make(chan struct{})
	go func() {
		defer close(read)
		s := bufio.NewScanner(r)
		for s.Scan() {
			if s.Text() == "ready" {
				ready()
				continue
			}
			out.WriteString(s.Text() + "\n")
		}
	}()
	code, err := runChild(t.Context(), []string{"sh", "-c", script}, os.Environ(), nil, w, io.Discard, grace)
	if err != nil {
		t.Fatal(err)
	}
	_ = w.Close()
	<-read
	return code, out.String()
}

func tell(t *testing.T, s syscall.Signal) func() {
	return func() {
		if err := syscall.Kill(os.Getpid(), s); err != nil {
			t.Error(err)
		}
	}
}

// TestChildIsToldOfSignals: the command handles them as if it had been sent them.
func TestChildIsToldOfSignals(t *testing.T) {
	for _, s := range []struct {
		name   string
		signal syscall.Signal
	}{{"TERM", syscall.SIGTERM}, {"USR1", syscall.SIGUSR1}, {"USR2", syscall.SIGUSR2}} {
		script := "trap 'echo got it; exit 5' " + s.name + "; echo ready; while :; do sleep 0.01; done"
		if code, out := child(t, script, time.Minute, tell(t, s.signal)); code != 5 || out != "got it\n" {
			t.Errorf("%s: exit code %d, output %q", s.name, code, out)
		}
	}
	if code, _ := child(t, "echo ready; while :; do sleep 0.01; done", time.Minute, tell(t, syscall.SIGTERM)); code != 128+15 {
		t.Errorf("exit code %d, want 143", code)
	}
}

// TestChildThatIgnoresSignals is killed after the grace time.
func TestChildThatIgnoresSignals(t *testing.T) {
	script := "trap '' TERM INT; echo ready; while :; do sleep 0.01; done"
	if code, _ := child(t, script, 50*time.Millisecond, tell(t, syscall.SIGTERM)); code != 128+9 {
		t.Errorf("exit code %d, want 137", code)
	}
}

// TestChildThatLeavesOthersBehind: processes that hold its output do not keep the run
// from ending.
func TestChildThatLeavesOthersBehind(t *testing.T) {
	start := time.Now()
	code, out := child(t, "echo mine; sleep 60 & echo $! ; exit 3", time.Minute, func() {})
	if code != 3 || !strings.HasPrefix(out, "mine\n") {
		t.Errorf("exit code %d, output %q", code, out)
	}
	for _, text := range strings.Fields(out) {
		if pid, err := strconv.Atoi(text); err == nil {
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
	}
	if took := time.Since(start); took > 30*time.Second {
		t.Errorf("it took %v", took)
	}
}
