package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"mongoadvisor/internal/demo/mongod/mongodtest"
)

// Where the drivers are: a Python with pymongo, and a folder whose node_modules
// hold mongodb and mongosh. The CI script installs both.
const (
	envPython = "MONGOADVISOR_E2E_PYTHON"
	envNode   = "MONGOADVISOR_E2E_NODE"
)

// installed is where drivers are, or the test is skipped; it fails when CI is set.
func installed(t *testing.T, env string) string {
	t.Helper()
	root := os.Getenv(env)
	if root == "" {
		if os.Getenv("CI") != "" {
			t.Fatalf("%s is not set, and CI is set", env)
		}
		t.Skipf("set %s to run it", env)
	}
	return root
}

// TestDrivers runs an application per driver through the proxy: it must work
// as without, and what it does must be attributed to it.
func TestDrivers(t *testing.T) {
	server := mongodtest.Start(t)
	p := startProxy(t, server.Addr())
	for _, app := range []struct {
		name, env, collection, client, driver string
		command                               func(root string) *exec.Cmd
	}{
		{"pymongo", envPython, "people_py", "pymongo-app", "PyMongo", func(python string) *exec.Cmd {
			return exec.Command(python, "drivers/pymongo_app.py", p.uri(""))
		}},
		{"node", envNode, "people_node", "node-app", "nodejs", func(root string) *exec.Cmd {
			return exec.Command("node", placed(t, root, "drivers/node_app.mjs"), p.uri(""))
		}},
		{"mongosh", envNode, "people_mongosh", "mongosh", "nodejs|mongosh", func(root string) *exec.Cmd {
			return exec.Command(filepath.Join(root, "node_modules", ".bin", "mongosh"), "--quiet", "--norc", p.uri(""), "drivers/mongosh_app.js")
		}},
	} {
		t.Run(app.name, func(t *testing.T) {
			root := installed(t, app.env)
			out, err := app.command(root).CombinedOutput()
			if err != nil || !strings.HasSuffix(strings.TrimSpace(string(out)), "done") {
				t.Fatalf("%v\n%s", err, out)
			}
			p.settled()
			found, coverage := p.report()
			if coverage["ratio"] != 1.0 {
				t.Errorf("coverage %v", coverage)
			}
			for _, rule := range []string{"Q02", "W01"} {
				if !slices.ContainsFunc(found, func(f finding) bool {
					return f.Rule == rule && f.Namespace == "shop."+app.collection && len(f.Clients) == 1 &&
						strings.HasPrefix(f.Clients[0].App, app.client) && strings.HasPrefix(f.Clients[0].Driver, app.driver)
				}) {
					t.Errorf("no finding of %s on %s by %s: %+v", rule, app.collection, app.client, found)
				}
			}
		})
	}
}

// placed copies a script into the folder whose node_modules it needs: Node looks for
// modules from there.
func placed(t *testing.T, root, script string) string {
	t.Helper()
	text, err := os.ReadFile(script)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(root, filepath.Base(script))
	if err := os.WriteFile(path, text, 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}
