package e2e

import (
	"bytes"
	"crypto/tls"
	"errors"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"mongoadvisor/internal/demo/mongod/mongodtest"
)

// TestClientTLS: TLS that ends at the proxy is read, and what passes is judged.
func TestClientTLS(t *testing.T) {
	server := mongodtest.Start(t)
	dir := t.TempDir()
	pemFiles(t, dir, "proxy.pem", "proxy.key")
	p := startProxy(t, server.Addr(), "--listen-tls-cert", filepath.Join(dir, "proxy.pem"), "--listen-tls-key", filepath.Join(dir, "proxy.key"))
	client := connect(t, p.uri("&tls=true&tlsInsecure=true"), "app") // the test's own certificate
	if _, err := client.Database("shop").Collection("c").InsertOne(t.Context(), bson.D{{Key: "a", Value: 1}}); err != nil {
		t.Fatal(err)
	}
	p.settled()
	if _, coverage := p.report(); coverage["ratio"] != 1.0 || coverage["operations"] == 0.0 {
		t.Errorf("coverage %v", coverage)
	}
}

// TestX509EndsAtTheProxy: who logs in by the certificate of his TLS cannot where
// that ends here, and the log says why; once, however often it is tried.
func TestX509EndsAtTheProxy(t *testing.T) {
	server := mongodtest.Start(t)
	dir := t.TempDir()
	pemFiles(t, dir, "proxy.pem", "proxy.key")
	p := startProxy(t, server.Addr(), "--listen-tls-cert", filepath.Join(dir, "proxy.pem"), "--listen-tls-key", filepath.Join(dir, "proxy.key"))
	secure := &tls.Config{InsecureSkipVerify: true, Certificates: []tls.Certificate{selfSigned(t)}} // the test's own certificates
	for range 3 {
		c, err := mongo.Connect(options.Client().ApplyURI(p.uri("")).SetTLSConfig(secure).SetServerSelectionTimeout(20 * time.Second).
			SetAuth(options.Credential{AuthMechanism: "MONGODB-X509"}))
		if err != nil {
			t.Fatal(err)
		}
		var refused mongo.CommandError
		if err := c.Ping(t.Context(), nil); err == nil || errors.As(err, &refused) && refused.Code == 0 {
			t.Errorf("it was let in, or nobody asked the server: %v", err)
		}
		_ = c.Disconnect(t.Context())
	}
	eventually(t, "the log says why", func() bool { return strings.Contains(p.errors(), "X.509") })
	if n := strings.Count(p.errors(), "X.509"); n > 2 {
		t.Errorf("%d lines say so", n)
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
	t.Parallel()
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
		cmd := exec.Command("sh", "-c", `LISTEN_PID=$$ LISTEN_FDS=1 exec "$@"`, "sh", program, "proxy", "--upstream", server.Addr(), "--web.listen-address", "", "--shutdown.grace", "1s")
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
