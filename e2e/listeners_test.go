package e2e

import (
	"bytes"
	"crypto/x509"
	"encoding/pem"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"

	"mongoadvisor/internal/demo/mongod/mongodtest"
)

// TestClientTLS: TLS that ends at the proxy is read, and what passes is judged.
func TestClientTLS(t *testing.T) {
	server := mongodtest.Start(t)
	cert := selfSigned(t)
	key, err := x509.MarshalPKCS8PrivateKey(cert.PrivateKey)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "proxy.pem")
	text := append(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: cert.Certificate[0]}), pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: key})...)
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
	p := startProxy(t, server.Addr(), "--listen-tls-cert", path)
	client := connect(t, p.uri("&tls=true&tlsInsecure=true"), "app") // the test's own certificate
	if _, err := client.Database("shop").Collection("c").InsertOne(t.Context(), bson.D{{Key: "a", Value: 1}}); err != nil {
		t.Fatal(err)
	}
	p.settled()
	if _, coverage := p.report(); coverage["ratio"] != 1.0 || coverage["operations"] == 0.0 {
		t.Errorf("coverage %v", coverage)
	}
}

// TestUnixSocket: a driver reaches the server through a socket in the file system.
func TestUnixSocket(t *testing.T) {
	server := mongodtest.Start(t)
	path := filepath.Join(t.TempDir(), "m.sock")
	p := startProxy(t, server.Addr(), "--listen", "unix:"+path)
	if err := connect(t, "mongodb://"+url.PathEscape(path)+"/?directConnection=true", "app").Ping(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	p.settled()
	if _, coverage := p.report(); coverage["ratio"] != 1.0 {
		t.Errorf("coverage %v", coverage)
	}
}

// TestInheritedSocket: a socket that a service manager holds turns nobody away
// while the program is not there: who came early is served once it is.
func TestInheritedSocket(t *testing.T) {
	server := mongodtest.Start(t)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	socket, err := l.(*net.TCPListener).File()
	if err != nil {
		t.Fatal(err)
	}
	defer socket.Close()
	for range 2 { // started, ended, and started again
		early, err := net.Dial("tcp", l.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		var said bytes.Buffer
		cmd := exec.Command("sh", "-c", `LISTEN_PID=$$ LISTEN_FDS=1 exec "$@"`, "sh", program, "proxy", "--upstream", server.Addr(), "--web.listen-address", "")
		cmd.ExtraFiles, cmd.Stderr = []*os.File{socket}, &said
		cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		if err := connect(t, "mongodb://"+l.Addr().String()+"/?directConnection=true", "app").Ping(t.Context(), nil); err != nil {
			t.Errorf("%v: %s", err, said.String())
		}
		_ = early.SetDeadline(time.Now().Add(time.Minute))
		if _, err := early.Write([]byte("GET / HTTP/1.0\r\n\r\n")); err != nil {
			t.Error(err)
		}
		if n, err := early.Read(make([]byte, 64)); n == 0 {
			t.Errorf("who came early got no answer: %v", err)
		}
		_ = early.Close()
		_ = cmd.Process.Signal(syscall.SIGTERM)
		if err := cmd.Wait(); err != nil {
			t.Errorf("%v: %s", err, said.String())
		}
	}
}
