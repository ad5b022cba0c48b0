//go:build unix

package proxy

import (
	"syscall"

	"golang.org/x/sys/unix"
)

// gone reports whether a connection is over in both directions. A peer's FIN
// does not make it so, a reset does: the kernel then no longer knows a peer.
// Unlike SO_ERROR, asking for the peer takes no error away from a reader.
func gone(c socket) bool {
	raw, err := c.SyscallConn()
	if err != nil {
		return true
	}
	over := true
	if err := raw.Control(func(fd uintptr) { over = peerless(fd) }); err != nil {
		return true
	}
	return over
}

// waitGone waits until c is gone and reports true, or false when its read
// deadline passes or it is closed here. It reads nothing. Nobody else may read.
func waitGone(c socket) bool {
	raw, err := c.SyscallConn()
	if err != nil {
		return false
	}
	return raw.Read(peerless) == nil
}

func peerless(fd uintptr) bool {
	peer, err := syscall.Getpeername(int(fd))
	if err != nil {
		return true
	}
	_, local := peer.(*syscall.SockaddrUnix)
	return local && hungUp(fd)
}

// hungUp is for Unix sockets, which go on naming a peer that has closed. A peer
// that has only half-closed is no hang-up, as long as we have not done so too.
func hungUp(fd uintptr) bool {
	p := []unix.PollFd{{Fd: int32(fd)}}
	n, err := unix.Poll(p, 0)
	return err == nil && n == 1 && p[0].Revents&unix.POLLHUP != 0
}
