//go:build unix

package disk

import (
	"errors"
	"os"
	"syscall"
)

// lockFile takes a file for this process, as long as it is open.
func lockFile(f *os.File) error {
	err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return ErrInUse
	}
	return err
}
