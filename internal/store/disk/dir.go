package disk

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync/atomic"
	"time"

	"mongoadvisor/internal/store"
)

const (
	snapshotName = "findings.json"
	lockName     = "lock"
)

// maxSnapshot bounds what is read: more than a full store makes.
const maxSnapshot = 512 << 20

// Dir is a directory with findings. Not safe for concurrent use, but for its History.
type Dir struct {
	path string
	lock *os.File
	held atomic.Bool // the lock is
	// kept is why the snapshot that is there must not be replaced; nil: it may be.
	kept error
}

// Open names a directory, which need not be there.
func Open(path string) *Dir { return &Dir{path: path} }

// ErrInUse says that another process keeps its findings there.
var ErrInUse = errors.New("another process keeps its findings there")

// Lock takes the directory for this process, and makes it if it must. The lock ends
// with the process, however that ends. Taken twice is taken.
func (d *Dir) Lock() error {
	if d.lock != nil {
		return nil
	}
	if err := os.MkdirAll(d.path, 0o750); err != nil {
		return err
	}
	f, err := os.OpenFile(filepath.Join(d.path, lockName), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	if err := lockFile(f); err != nil {
		_ = f.Close()
		return fmt.Errorf("%s: %w", d.path, err)
	}
	d.lock = f
	d.held.Store(true)
	return nil
}

// Close gives the directory back.
func (d *Dir) Close() error {
	if d.lock == nil {
		return nil
	}
	f := d.lock
	d.lock = nil
	d.held.Store(false)
	return f.Close()
}

// SetAside is the error of a snapshot that cannot be used.
type SetAside struct {
	Path string // what it was renamed to; "": it is still where it was
	Err  error  // why
}

func (e *SetAside) Error() string {
	if e.Path == "" {
		return e.Err.Error() + "; it stays where it is"
	}
	return e.Err.Error() + "; it is " + e.Path + " now"
}
func (e *SetAside) Unwrap() error { return e.Err }

// Load reads the snapshot; none is an empty state. One that is damaged or of a newer
// version is renamed, and the error, a [SetAside], says to what.
func (d *Dir) Load() (store.State, error) {
	d.kept = nil
	state, err := d.Read()
	switch {
	case err == nil, errors.Is(err, fs.ErrNotExist):
		return state, nil
	case errors.Is(err, errUnreadable):
		d.kept = err // rights may come back; what is there is not to be lost
		return store.State{}, err
	}
	aside := d.file(snapshotName) + ".aside-" + time.Now().UTC().Format("20060102T150405.000Z")
	if renameErr := os.Rename(d.file(snapshotName), aside); renameErr != nil {
		d.kept = err
		return store.State{}, &SetAside{Err: err}
	}
	return store.State{}, &SetAside{Path: aside, Err: err}
}

// errUnreadable is an error of the system, not of what is in the file.
var errUnreadable = errors.New("the snapshot cannot be read")

// Read reads the snapshot and changes nothing.
func (d *Dir) Read() (store.State, error) {
	f, err := os.Open(d.file(snapshotName))
	if errors.Is(err, fs.ErrNotExist) {
		return store.State{}, err
	} else if err != nil {
		return store.State{}, fmt.Errorf("%w: %w", errUnreadable, err)
	}
	defer func() { _ = f.Close() }()
	var state store.State
	limited := &io.LimitedReader{R: f, N: maxSnapshot}
	if err := json.NewDecoder(limited).Decode(&state); err != nil {
		var path *fs.PathError // of the system
		switch {
		case limited.N == 0:
			err = fmt.Errorf("it is longer than %d MiB", maxSnapshot>>20)
		case errors.As(err, &path):
			return store.State{}, fmt.Errorf("%w: %w", errUnreadable, err)
		}
		return store.State{}, fmt.Errorf("%s is damaged: %w", f.Name(), err)
	}
	switch {
	case state.Schema > store.SavedSchema:
		return store.State{}, fmt.Errorf("%s was written by version %s: schema %d is newer than %d", f.Name(), state.Version, state.Schema, store.SavedSchema)
	case state.Schema < 1:
		return store.State{}, fmt.Errorf("%s is no snapshot: it has no schema", f.Name())
	}
	return state, nil
}

func (d *Dir) file(name string) string { return filepath.Join(d.path, name) }
