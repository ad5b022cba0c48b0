package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// logFile is a file of which the end can be shown.
type logFile struct {
	file *os.File
	tail bytes.Buffer
}

func (r *runner) log(name string) *logFile {
	f, err := os.Create(filepath.Join(r.dir, fmt.Sprintf("%03d-%s.log", r.logs.Add(1), name)))
	if err != nil {
		f = os.Stderr
	}
	return &logFile{file: f}
}

func (l *logFile) Write(b []byte) (int, error) {
	const keep = 2000 // bytes
	l.tail.Write(b)
	if n := l.tail.Len(); n > 2*keep {
		l.tail.Next(n - keep)
	}
	return l.file.Write(b)
}

func (l *logFile) last() string { return l.file.Name() + ": " + strings.TrimSpace(l.tail.String()) }
