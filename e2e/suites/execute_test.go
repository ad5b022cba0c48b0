//go:build unix

package main

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// A suite that hangs is cut off with all that it started, and what it printed
// until then is kept.
func TestHangingSuiteIsCutOff(t *testing.T) {
	r := &runner{suites: t.TempDir(), cache: t.TempDir(), dir: t.TempDir()}
	folder := filepath.Join(r.suites, "hangs")
	if err := os.Mkdir(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	script := "#!/usr/bin/env bash\nsleep 1000 &\necho $! >\"$SUITE_CACHE/pid\"\nprintf 'pass\\tfirst\\n'\nwait\n"
	if err := os.WriteFile(filepath.Join(folder, "run"), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	s := suite{Name: "hangs", Limit: "2s"}
	got, err := r.execute(t.Context(), s, cell{Suite: "hangs", Version: "1", TLS: off}, visit{uri: "mongodb://unused"})
	if !errors.Is(err, errHangs) {
		t.Errorf("the error is %v", err)
	}
	if diff := cmp.Diff(outcomes{"first": pass}, got); diff != "" {
		t.Error(diff)
	}
	b, err := os.ReadFile(filepath.Join(r.cache, "hangs", "1", "pid"))
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(b)))
	if err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(time.Minute); running(pid); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(deadline) {
			_ = syscall.Kill(pid, syscall.SIGKILL)
			t.Fatal("what the suite started still runs")
		}
	}
}

// running says whether a process is there and is more than an entry that nobody
// has waited for.
func running(pid int) bool {
	b, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return false
	}
	_, state, _ := strings.Cut(string(b), ") ")
	return !strings.HasPrefix(state, "Z")
}
