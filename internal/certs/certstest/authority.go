// Package certstest makes certificates for tests, suites and benchmarks.
package certstest

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"time"
)

// Pair is a certificate with its key, each in PEM.
type Pair struct {
	X509      *x509.Certificate
	Cert, Key []byte
}

// Both is one file that holds them, as mongod wants it.
func (p Pair) Both() []byte { return append(append([]byte{}, p.Cert...), p.Key...) }

// Authority vouches for others.
type Authority struct {
	Pair
	key *ecdsa.PrivateKey
}

// NewAuthority makes one that vouches for itself.
func NewAuthority() (*Authority, error) {
	template := &x509.Certificate{
		Subject: pkix.Name{CommonName: "test authority"}, IsCA: true, BasicConstraintsValid: true,
		KeyUsage: x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature,
	}
	a := &Authority{}
	var err error
	a.Pair, a.key, err = issue(template, nil, nil)
	return a, err
}

// Issue makes a certificate by a template. Without a serial number it gets one of
// its own; it is good from an hour ago for two days.
func (a *Authority) Issue(template *x509.Certificate) (Pair, error) {
	p, _, err := issue(template, a.X509, a.key)
	return p, err
}

// Pool is for those who trust it.
func (a *Authority) Pool() *x509.CertPool {
	pool := x509.NewCertPool()
	pool.AddCert(a.X509)
	return pool
}

// Loopback is the template of a server on this machine, which may also be a client:
// members of a replica set are clients of each other.
func Loopback(name string) *x509.Certificate {
	return &x509.Certificate{
		Subject: pkix.Name{CommonName: name}, DNSNames: []string{"localhost"}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	}
}

// issue lets a template without a parent sign itself.
func issue(template, parent *x509.Certificate, by *ecdsa.PrivateKey) (Pair, *ecdsa.PrivateKey, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return Pair{}, nil, err
	}
	t := *template
	if t.SerialNumber == nil {
		t.SerialNumber = big.NewInt(time.Now().UnixNano())
	}
	t.NotBefore, t.NotAfter = time.Now().Add(-time.Hour), time.Now().Add(48*time.Hour)
	if parent == nil {
		parent, by = &t, key
	}
	der, err := x509.CreateCertificate(rand.Reader, &t, parent, key.Public(), by)
	if err != nil {
		return Pair{}, nil, err
	}
	cert, err := x509.ParseCertificate(der)
	if err != nil {
		return Pair{}, nil, err
	}
	secret, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return Pair{}, nil, err
	}
	return Pair{
		X509: cert, Cert: pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}),
		Key: pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: secret}),
	}, key, nil
}
