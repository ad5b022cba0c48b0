//go:build unix

package proxy

import (
	"net"
	"syscall"
)

// gone reports whether a connection is over in both directions. A peer's FIN
// does not make it so, a reset does: the kernel then no longer knows a peer.
// Unlike SO_ERROR, asking for the peer takes no error away from a reader.
func gone(c *net.TCPConn) bool {
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
func waitGone(c *net.TCPConn) bool {
	raw, err := c.SyscallConn()
	if err != nil {
		return false
	}
	return raw.Read(peerless) == nil
}

func peerless(fd uintptr) bool {
	_, err := syscall.Getpeername(int(fd))
	return err != nil
}
