package e2e

import (
	"crypto/x509"
	"encoding/pem"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// pemFiles writes a certificate for localhost and its key to a folder.
func pemFiles(t *testing.T, dir, certName, keyName string) {
	t.Helper()
	cert := selfSigned(t)
	key, err := x509.MarshalPKCS8PrivateKey(cert.PrivateKey)
	if err != nil {
		t.Fatal(err)
	}
	for name, b := range map[string]*pem.Block{
		certName: {Type: "CERTIFICATE", Bytes: cert.Certificate[0]}, keyName: {Type: "PRIVATE KEY", Bytes: key},
	} {
		if err := os.WriteFile(filepath.Join(dir, name), pem.EncodeToMemory(b), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// TestFailedHandshakesDoNotFillTheLog: who reaches the web endpoint cannot write a
// line with each connection; that all lines are records is asked at the end.
func TestFailedHandshakesDoNotFillTheLog(t *testing.T) {
	dir := t.TempDir()
	pemFiles(t, dir, "web.crt", "web.key")
	config := filepath.Join(dir, "web.yml")
	if err := os.WriteFile(config, []byte("tls_server_config:\n  cert_file: web.crt\n  key_file: web.key\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	health := freePort(t)
	p := launch{health: "http://" + health}.proxy(t, freePort(t), "--web.config.file", config, "--health.listen-address", health)
	const tries = 300
	for range tries {
		if resp, err := http.Get("http://" + p.web + "/metrics"); err == nil {
			if resp.StatusCode != http.StatusBadRequest {
				t.Fatalf("plain HTTP is answered with %s", resp.Status)
			}
			resp.Body.Close()
		}
		c, err := net.Dial("tcp", p.web)
		if err != nil {
			t.Fatal(err)
		}
		_ = c.SetDeadline(time.Now().Add(time.Minute))
		_, _ = c.Write([]byte("this is no TLS"))
		_, _ = c.Read(make([]byte, 64)) // an alert: the server has seen it
		c.Close()
	}
	eventually(t, "the log says so", func() bool { return strings.Contains(p.errors(), "http: TLS handshake error") })
	if n := strings.Count(p.errors(), "http: TLS handshake error"); n > tries/10 {
		t.Errorf("%d lines for %d connections", n, 2*tries)
	}
}
