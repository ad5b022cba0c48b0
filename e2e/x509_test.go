package e2e

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"os"
	"path/filepath"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"mongoadvisor/internal/certs/certstest"
	"mongoadvisor/internal/demo/mongod"
	"mongoadvisor/internal/demo/mongod/mongodtest"
)

// issued writes a certificate and its key to a file.
func issued(t *testing.T, a *certstest.Authority, file string, template *x509.Certificate) *x509.Certificate {
	t.Helper()
	p, err := a.Issue(template)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, p.Both(), 0o600); err != nil {
		t.Fatal(err)
	}
	return p.X509
}

// TestX509PassesThrough: where TLS passes unread, the server sees the client's
// certificate, and its user can log in by it.
func TestX509PassesThrough(t *testing.T) {
	dir := t.TempDir()
	a, err := certstest.NewAuthority()
	if err != nil {
		t.Fatal(err)
	}
	caFile, serverFile, clientFile := filepath.Join(dir, "ca.pem"), filepath.Join(dir, "server.pem"), filepath.Join(dir, "client.pem")
	if err := os.WriteFile(caFile, a.Cert, 0o600); err != nil {
		t.Fatal(err)
	}
	member := certstest.Loopback("localhost")
	member.Subject.Organization = []string{"servers"}
	issued(t, a, serverFile, member)
	cert := issued(t, a, clientFile, &x509.Certificate{
		Subject: pkix.Name{CommonName: "app", Organization: []string{"clients"}}, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth},
	})
	server := mongodtest.StartWith(t, mongod.StartOptions{
		Args:    []string{"--tlsMode", "requireTLS", "--tlsCertificateKeyFile", serverFile, "--tlsCAFile", caFile},
		URIArgs: "&tls=true&tlsCAFile=" + caFile + "&tlsCertificateKeyFile=" + clientFile,
	})
	p := startProxy(t, server.Addr())
	pair, err := tls.LoadX509KeyPair(clientFile, clientFile)
	if err != nil {
		t.Fatal(err)
	}
	secure := &tls.Config{RootCAs: a.Pool(), Certificates: []tls.Certificate{pair}}
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
