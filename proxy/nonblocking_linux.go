//go:build !race

package proxy

import (
	"syscall"
	"unsafe"
)

// The sockets do not block, so that a read or a write takes microseconds. Without a
// word to the scheduler before and after it each is cheaper, and the runtime's monitor,
// which looks for calls that take long, sleeps: 1 µs less for a small operation in all
// (docs/performance.md).

// readNow reads what is there into b, which is not empty.
func readNow(fd uintptr, b []byte) (int, syscall.Errno) {
	for {
		n, _, errno := syscall.RawSyscall(syscall.SYS_READ, fd, uintptr(unsafe.Pointer(&b[0])), uintptr(len(b)))
		if errno != syscall.EINTR {
			return int(n), errno
		}
	}
}

// writeNow writes as much of b, which is not empty, as there is room for.
func writeNow(fd uintptr, b []byte) (int, syscall.Errno) {
	for {
		n, _, errno := syscall.RawSyscall(syscall.SYS_WRITE, fd, uintptr(unsafe.Pointer(&b[0])), uintptr(len(b)))
		if errno != syscall.EINTR {
			return int(n), errno
		}
	}
}
