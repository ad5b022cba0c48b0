package main

import "io"

// lineWriter keeps lines apart where one was cut, as on a full disk: the next one
// begins on a line of its own. It is used by one goroutine at a time.
type lineWriter struct {
	w   io.Writer
	cut bool
}

// Write writes a line with its end. n counts what was put before it, too, if it
// fails.
func (l *lineWriter) Write(b []byte) (n int, err error) {
	line := b
	if l.cut {
		line = append([]byte{'\n'}, b...)
	}
	if n, err = l.w.Write(line); err != nil {
		l.cut = l.cut && n == 0 || n > 0 && line[n-1] != '\n'
		return n, err
	}
	l.cut = false
	return len(b), nil
}
