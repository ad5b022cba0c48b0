package main

import (
	"os"
	"path/filepath"
	"testing"
)

// TestWatched: a change counts once it stays, however the file was replaced; what is
// touched or comes back the same is no change.
func TestWatched(t *testing.T) {
	path := fileAt(t, "a")
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	w := watched{}
	w.take(path, "")
	looks := func(when string, want ...bool) {
		t.Helper()
		for i, x := range want {
			if name, changed := w.changed(); changed != x || changed && name != path {
				t.Errorf("%s, look %d: %v of %q", when, i+1, changed, name)
			}
		}
	}
	looks("as it was", false, false)
	write("b")
	looks("written", false, true)
	w.take(path)
	looks("taken", false)
	write("c")
	looks("being written", false)
	write("cc")
	looks("being written", false, true)
	write("b")
	looks("as it was again", false, false)

	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	looks("away", false, false)
	write("b")
	looks("back", false, false)
	if err := os.Truncate(path, 0); err != nil {
		t.Fatal(err)
	}
	looks("empty", false, false)
	write("d")
	looks("filled", false, true)
	w.take(path)
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	looks("away", false, false, false, false, true)
	w.take(path) // which fails, and is not tried again
	looks("still away", false, false, false, false, false, false)
	write("d")
	looks("back", false, true)
}

// TestWatchedLinks: another target is another content, a link to the same is not.
func TestWatchedLinks(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"one": "1", "uno": "1", "two": "2"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	path := filepath.Join(dir, "c")
	link := func(to string) {
		t.Helper()
		_ = os.Remove(path)
		if err := os.Symlink(to, path); err != nil {
			t.Fatal(err)
		}
	}
	link("one")
	w := watched{}
	w.take(path)
	for _, x := range []struct {
		to   string
		want bool
	}{{"uno", false}, {"two", true}} {
		link(x.to)
		w.changed()
		if _, changed := w.changed(); changed != x.want {
			t.Errorf("a link to %s: %v", x.to, changed)
		}
	}
	link(dir) // no file: it would not be read
	w.take(path)
	if _, changed := w.changed(); changed {
		t.Error("a folder has changed")
	}
}
