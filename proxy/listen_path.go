package proxy

import (
	"context"
	"errors"
	"net"
	"os"
	"syscall"
)

// socketMode is mongod's own default for its sockets.
const socketMode = 0o700

// bindUnix listens on a Unix socket. A file that a process left behind which is
// no more is replaced; the file goes when the listener is closed.
func (b *binder) bindUnix(ctx context.Context, path string) ([]net.Listener, error) {
	if path == "" {
		return nil, cannotListen(unixPrefix, errNoPath)
	}
	l, err := b.config.Listen(ctx, "unix", path)
	if errors.Is(err, syscall.EADDRINUSE) && abandoned(path) {
		_ = os.Remove(path)
		l, err = b.config.Listen(ctx, "unix", path)
	}
	if err == nil {
		if err = os.Chmod(path, socketMode); err != nil {
			_ = l.Close()
		}
	}
	if err != nil {
		return nil, cannotListen(unixPrefix+path, err)
	}
	return []net.Listener{l}, nil
}

// abandoned reports whether path is a socket nobody listens on.
func abandoned(path string) bool {
	if info, err := os.Lstat(path); err != nil || info.Mode().Type() != os.ModeSocket {
		return false
	}
	c, err := net.Dial("unix", path)
	if err == nil {
		_ = c.Close()
	}
	return errors.Is(err, syscall.ECONNREFUSED)
}
