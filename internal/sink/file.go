package sink

import (
	"bytes"
	"context"
	"encoding/json"
	"os"

	"mongoadvisor/internal/store"
)

// File appends each finding as one line of JSON. It opens the file for each delivery,
// so that a rotated one is not written on.
type File struct {
	path string
}

// NewFile finds out whether the file can be written.
func NewFile(path string) (*File, error) {
	f := &File{path}
	return f, f.append(nil)
}

// Name of the sink in metrics.
func (f *File) Name() string { return "file" }

// Close does nothing.
func (f *File) Close() error { return nil }

// Emit appends findings.
func (f *File) Emit(_ context.Context, entries []store.Entry) error {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	for i := range entries {
		if err := enc.Encode(&entries[i]); err != nil {
			return &Permanent{err}
		}
	}
	return f.append(b.Bytes())
}

// append writes whole lines, or says that it did not.
func (f *File) append(lines []byte) error {
	file, err := os.OpenFile(f.path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	if len(lines) > 0 {
		_, err = file.Write(lines)
	}
	if closing := file.Close(); err == nil {
		err = closing
	}
	return err
}
