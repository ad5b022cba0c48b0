package disk

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mongoadvisor/internal/store"
)

func state(operations int64) store.State {
	return store.State{
		Schema: store.SavedSchema, Version: "test", Workload: store.Workload{Operations: operations},
		Findings: []store.Saved{{Fingerprint: "0123456789abcdef", Rule: "Q01", Message: strings.Repeat("long ", 200), Figures: store.Figures{Count: operations}}},
	}
}

func open(t *testing.T, path string) *Dir {
	t.Helper()
	d := Open(path)
	t.Cleanup(func() { _ = d.Close() })
	return d
}

func names(t *testing.T, path string) []string {
	t.Helper()
	list, err := os.ReadDir(path)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, e := range list {
		out = append(out, e.Name())
	}
	return out
}

func TestSaveAndLoad(t *testing.T) {
	path := filepath.Join(t.TempDir(), "not", "there")
	d := open(t, path)
	if s, err := d.Load(); err != nil || s.Workload.Operations != 0 {
		t.Fatalf("a directory that is not there: %+v, %v", s, err)
	}
	for n := range int64(3) {
		if err := d.Save(state(n + 1)); err != nil {
			t.Fatal(err)
		}
	}
	got, err := open(t, path).Load()
	if err != nil || got.Workload.Operations != 3 || got.Findings[0].Figures.Count != 3 {
		t.Errorf("%+v, %v", got, err)
	}
	if n := names(t, path); len(n) != 2 { // and the lock
		t.Errorf("there are %v", n)
	}
	if info, err := os.Stat(filepath.Join(path, snapshotName)); err != nil || info.Mode().Perm()&0o007 != 0 {
		t.Errorf("everybody may read it: %v, %v", info.Mode(), err)
	}
}

// What cannot be read is kept under another name, and the next snapshot goes where it
// was.
func TestSetAside(t *testing.T) {
	for name, content := range map[string]string{
		"empty": "", "cut": `{"schema": 1, "findings": [{"finger`, "another file": "<html>", "no schema": `{"findings": []}`, "wrong type": `{"schema": 1, "findings": 7}`,
		"newer": `{"schema": 2, "version": "9.9", "anything": true}`, "zeros": string(make([]byte, 4096)),
	} {
		path := t.TempDir()
		if err := os.WriteFile(filepath.Join(path, snapshotName), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		d := open(t, path)
		_, err := d.Load()
		var aside *SetAside
		if !errors.As(err, &aside) || aside.Path == "" {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if raw, err := os.ReadFile(aside.Path); err != nil || string(raw) != content {
			t.Errorf("%s: set aside as %q, %v", name, raw, err)
		}
		if name == "newer" && !strings.Contains(err.Error(), "9.9") {
			t.Errorf("it does not say which version: %v", err)
		}
		if err := d.Save(state(1)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if got, err := d.Load(); err != nil || got.Workload.Operations != 1 {
			t.Errorf("%s: afterwards %+v, %v", name, got, err)
		}
	}
}

// Reading for a report changes nothing.
func TestReadSetsNothingAside(t *testing.T) {
	path := t.TempDir()
	if err := os.WriteFile(filepath.Join(path, snapshotName), []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(path).Read(); err == nil {
		t.Error("it was read")
	}
	if n := names(t, path); len(n) != 1 || n[0] != snapshotName {
		t.Errorf("there are %v", n)
	}
}

func TestOneProcessAtATime(t *testing.T) {
	path := t.TempDir()
	one, two := open(t, path), open(t, path)
	if err := one.Save(state(1)); err != nil {
		t.Fatal(err)
	}
	if err := two.Save(state(2)); !errors.Is(err, ErrInUse) {
		t.Errorf("a second one: %v", err)
	}
	if err := one.Close(); err != nil {
		t.Fatal(err)
	}
	if err := two.Save(state(2)); err != nil {
		t.Errorf("after the first has ended: %v", err)
	}
}

// A snapshot that is there and that the system does not give is never overwritten.
func TestUnreadableIsNotOverwritten(t *testing.T) {
	path := t.TempDir()
	if err := os.Mkdir(filepath.Join(path, snapshotName), 0o700); err != nil { // reading it fails for root, too
		t.Fatal(err)
	}
	d := open(t, path)
	if _, err := d.Load(); !errors.Is(err, errUnreadable) {
		t.Fatalf("%v", err)
	}
	if err := d.Save(state(1)); err == nil {
		t.Error("it was replaced")
	}
	if n := names(t, path); len(n) != 2 {
		t.Errorf("there are %v", n)
	}
}

// A directory that somebody removes is made again with the next snapshot.
func TestDirectoryRemoved(t *testing.T) {
	path := filepath.Join(t.TempDir(), "kept")
	d := locked(t, path)
	if err := os.RemoveAll(path); err != nil {
		t.Fatal(err)
	}
	if err := d.Save(store.State{Schema: store.SavedSchema, Version: "again"}); err != nil {
		t.Fatal(err)
	}
	if state, err := Open(path).Read(); err != nil || state.Version != "again" {
		t.Errorf("%+v, %v", state, err)
	}
	if err := Open(path).Lock(); !errors.Is(err, ErrInUse) {
		t.Errorf("it is not locked again: %v", err)
	}
}
