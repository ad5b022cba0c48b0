//go:build unix

package source

import (
	"io"
	"os"
	"syscall"
	"time"
)

// pollable makes a pipe one whose reads can be interrupted: standard input is opened
// as one whose reads block the thread. A terminal is left alone, since the shell
// has the same one.
func pollable(r io.Reader) io.Reader {
	f, ok := r.(*os.File)
	if !ok {
		return r
	}
	if f.SetReadDeadline(time.Time{}) == nil {
		return r // it is one
	}
	info, err := f.Stat()
	if err != nil || info.Mode()&(os.ModeNamedPipe|os.ModeSocket) == 0 {
		return r
	}
	fd := f.Fd()
	if err := syscall.SetNonblock(int(fd), true); err != nil {
		return r
	}
	return os.NewFile(fd, f.Name())
}
