package chaos

import (
	"os"
	"path/filepath"
	"testing"

	"mongoadvisor/internal/certs/certstest"
)

// authority vouches for servers and clients on loopback, in files.
type authority struct {
	*certstest.Authority
	t    *testing.T
	dir  string
	path string // of its certificate
}

func newAuthority(t *testing.T) *authority {
	t.Helper()
	signer, err := certstest.NewAuthority()
	if err != nil {
		t.Fatal(err)
	}
	a := &authority{Authority: signer, t: t, dir: t.TempDir()}
	a.path = filepath.Join(a.dir, "authority.pem")
	a.replace(a.path, a.Cert)
	return a
}

// issue puts a new certificate and its key into a file, and returns its path and
// serial number.
func (a *authority) issue(name string) (path string, serial int64) {
	a.t.Helper()
	p, err := a.Issue(certstest.Loopback(name))
	if err != nil {
		a.t.Fatal(err)
	}
	path = filepath.Join(a.dir, name+".pem")
	a.replace(path, p.Both())
	return path, p.X509.SerialNumber.Int64()
}

// replace swaps a file as a whole, as a renewal does.
func (a *authority) replace(path string, text []byte) {
	a.t.Helper()
	if err := os.WriteFile(path+".new", text, 0o600); err != nil {
		a.t.Fatal(err)
	}
	if err := os.Rename(path+".new", path); err != nil {
		a.t.Fatal(err)
	}
}
