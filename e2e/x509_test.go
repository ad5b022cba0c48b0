package e2e

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"mongoadvisor/internal/demo/mongod"
	"mongoadvisor/internal/demo/mongod/mongodtest"
)

// authority signs the certificates of one test.
type authority struct {
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
	file string
}

func newAuthority(t *testing.T, dir string) *authority {
	t.Helper()
	a := &authority{file: filepath.Join(dir, "ca.pem")}
	a.cert, a.key = a.sign(t, a.file, &x509.Certificate{
		Subject: pkix.Name{CommonName: "test authority"}, IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	})
	return a
}

// sign writes a certificate and its key to one file; the first one signs itself.
func (a *authority) sign(t *testing.T, file string, template *x509.Certificate) (*x509.Certificate, *ecdsa.PrivateKey) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template.SerialNumber, template.NotBefore, template.NotAfter = big.NewInt(time.Now().UnixNano()), time.Now().Add(-time.Hour), time.Now().Add(time.Hour)
	parent, by := a.cert, a.key
	if parent == nil {
		parent, by = template, key
	}
	der, err := x509.CreateCertificate(rand.Reader, template, parent, &key.PublicKey, by)
	if err != nil {
		t.Fatal(err)
	}
	cert, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	secret, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	text := append(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: secret})...)
	if err := os.WriteFile(file, text, 0o600); err != nil {
		t.Fatal(err)
	}
	return cert, key
}

// TestX509PassesThrough: where TLS passes unread, the server sees the client's
// certificate, and its user can log in by it.
func TestX509PassesThrough(t *testing.T) {
	dir := t.TempDir()
	a := newAuthority(t, dir)
	serverFile, clientFile := filepath.Join(dir, "server.pem"), filepath.Join(dir, "client.pem")
	a.sign(t, serverFile, &x509.Certificate{
		Subject: pkix.Name{CommonName: "localhost", Organization: []string{"servers"}}, DNSNames: []string{"localhost"}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	})
	cert, _ := a.sign(t, clientFile, &x509.Certificate{
		Subject: pkix.Name{CommonName: "app", Organization: []string{"clients"}}, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth},
	})
	server := mongodtest.StartWith(t, mongod.StartOptions{
		Args:    []string{"--tlsMode", "requireTLS", "--tlsCertificateKeyFile", serverFile, "--tlsCAFile", a.file},
		URIArgs: "&tls=true&tlsCAFile=" + a.file + "&tlsCertificateKeyFile=" + clientFile,
	})
	p := startProxy(t, server.Addr())
	pair, err := tls.LoadX509KeyPair(clientFile, clientFile)
	if err != nil {
		t.Fatal(err)
	}
	roots := x509.NewCertPool()
	roots.AddCert(a.cert)
	secure := &tls.Config{RootCAs: roots, Certificates: []tls.Certificate{pair}}
	open := func(auth *options.Credential) *mongo.Database {
		o := options.Client().ApplyURI(p.uri("")).SetTLSConfig(secure).SetServerSelectionTimeout(20 * time.Second)
		if auth != nil {
			o.SetAuth(*auth)
		}
		c, err := mongo.Connect(o)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
			defer cancel()
			_ = c.Disconnect(ctx)
		})
		return c.Database("$external")
	}
	user := cert.Subject.String()
	create := bson.D{{Key: "createUser", Value: user}, {Key: "roles", Value: bson.A{}}}
	if err := open(nil).RunCommand(t.Context(), create).Err(); err != nil {
		t.Fatal(err)
	}
	var status struct {
		AuthInfo struct{ AuthenticatedUsers []struct{ User string } } `bson:"authInfo"`
	}
	err = open(&options.Credential{AuthMechanism: "MONGODB-X509"}).RunCommand(t.Context(), bson.D{{Key: "connectionStatus", Value: 1}}).Decode(&status)
	if users := status.AuthInfo.AuthenticatedUsers; err != nil || len(users) != 1 || users[0].User != user {
		t.Errorf("logged in are %+v, %v; want %s", users, err, user)
	}
}
