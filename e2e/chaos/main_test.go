package chaos

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

var program string

// TestMain builds the program once, as a release is built.
func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "mongoadvisor-chaos-")
	if err != nil {
		panic(err)
	}
	program = filepath.Join(dir, "mongoadvisor")
	watchSources()
	build := exec.Command("go", "build", "-trimpath", "-o", program, "mongoadvisor/cmd/mongoadvisor")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "building: %v\n%s", err, out)
		os.Exit(1)
	}
	code := m.Run()
	_ = os.RemoveAll(dir)
	os.Exit(code)
}

// watchSources looks at every file the binary is built from, so that the test
// cache, which knows what a test looked at, does not keep a changed program's result.
func watchSources() {
	_ = filepath.WalkDir("../..", func(path string, d os.DirEntry, err error) error {
		switch {
		case err != nil || d.IsDir() && (d.Name() == ".git" || d.Name() == "docs" || d.Name() == "e2e"):
			return filepath.SkipDir
		case !d.IsDir():
			_, _ = os.Stat(path)
		}
		return nil
	})
}
