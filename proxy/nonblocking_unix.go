//go:build unix && (!linux || race)

package proxy

import (
	"errors"
	"syscall"
)

// The race detector is told of the order of reads and writes by these calls, and not
// by raw ones.

// readNow reads what is there into b.
func readNow(fd uintptr, b []byte) (int, syscall.Errno) {
	for {
		n, err := syscall.Read(int(fd), b)
		if err != syscall.EINTR {
			return n, number(err)
		}
	}
}

// writeNow writes as much of b as there is room for.
func writeNow(fd uintptr, b []byte) (int, syscall.Errno) {
	for {
		n, err := syscall.Write(int(fd), b)
		if err != syscall.EINTR {
			return n, number(err)
		}
	}
}

func number(err error) syscall.Errno {
	var errno syscall.Errno
	_ = errors.As(err, &errno)
	return errno
}
