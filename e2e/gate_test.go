package e2e

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"mongoadvisor/internal/demo/mongod"
	"mongoadvisor/internal/demo/mongod/mongodtest"
)

// gated runs an application behind `mongoadvisor run --mongod`.
func gated(t *testing.T, env []string, command []string, flags ...string) (exit int, output string) {
	t.Helper()
	cmd := exec.Command(program, append(append([]string{"run", "--mongod"}, flags...), append([]string{"--"}, command...)...)...)
	cmd.Env = append(os.Environ(), append(env, mongod.EnvPath+"="+mongodtest.Path(t), "MONGODB_URI=", "GITHUB_ACTIONS=")...)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	err := cmd.Run()
	var failed *exec.ExitError
	if err != nil && !errors.As(err, &failed) {
		t.Fatal(err)
	}
	return cmd.ProcessState.ExitCode(), out.String()
}

// TestGateBeforeAReplicaSet: the connection string of a set leads through a listener for
// each member, and nothing goes round them.
func TestGateBeforeAReplicaSet(t *testing.T) {
	set := mongodtest.StartSet(t, mongod.SetOptions{})
	cmd := exec.Command(program, "run", "--", installed(t, envPython), filepath.Join("apps", "shop.py"))
	cmd.Env = append(os.Environ(), "MONGODB_URI="+set.URI(), "GITHUB_ACTIONS=")
	out, err := cmd.CombinedOutput()
	if cmd.ProcessState.ExitCode() != 1 || !strings.Contains(string(out), "W02 slice-misuse") {
		t.Errorf("%v\n%s", err, out)
	}
	if strings.Contains(string(out), "untraceable-traffic (bypass") {
		t.Errorf("clients can go round the proxy:\n%s", out)
	}
}

// TestGate: an application's bad habits make the build red; with a baseline of them it
// is green, and red again for a new one; repaired, it is green without, and the
// baseline's entries are said to be gone.
func TestGate(t *testing.T) {
	for name, app := range map[string]struct {
		env     string
		command func(t *testing.T, root string) []string
		finds   string
	}{
		"PyMongo": {envPython, func(_ *testing.T, python string) []string {
			return []string{python, filepath.Join("apps", "shop.py")}
		}, "W02"},
		"Mongoose": {envNode, func(t *testing.T, root string) []string {
			return []string{"node", placed(t, root, filepath.Join("apps", "shop.js"))}
		}, "Q06"},
	} {
		t.Run(name, func(t *testing.T) {
			command := app.command(t, installed(t, app.env))
			baseline := filepath.Join(t.TempDir(), "mongoadvisor-baseline.json")
			sarif := filepath.Join(t.TempDir(), "findings.sarif")
			exit, out := gated(t, nil, command, "--write-baseline", baseline, "--output", sarif)
			if exit != 1 || !strings.Contains(out, app.finds) || !strings.Contains(out, "findings of severity high or more") {
				t.Fatalf("the bad one: exit code %d\n%s", exit, out)
			}
			if b, err := os.ReadFile(sarif); err != nil || !bytes.Contains(b, []byte(`"`+app.finds+`"`)) {
				t.Errorf("the SARIF file does not name %s: %v", app.finds, err)
			}
			if exit, out = gated(t, nil, command, "--baseline", baseline); exit != 0 {
				t.Errorf("with its baseline: exit code %d\n%s", exit, out)
			}
			if exit, out = gated(t, []string{"SHOP=fixed"}, command, "--baseline", baseline); exit != 0 || !strings.Contains(out, "gone since the baseline: "+app.finds) {
				t.Errorf("repaired: exit code %d\n%s", exit, out)
			}
		})
	}
}
