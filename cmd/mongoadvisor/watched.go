package main

import (
	"crypto/sha256"
	"errors"
	"io"
	"io/fs"
	"os"
)

// watched are files that are followed by what is in them: it does not matter how an
// editor or Kubernetes replaces a file, by writing, renaming or another link.
type watched map[string]*watchedFile

type watchedFile struct {
	taken string // what was in it when it was last read
	seen  string // what was in it at the last look
	away  int    // looks in a row at which it was not there, or empty
}

// awayLooks is how many looks a file may be away, or empty, before that counts: who
// replaces or writes it needs a moment.
const awayLooks = 5

// take notes that files are about to be read, and follows no others any more. "" is no
// file.
func (w watched) take(paths ...string) {
	now := watched{}
	for _, path := range paths {
		if path != "" {
			content := contentOf(path)
			now[path] = &watchedFile{taken: content, seen: content}
		}
	}
	clear(w)
	for path, f := range now {
		w[path] = f
	}
}

// changed looks at the files. It names one that has something else in it than when it
// was read, and had the same at the look before: it is not being written right now.
func (w watched) changed() (path string, ok bool) {
	for path, f := range w {
		if f.look(contentOf(path)) {
			return path, true
		}
	}
	return "", false
}

func (f *watchedFile) look(content string) (changed bool) {
	settled := content == f.seen
	f.seen = content
	if content != contentAbsent && content != contentEmpty {
		f.away = 0
	} else if f.away++; f.away < awayLooks {
		return false
	}
	return settled && content != f.taken
}

// What contentOf says of files that have none.
const (
	contentAbsent     = "absent"
	contentEmpty      = "empty"
	contentUnreadable = "unreadable"
	contentNoFile     = "no regular file" // read once: a pipe would wait
)

// maxWatched is how much of a file is looked at, in bytes.
const maxWatched = 64 << 20

// contentOf stands for what is in a file. Links are followed.
func contentOf(path string) string {
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return contentNoFile
	}
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return contentAbsent
	}
	if err != nil {
		return contentUnreadable
	}
	defer func() { _ = f.Close() }()
	h := sha256.New()
	switch n, err := io.Copy(h, io.LimitReader(f, maxWatched)); {
	case err != nil:
		return contentUnreadable
	case n == 0:
		return contentEmpty
	}
	return string(h.Sum(nil))
}
