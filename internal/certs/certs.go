package certs

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"os"
)

// Server names the files of a listener that ends TLS, all in PEM.
type Server struct {
	Cert     string // with its chain
	Key      string // "": it is in Cert
	ClientCA string // clients must show a certificate of one of these; "": they need none
}

// Config reads the files. The configuration follows them: report is told of each
// reload, with what was wrong or nil.
func (f Server) Config(report func(error)) (*tls.Config, error) {
	r, err := newReloading(f.load, report, f.Cert, f.Key, f.ClientCA)
	if err != nil {
		return nil, err
	}
	return &tls.Config{
		MinVersion:         tls.VersionTLS12,
		GetConfigForClient: func(*tls.ClientHelloInfo) (*tls.Config, error) { return r.get(), nil },
	}, nil
}

func (f Server) load() (*tls.Config, error) {
	cert, err := pair(f.Cert, f.Key)
	if err != nil {
		return nil, err
	}
	c := &tls.Config{MinVersion: tls.VersionTLS12, Certificates: []tls.Certificate{cert}}
	if f.ClientCA != "" {
		if c.ClientCAs, err = authorities(f.ClientCA); err != nil {
			return nil, err
		}
		c.ClientAuth = tls.RequireAndVerifyClientCert
	}
	return c, nil
}

// Client says how an upstream's TLS is verified, and what it is shown.
type Client struct {
	CA         string // "": the system's authorities
	Cert, Key  string // shown to the upstream; "": none. Key "": it is in Cert
	Insecure   bool   // verify nothing
	ServerName string // sent and verified; "": the upstream's host
}

// Config reads the files; what it returns gives the configuration for one
// handshake, and follows the files as Server.Config does.
func (f Client) Config(report func(error)) (func() *tls.Config, error) {
	r, err := newReloading(f.load, report, f.CA, f.Cert, f.Key)
	if err != nil {
		return nil, err
	}
	return r.get, nil
}

func (f Client) load() (*tls.Config, error) {
	c := &tls.Config{MinVersion: tls.VersionTLS12, ServerName: f.ServerName, InsecureSkipVerify: f.Insecure}
	var err error
	if f.CA != "" {
		if c.RootCAs, err = authorities(f.CA); err != nil {
			return nil, err
		}
	}
	if f.Cert != "" {
		cert, err := pair(f.Cert, f.Key)
		if err != nil {
			return nil, err
		}
		c.Certificates = []tls.Certificate{cert}
	}
	return c, nil
}

// pair reads a certificate and its key.
func pair(cert, key string) (tls.Certificate, error) {
	if key == "" {
		key = cert
	}
	p, err := tls.LoadX509KeyPair(cert, key)
	if err != nil {
		return p, fmt.Errorf("certificate %s with key %s: %w", cert, key, err)
	}
	return p, nil
}

var errNoCertificate = errors.New("no certificate in PEM form is in it")

func authorities(path string) (*x509.CertPool, error) {
	pem, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("authorities: %w", err)
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(pem) {
		return nil, fmt.Errorf("authorities %s: %w", path, errNoCertificate)
	}
	return pool, nil
}
