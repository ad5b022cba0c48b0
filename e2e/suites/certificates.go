package main

import (
	"os"
	"path/filepath"

	"mongoadvisor/internal/certs/certstest"
)

// certificates are files of an authority made for one run, and of a server on
// loopback that it vouches for. The proxy and the servers share them.
type certificates struct {
	ca   string // the authority's certificate
	cert string
	key  string
	both string // cert and key in one file, as mongod wants them
}

func makeCertificates(dir string) (certificates, error) {
	c := certificates{
		ca: filepath.Join(dir, "ca.pem"), cert: filepath.Join(dir, "cert.pem"),
		key: filepath.Join(dir, "key.pem"), both: filepath.Join(dir, "server.pem"),
	}
	authority, err := certstest.NewAuthority()
	if err != nil {
		return c, err
	}
	server, err := authority.Issue(certstest.Loopback("localhost"))
	if err != nil {
		return c, err
	}
	for path, b := range map[string][]byte{c.ca: authority.Cert, c.cert: server.Cert, c.key: server.Key, c.both: server.Both()} {
		if err := os.WriteFile(path, b, 0o600); err != nil {
			return c, err
		}
	}
	return c, nil
}
