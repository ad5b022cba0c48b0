package e2e

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"

	"mongoadvisor/internal/demo/mongod"
	"mongoadvisor/internal/demo/mongod/mongodtest"
)

// guarded is a server that wants a login; the user may write to database advice only.
func guarded(t *testing.T) *mongod.Process {
	t.Helper()
	server := mongodtest.StartWith(t, mongod.StartOptions{Args: []string{"--auth"}})
	const root = "rootsown"
	for _, x := range []struct {
		db      *mongo.Database
		command bson.D
	}{
		{connect(t, server.URI(), "setup").Database("admin"), bson.D{{Key: "createUser", Value: root}, {Key: "pwd", Value: root}, {Key: "roles", Value: bson.A{"root"}}}},
		{connect(t, strings.Replace(server.URI(), "://", "://"+root+":"+root+"@", 1), "setup").Database("admin"), bson.D{
			{Key: "createUser", Value: secretUser},
			{Key: "pwd", Value: secondSecret},
			{Key: "roles", Value: bson.A{bson.D{{Key: "role", Value: "readWrite"}, {Key: "db", Value: "advice"}}}},
		}},
	} {
		if err := x.db.RunCommand(t.Context(), x.command).Err(); err != nil {
			t.Fatal(err)
		}
	}
	return server
}

// storageURI leads to a store with a password; it is in a file.
func storageURI(t *testing.T, addr, password string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "uri")
	uri := fmt.Sprintf("mongodb://%s:%s@%s/advice?authSource=admin&directConnection=true\n", secretUser, url.QueryEscape(password), addr)
	if err := os.WriteFile(file, []byte(uri), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// TestStorageSecrets: the login of the shared store is in nothing that leaves, and the
// right to read and write its database is enough.
func TestStorageSecrets(t *testing.T) {
	server, kept := mongodtest.Start(t), guarded(t)
	s := secrets{}
	s.addPassword(secretUser, firstSecret)
	s.addPassword(secretUser, secondSecret)
	for name, password := range map[string]string{"right": secondSecret, "wrong": firstSecret} {
		t.Run(name, func(t *testing.T) {
			file := storageURI(t, kept.Addr(), password)
			t.Setenv("MONGOADVISOR_STORAGE_URI_FILE", file)
			p := startProxy(t, server.Addr(), "--storage.interval", "1s", "--log.level", "debug")
			antiPatterns(t, connect(t, p.uri(""), "app"), 5)
			p.settled()
			want := "mongoadvisor_storage_saves_total{outcome=\"success\"}"
			if name == "wrong" {
				want = "mongoadvisor_storage_saves_total{outcome=\"failure\"}"
			}
			eventually(t, "an attempt has ended", func() bool { return p.samples()[want] > 1 })
			out := map[string]string{}
			for _, path := range []string{"/", "/metrics", "/api/v1/findings", "/api/v1/status"} {
				out[path] = string(p.get(path))
			}
			for _, of := range []string{"cmdline", "environ"} {
				b, _ := os.ReadFile(fmt.Sprintf("/proc/%d/%s", p.cmd.Process.Pid, of))
				out[of] = string(b)
			}
			said, err := exec.Command(program, "report").CombinedOutput()
			out["report"], out["log"] = string(said), p.errors()
			if name == "right" && (err != nil || !strings.Contains(out["report"], "shop.customers")) {
				t.Errorf("report: %v\n%s", err, said)
			}
			if name == "wrong" && (err == nil || !strings.Contains(out["report"], "Authentication failed") || !strings.Contains(out["log"], "Authentication failed")) {
				t.Errorf("the reason is not told: %v\n%s\n%s", err, said, out["log"])
			}
			for where, text := range out {
				for _, what := range s.foundIn(text) {
					t.Errorf("%s holds %s:\n%s", where, what, text)
				}
			}
		})
	}
}

// TestStorageURIThatIsNone: it is refused wherever it is given, and not repeated.
func TestStorageURIThatIsNone(t *testing.T) {
	s := secrets{}
	s.addPassword(secretUser, secondSecret)
	s.addPassword(secretUser, firstSecret)
	for _, uri := range []string{
		"mongodb://" + secretUser + ":" + secondSecret + "@db/x", "mongodb://" + secretUser + ":" + firstSecret + "@db/ad.min",
		"mongodb://" + secretUser + ":" + firstSecret + "@db/admin", "mongodb://" + secretUser + ":" + firstSecret + "@db:port/",
		"mongo://" + secretUser + ":" + firstSecret + "@db/", secretUser + ":" + firstSecret + "@db",
		"mongodb://" + secretUser + ":" + firstSecret + "@db/?maxPoolSize=" + firstSecret, "mongodb://" + secretUser + ":" + firstSecret + "@db/%zz",
		"mongodb://" + secretUser + ":" + firstSecret + "@db/?authMechanism=" + firstSecret,
	} {
		file := filepath.Join(t.TempDir(), "mongoadvisor.yaml")
		if err := os.WriteFile(file, []byte("storage: {uri: '"+uri+"'}\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		for _, args := range [][]string{
			{"report", "--storage.uri", uri},
			{"proxy", "--upstream", "db", "--storage.uri", uri},
			{"config", "check", file},
			{"report", "--config.file", file},
			{"report"},
		} {
			ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second) // one that is taken runs on
			cmd := exec.CommandContext(ctx, program, args...)
			cmd.Env = append(os.Environ(), "MONGOADVISOR_WEB_LISTEN_ADDRESS=")
			if len(args) == 1 {
				cmd.Env = append(cmd.Env, "MONGOADVISOR_STORAGE_URI="+uri)
			}
			out, _ := cmd.CombinedOutput()
			cancel()
			if code := cmd.ProcessState.ExitCode(); code != 2 || !strings.Contains(string(out), "storage.uri") {
				t.Errorf("%.60q: exit code %d\n%s", args, code, out)
			}
			for _, what := range s.foundIn(string(out)) {
				t.Errorf("%.60q says %s:\n%s", args, what, out)
			}
		}
	}
}
