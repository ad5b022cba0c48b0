package certs

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// write makes a self-signed certificate for 127.0.0.1 under this name, with its
// key in the same file, dated so that the file is seen to have changed.
func write(t *testing.T, path, name string, serial int64) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(serial), Subject: pkix.Name{CommonName: name}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), IsCA: true, BasicConstraintsValid: true,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	pkcs8, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	text := append(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: pkcs8})...)
	put(t, path, text, serial)
}

func put(t *testing.T, path string, text []byte, serial int64) {
	t.Helper()
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
	at := time.Unix(1_700_000_000+serial, 0)
	if err := os.Chtimes(path, at, at); err != nil {
		t.Fatal(err)
	}
}

// handshake does one over a connection and tells the name the server showed.
func handshake(t *testing.T, server, client *tls.Config) (name string, err error) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	served := make(chan error, 1)
	go func() {
		c, err := l.Accept()
		if err != nil {
			served <- err
			return
		}
		defer c.Close()
		served <- tls.Server(c, server).Handshake()
	}()
	c, err := tls.Dial("tcp", l.Addr().String(), client)
	if err != nil {
		return "", errors.Join(err, <-served)
	}
	defer c.Close()
	return c.ConnectionState().PeerCertificates[0].Subject.CommonName, <-served
}

// soon has the next look at the files happen at once.
func soon[T any](r *reloading[T]) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.looked = time.Time{}
}

// A new certificate counts from the next handshake on; a broken file leaves the
// old one and says so once.
func TestServerFollowsItsFiles(t *testing.T) {
	path := filepath.Join(t.TempDir(), "server.pem")
	write(t, path, "first", 1)
	files := Server{Cert: path}
	var said []error
	r, err := newReloading(files.load, func(err error) { said = append(said, err) }, path)
	if err != nil {
		t.Fatal(err)
	}
	shown := func() string {
		soon(r)
		name, err := handshake(t, r.get(), &tls.Config{InsecureSkipVerify: true})
		if err != nil {
			t.Fatal(err)
		}
		return name
	}
	if got := shown(); got != "first" || len(said) != 0 {
		t.Errorf("showed %s, said %v", got, said)
	}
	put(t, path, []byte("half a certifi"), 2)
	shown()
	if got := shown(); got != "first" || len(said) != 1 || said[0] == nil {
		t.Errorf("with a broken file: showed %s, said %v", got, said)
	}
	write(t, path, "second", 3)
	if got := shown(); got != "second" || len(said) != 2 || said[1] != nil {
		t.Errorf("with a new one: showed %s, said %v", got, said)
	}
}

// With authorities, clients must show a certificate of one of them; the client's
// side shows what it is given and verifies the server.
func TestMutualTLS(t *testing.T) {
	dir := t.TempDir()
	serverPEM, clientPEM, strangerPEM := filepath.Join(dir, "s.pem"), filepath.Join(dir, "c.pem"), filepath.Join(dir, "x.pem")
	write(t, serverPEM, "server", 1)
	write(t, clientPEM, "client", 2)
	write(t, strangerPEM, "stranger", 3)
	server, err := Server{Cert: serverPEM, ClientCA: clientPEM}.Config(func(error) {})
	if err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct {
		client Client
		fails  bool
	}{
		"right":                 {Client{CA: serverPEM, Cert: clientPEM, ServerName: "127.0.0.1"}, false},
		"no certificate":        {Client{CA: serverPEM, ServerName: "127.0.0.1"}, true},
		"another's certificate": {Client{CA: serverPEM, Cert: strangerPEM, ServerName: "127.0.0.1"}, true},
		"unknown authority":     {Client{CA: strangerPEM, Cert: clientPEM, ServerName: "127.0.0.1"}, true},
		"another name":          {Client{CA: serverPEM, Cert: clientPEM, ServerName: "db1"}, true},
		"unverified":            {Client{Insecure: true, Cert: clientPEM}, false},
	} {
		config, err := tt.client.Config(func(error) {})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := handshake(t, server, config()); (err != nil) != tt.fails {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// What cannot be read at the start is an error that names the file.
func TestFilesThatCannotBeRead(t *testing.T) {
	path := filepath.Join(t.TempDir(), "empty.pem")
	put(t, path, nil, 1)
	_, missing := Server{Cert: "absent.pem"}.Config(func(error) {})
	_, empty := Client{CA: path}.Config(func(error) {})
	for err, want := range map[error]string{missing: "absent.pem", empty: path} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v does not name %s", err, want)
		}
	}
}
