package main

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"go.uber.org/zap"

	"mongoadvisor/internal/op"
	"mongoadvisor/internal/sink"
	"mongoadvisor/internal/store"
	"mongoadvisor/internal/store/disk"
)

// TestDirectoryThatComesLater: what lies in a directory that was not there at the start,
// as one that is mounted late, is added to and not replaced.
func TestDirectoryThatComesLater(t *testing.T) {
	observed := func() *store.Store {
		s := store.New(store.Config{Profile: store.CI})
		s.Observe(&op.Operation{Command: "find", Time: time.Unix(1_700_000_000, 0)})
		return s
	}
	path := filepath.Join(t.TempDir(), "mount", "kept")
	keep := func(k *diskKeeper, s *store.Store) error { return k.keep(t.Context(), s, &sink.Report{}) }
	earlier := &diskKeeper{dir: disk.Open(path), path: path, logger: zap.NewNop()}
	if err := keep(earlier, observed()); err != nil {
		t.Fatal(err)
	}
	earlier.close()
	mount, away := filepath.Dir(path), filepath.Dir(path)+"-away"
	if err := os.Rename(mount, away); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(mount, nil, 0o600); err != nil { // nothing can be made below it
		t.Fatal(err)
	}
	s, k := observed(), &diskKeeper{dir: disk.Open(path), path: path, logger: zap.NewNop()}
	defer k.close()
	for range 2 {
		if err := keep(k, s); err == nil {
			t.Fatal("it was kept in a file")
		}
	}
	if err := os.Remove(mount); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(away, mount); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := keep(k, s); err != nil {
			t.Fatal(err)
		}
	}
	state, err := disk.Open(path).Read()
	if err != nil || state.Workload.Operations != 2 || state.Processes != 2 {
		t.Errorf("%d operations of %d processes, %v", state.Workload.Operations, state.Processes, err)
	}
}
