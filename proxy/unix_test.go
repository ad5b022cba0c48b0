//go:build unix

package proxy

import (
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// Both legs can be Unix sockets: bytes pass, half-close passes, and a client
// that is gone altogether takes its connection with it.
func TestUnixSockets(t *testing.T) {
	dir := t.TempDir()
	l, err := net.Listen("unix", filepath.Join(dir, "up.sock"))
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	path := filepath.Join(dir, "down.sock")
	s := start(t, &Server{Listen: "unix:" + path, Upstream: "unix:" + l.Addr().String()})
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o700 {
		t.Fatalf("the socket: %v, %v", info, err)
	}
	client, server := unixPair(t, path, l)
	mustWrite(t, client, noise(1, 100_000))
	mustRead(t, server, noise(1, 100_000))
	if err := client.CloseWrite(); err != nil {
		t.Fatal(err)
	}
	mustEOF(t, server)
	mustWrite(t, server, []byte("late reply"))
	mustRead(t, client, []byte("late reply"))
	client.Close()
	// The server has not ended its half: that the client has gone is all there is to see.
	eventually(t, "the connection ends with its client", func() bool { return s.Connections() == 0 })
}

func unixPair(t *testing.T, path string, l net.Listener) (client, server *net.UnixConn) {
	t.Helper()
	c, err := net.Dial("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	up, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range []net.Conn{c, up} {
		x.SetDeadline(time.Now().Add(guard))
		t.Cleanup(func() { x.Close() })
	}
	return c.(*net.UnixConn), up.(*net.UnixConn)
}

// A socket that a dead process left is replaced; one that somebody listens on,
// or a file, is not. The file goes with the listener.
func TestUnixSocketLeftBehind(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "s.sock")
	left, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	left.(*net.UnixListener).SetUnlinkOnClose(false)
	taken := &Server{Listen: "unix:" + path, Upstream: "unix:" + path}
	if err := taken.Start(); err == nil {
		t.Fatal("it took a socket that is listened on")
	}
	left.Close()
	s := &Server{Listen: "unix:" + path, Upstream: "unix:" + path}
	if err := s.Start(); err != nil {
		t.Fatal(err)
	}
	forceDown(t, s)
	if _, err := os.Stat(path); !os.IsNotExist(err) {
		t.Errorf("the file is still there: %v", err)
	}
	if err := os.WriteFile(path, []byte("precious"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := (&Server{Listen: "unix:" + path, Upstream: "unix:" + path}).Start(); err == nil {
		t.Fatal("it took a file for a socket")
	}
	if b, _ := os.ReadFile(path); string(b) != "precious" {
		t.Error("the file is gone")
	}
}

// Listeners that somebody else bound are served, whatever their kind.
func TestInheritedListeners(t *testing.T) {
	u := newUpstream(t, "127.0.0.1:0")
	tcp, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := start(t, &Server{Listen: "inherited", Listeners: []net.Listener{tcp}, Upstream: u.address()})
	client, server := pair(t, s, u)
	exchange(t, client, server, "ping")
	exchange(t, server, client, "pong")
}
