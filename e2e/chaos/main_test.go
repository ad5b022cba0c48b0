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
