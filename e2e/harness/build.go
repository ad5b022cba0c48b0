// Package harness is what tests, suites and benchmarks need to run mongoadvisor as
// its users do: to build it, to give it ports, and to read its metrics.
package harness

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
)

// Build makes the program at path, as a release is built.
func Build(ctx context.Context, path string) error {
	cmd := exec.CommandContext(ctx, "go", "build", "-trimpath", "-ldflags", "-s -w", "-o", path, "mongoadvisor/cmd/mongoadvisor")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("building mongoadvisor: %w\n%s", err, out)
	}
	return nil
}

// Watch looks at every file below root, the module's folder, that the program is
// built from, so that cached results of tests are not taken for those of a changed
// program: the test cache knows which files a test looked at.
func Watch(root string) {
	_ = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil || d.IsDir() && (d.Name() == ".git" || d.Name() == "docs"):
			return filepath.SkipDir
		case !d.IsDir():
			_, _ = os.Stat(path)
		}
		return nil
	})
}

// ForTests builds it into a folder of its own and runs tests, which find it at the
// path that is put into where. It returns their exit code. root is the module's
// folder.
func ForTests(root string, where *string, run func() int) int {
	dir, err := os.MkdirTemp("", "mongoadvisor-e2e-")
	if err != nil {
		panic(err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	*where = filepath.Join(dir, "mongoadvisor")
	Watch(root)
	if err := Build(context.Background(), *where); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return run()
}
