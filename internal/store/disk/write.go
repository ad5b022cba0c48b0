package disk

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"mongoadvisor/internal/store"
)

// Save replaces the snapshot. Whatever happens meanwhile, the directory has the old or
// the new one as a whole. It needs the lock, and takes it if it can.
func (d *Dir) Save(state store.State) error {
	if err := d.Lock(); err != nil {
		return err
	}
	if d.kept != nil {
		return fmt.Errorf("what is there cannot be read, and is not overwritten: %w", d.kept)
	}
	path := d.file(snapshotName)
	err := writeFile(path+".new", state)
	if errors.Is(err, fs.ErrNotExist) { // somebody has removed the directory
		_ = d.Close()
		if err := d.Lock(); err != nil {
			return err
		}
		err = writeFile(path+".new", state)
	}
	if err != nil {
		return err
	}
	if err := os.Rename(path+".new", path); err != nil {
		return err
	}
	return syncDir(d.path)
}

// writeFile writes a state to the disk itself.
func writeFile(path string, state store.State) (err error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o640)
	if err != nil {
		return err
	}
	defer func() {
		err = errors.Join(err, f.Close())
		if err != nil {
			_ = os.Remove(path) // a disk that is full has use for the room
		}
	}()
	w := bufio.NewWriterSize(f, 64<<10)
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(state); err != nil {
		return err
	}
	if err := w.Flush(); err != nil {
		return err
	}
	return f.Sync()
}

// syncDir makes a renaming last. What cannot sync directories does without.
func syncDir(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	_ = f.Sync()
	return f.Close()
}
