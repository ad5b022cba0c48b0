package main

import (
	"bytes"
	"io"
	"testing"
)

// narrow takes so many bytes and no more.
type narrow struct {
	bytes.Buffer
	room int
}

func (n *narrow) Write(b []byte) (int, error) {
	k := min(n.room, len(b))
	n.room -= k
	n.Buffer.Write(b[:k])
	if k < len(b) {
		return k, io.ErrShortWrite
	}
	return k, nil
}

func TestLinesStayApart(t *testing.T) {
	for room, want := range map[int]string{
		0: "third\n", 3: "fir\nthird\n", 6: "first\nthird\n", 7: "first\ns\nthird\n", 1000: "first\nsecond\nthird\n",
	} {
		w := &narrow{room: room}
		l := &lineWriter{w: w}
		for _, line := range []string{"first\n", "second\n"} {
			_, _ = l.Write([]byte(line))
		}
		w.room = 1000
		if _, err := l.Write([]byte("third\n")); err != nil || w.String() != want {
			t.Errorf("room for %d: %q, %v; want %q", room, w.String(), err, want)
		}
	}
}
