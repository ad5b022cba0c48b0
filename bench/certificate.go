package main

import (
	"crypto/tls"
	"os"

	"mongoadvisor/internal/certs/certstest"
)

// makeCertificate writes a certificate for loopback with its key, and returns
// what a client trusts it by.
func makeCertificate(path string) (*tls.Config, error) {
	authority, err := certstest.NewAuthority()
	if err != nil {
		return nil, err
	}
	server, err := authority.Issue(certstest.Loopback("localhost"))
	if err != nil {
		return nil, err
	}
	if err := os.WriteFile(path, server.Both(), 0o600); err != nil {
		return nil, err
	}
	return &tls.Config{RootCAs: authority.Pool(), ServerName: "127.0.0.1"}, nil
}
